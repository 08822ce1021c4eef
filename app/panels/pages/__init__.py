"""The pages of the properties panel: a node, a group, several nodes, the document."""
