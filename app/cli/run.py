"""Run a drawing forward and print what came out and what went on inside."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app import numbers
from app.cli import inputs
from app.cli.common import Unusable, add_json, check_target, print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    inputs.add_arguments(parser)
    add_json(parser)
    parser.add_argument("-o", dest="output", type=Path, metavar="OUT.npz", help="where the outputs are written")


def run(options: argparse.Namespace) -> int:
    """Run it."""
    from graph.running import RunError

    if options.output is not None:
        check_target(options.output, (".npz",))
    bench, given = inputs.bench_of(options)
    try:
        result = bench.run(given)
    except RunError as error:
        raise Unusable(str(error)) from None
    if options.output is not None:
        _write(options.output, result.outputs)
    data = result.data
    if options.as_json:
        print_json(data)
        return 0
    for note in data["notes"]:
        print(note)
    print(
        f"Ran on {data['device']} in {numbers.duration(data['seconds'])}; attention kernel: {data['attention_kernel']}."
    )
    for name, output in data["outputs"].items():
        shape = " × ".join(map(str, output["shape"]))
        print(f"{name}: {shape}  mean {_figure(output['mean'])}  std {_figure(output['std'])}  "
              f"min {_figure(output['min'])}  max {_figure(output['max'])}")  # fmt: skip
    width = max(map(len, data["activations"]), default=0)
    for address, seen in data["activations"].items():
        bad = f"  NaN {seen['nan']}, Inf {seen['inf']}" if seen["nan"] or seen["inf"] else ""
        print(f"  {address:<{width}}  {' × '.join(map(str, seen['shape'])):<22} mean {_figure(seen['mean']):>10}  "
              f"std {_figure(seen['std']):>10}{bad}")  # fmt: skip
    return 0


def _figure(value: float | None) -> str:
    """Four significant figures; a dash where there is none, as for the mean of nothing but NaN."""
    return "–" if value is None else f"{value:.4g}"


def _write(path: Path, outputs: Mapping[str, Any]) -> None:
    import io

    import numpy

    from graph.files import FileError, write_atomically

    buffer = io.BytesIO()
    arrays = {name: tensor.detach().float().cpu().numpy() for name, tensor in outputs.items()}
    numpy.savez(buffer, **arrays)
    try:
        write_atomically(path, buffer.getvalue())
    except FileError as error:
        raise Unusable(str(error)) from None
