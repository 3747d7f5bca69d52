"""What is shown of a bench: views, meters, tables, frames."""
