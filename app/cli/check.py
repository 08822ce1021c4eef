"""Validate a drawing: its issues, the shape on every wire, and what the sizes must satisfy."""

from __future__ import annotations

import argparse
from typing import Any

from app.cli.common import add_drawing, add_json, print_issues, print_json, read_drawing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_drawing(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the report."""
    from graph.issues import Signal
    from graph.validate import validate

    report = validate(read_drawing(options))
    shapes: dict[str, Signal] = {}
    for path, node in report.walk():
        for port in node.outputs:
            signal = report.signal(path, port)
            if signal is not None:
                shapes[f"{'/'.join(path)}.{port}"] = signal
    if options.as_json:
        print_json(
            {
                "valid": report.valid,
                "issues": [issue.as_data() for issue in report.issues],
                "shapes": {name: [_size(size) for size in signal.shape] for name, signal in shapes.items()},
                "requirements": [requirement.as_data() for requirement in report.requirements],
            }
        )
        return 0 if report.valid else 1
    print_issues(report, as_json=False)
    width = max(map(len, shapes), default=0)
    for name, signal in shapes.items():
        print(f"{name:<{width}}  {signal}")
    for requirement in report.requirements:
        print(f"needs: {requirement}")
    print("The model is valid." if report.valid else "The model has errors.")
    return 0 if report.valid else 1


def _size(size: Any) -> int | str:
    return size if isinstance(size, int) else str(size)
