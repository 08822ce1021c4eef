"""What one starts with: templates, and their variables to be turned before they are drawn."""
