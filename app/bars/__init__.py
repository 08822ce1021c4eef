"""What lies along the edges: bars, menus, tabs and messages."""
