"""Ways out of Blockwright: one exporter a file, found by being there (see `exporters.base`)."""
