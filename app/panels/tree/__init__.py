"""What the outline is made of."""
