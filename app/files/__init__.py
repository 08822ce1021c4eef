"""Drawings on disk: opening, saving, the journal of what is not saved, changes by others, the user's own blocks."""
