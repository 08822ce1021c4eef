"""Finding blocks, nodes, wires and commands by a few letters, and what fits a wire."""
