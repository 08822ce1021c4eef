"""Parts of the panels that look inside a run."""
