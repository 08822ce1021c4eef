"""Export a drawing to ONNX, compared with PyTorch at several sizes, or to one PyTorch file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.cli import inputs
from app.cli.common import Unusable, add_drawing, add_json, check_target, plan_of, print_json, read_drawing

SUFFIXES = {"onnx": (".onnx",), "pytorch": (".py",)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_drawing(parser)
    parser.add_argument("--to", choices=tuple(SUFFIXES), required=True, help="what to write")
    parser.add_argument("--weights", metavar="F.safetensors", help="weights in place of the drawing's own")
    parser.add_argument("--seed", type=int, help="of fresh weights, in place of the drawing's own")
    parser.add_argument("--opset", type=int, choices=(23, 20), help="of the ONNX file; 23 unless it fails")
    parser.add_argument("-o", dest="output", type=Path, required=True, metavar="OUT", help="the file to write")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Export it."""
    check_target(options.output, SUFFIXES[options.to])
    from exporters.base import ExportError, export
    from graph.running import Workbench

    document = read_drawing(options)
    plan_of(document, as_json=options.as_json)
    bench = Workbench(device="cpu")
    plan = inputs.prepare(bench, document, options)
    try:
        settings = {"opset": options.opset} if options.opset else {}
        result = export(options.to, bench, plan, options.output, settings)
    except ExportError as error:
        raise Unusable(str(error)) from None
    if options.as_json:
        print_json(result)
    else:
        print_result(options.to, result)
    return 0


def print_result(kind: str, result: dict[str, Any]) -> None:
    """Say what was written and how it compared."""
    if kind == "onnx":
        sizes = "; ".join(" × ".join(f"{axis} {n}" for axis, n in each.items()) for each in result["sizes_checked"])
        print(f"Wrote {result['path']}: opset {result['opset']}, {result['nodes']} nodes.")
        print(f"Largest difference from PyTorch {result['max_abs_error']:.1e}, at {sizes}.")
    else:
        print(f"Wrote {result['path']}" + (f" and {result['weights']}." if result.get("weights") else "."))
    for warning in result.get("warnings", ()):
        print(f"Note: {warning}")
