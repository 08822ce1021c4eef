"""The windows that open over the window."""
