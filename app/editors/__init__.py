"""Parameter rule → form widget."""
