"""What a user can ask for: one table, put together from parts by what they do; menus, keys and the search read it."""
