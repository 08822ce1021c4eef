"""For those who work by keys or do not see the window: focus, and what is said aloud."""
