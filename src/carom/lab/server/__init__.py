"""The server: who may connect, how much they may ask for, and the socket."""
