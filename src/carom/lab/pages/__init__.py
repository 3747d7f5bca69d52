"""The pages of the laboratory: with `app.py`, the only modules that use NiceGUI."""
