"""Small painted widgets that panels are made of. They know the theme and nothing of documents or engines."""
