"""What can be seen of a bench: views, meters, tables, frames."""
