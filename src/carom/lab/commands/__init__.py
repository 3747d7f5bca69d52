"""What a person can ask of a bench: the table of commands, its keys, and who does each."""
