"""The window, and the command line without one."""
