"""The drawing surface: one painted widget over numpy geometry."""
