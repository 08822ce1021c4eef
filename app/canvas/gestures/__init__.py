"""One gesture a file: start, move, finish, cancel."""
