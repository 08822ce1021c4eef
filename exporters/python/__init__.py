"""How a plan becomes one readable Python file: sources of blocks, simplified, then a class for each group."""
