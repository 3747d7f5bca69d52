"""The pages of the laboratory: the only place that knows NiceGUI, with `app.py`."""
