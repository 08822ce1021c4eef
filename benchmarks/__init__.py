"""Measurements with goals: `python -m benchmarks [NAME] [--json]`; one benchmark a file, with `run() -> list[dict]`."""
