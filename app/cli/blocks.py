"""List the blocks of the catalogue."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any

from app.cli.common import add_json, console, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the catalogue."""
    import blocks

    catalogue = blocks.catalogue()
    if options.as_json:
        print_json([describe(cls) for cls in catalogue.values()])
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("Block", "Category", "What it does"):
        table.add_column(heading)
    for name, cls in catalogue.items():
        table.add_row(name, cls.category, cls.summary())
    console().print(table)
    return 0


def describe(cls: Any) -> dict[str, Any]:
    """A block's declaration as plain values."""

    def port(declared: Any) -> dict[str, Any]:
        return {field.name: getattr(declared, field.name) for field in fields(declared)}

    return {
        "name": cls.__name__,
        "category": cls.category,
        "title": cls.title,
        "summary": cls.summary(),
        "equation": cls.equation,
        "synonyms": list(cls.synonyms),
        "inputs": {name: port(declared) for name, declared in cls.inputs.items()},
        "outputs": {name: port(declared) for name, declared in cls.outputs.items()},
        "params": [
            {
                "name": param.name,
                "type": param.type.__name__,
                "default": param.default,
                "optional": param.optional,
                "from_wire": param.from_wire,
                "rule": type(param.rule).__name__,
                **{field.name: getattr(param.rule, field.name) for field in fields(param.rule)},  # type: ignore[arg-type]
            }
            for param in cls.params()
        ],
    }
