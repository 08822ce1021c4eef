"""Panels that can be dragged, tabbed, floated and closed: where they lie is data, and widgets follow it."""
