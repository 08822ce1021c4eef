"""Blocks of the palette category that this folder is named after."""
