"""Measurements of a running model, one a file: plain numbers and numpy arrays out."""
