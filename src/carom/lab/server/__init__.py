"""The server: access control, limits of requests, and the socket."""
