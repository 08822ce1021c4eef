"""Count parameters and FLOPs and predict the memory, before anything is allocated."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from app import numbers
from app.cli.common import (
    Unusable,
    add_drawing,
    add_dtype,
    add_json,
    add_sizes,
    console,
    plan_of,
    print_json,
    read_drawing,
    sizes,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_drawing(parser)
    add_sizes(parser)
    parser.add_argument("--training", action="store_true", help="a training step with AdamW instead of a forward pass")
    add_dtype(parser)
    parser.add_argument(
        "--sram",
        type=int,
        default=None,
        metavar="N",
        help="numbers that fit into the fast memory of one processor (100000), for the memory traffic of attention",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the estimate."""
    from graph.attention_cost import SRAM
    from graph.estimate import EstimateError, estimate
    from graph.sizes import SizeError

    plan = plan_of(read_drawing(options), as_json=options.as_json)
    try:
        result = estimate(
            plan,
            sizes(options),
            training=options.training,
            dtype=options.dtype,
            sram=SRAM if options.sram is None else options.sram,
        )
    except (SizeError, EstimateError) as error:
        raise Unusable(str(error)) from None
    data = result.as_data()
    if options.as_json:
        print_json(data)
        return 0
    from rich.table import Table

    output = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, side in (("Node", "left"), ("Shape", "left"), ("Parameters", "right"), ("FLOPs", "right")):
        table.add_column(heading, justify=side, overflow="fold")  # type: ignore[arg-type]
    for node in data["nodes"]:
        rounds = f" × {node['rounds']}" if node.get("rounds", 1) > 1 else ""
        shape = " × ".join(str(size) for size in node["shape"] or ())
        table.add_row(
            f"{node['address']}{rounds}", shape, numbers.count(node["parameters"]), numbers.count(node["flops"])
        )
    output.print(table)
    sizes_text = ", ".join(f"{name} {size}" for name, size in data["sizes"].items())
    output.print(f"\n[bold]{'Training' if options.training else 'Inference'}[/bold] at {sizes_text}, {options.dtype}")
    output.print(f"parameters  {numbers.count(data['parameters_unique'])} ({numbers.exact(data['parameters_unique'])})")
    output.print(f"FLOPs       {numbers.count(data['flops'])}")
    for name, value in data["memory"].items():
        output.print(f"{name.replace('_', ' '):<11} {numbers.size(value)}")
    for line in _attention_lines(data["attention"]):
        output.print(line)
    for note in data.get("notes", ()):
        output.print(f"[dim]{note}[/dim]")
    return 0


def _attention_lines(found: Mapping[str, Any]) -> list[str]:
    """What attention would hold and what it moves; nothing where nothing attends."""
    if not found["nodes"]:
        return []

    def size(what: str) -> str:
        return numbers.size(found["total"][what]["bytes"])

    calls = f"{found['calls']} calls" if found["calls"] > 1 else "1 call"
    return [
        f"\n[bold]Attention[/bold] in {calls}, with {numbers.exact(found['sram'])} numbers in fast memory",
        f"scores      {size('scores')} if they were built; the fused kernel keeps {size('statistics')}",
        f"traffic     {size('fused')} fused, {size('standard')} otherwise",
    ]
