"""Open a ready template; without a display, do the main job here: validate, compile, run, inspect, export, compare."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from app import numbers
from app.cli.common import Unusable, console
from app.display import display_fault

if TYPE_CHECKING:
    from graph.document import Document

SMALL: dict[str, dict[str, Any]] = {
    "gpt": {"dim": 128, "layers": 4, "num_heads": 4, "vocab": 256, "context": 256},
    "unet": {"channels": 16, "depth": 3, "image_size": 64},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--headless", action="store_true", help="work in the terminal, without a window")
    parser.add_argument("--template", choices=tuple(SMALL), default="gpt", help="what to draw")
    parser.add_argument(
        "-o", dest="output", type=Path, default=Path(), metavar="FOLDER", help="where the ONNX file goes"
    )


def run(options: argparse.Namespace) -> int:
    """Open the window on a template, or do the main job in the terminal."""
    if not options.headless:
        fault = display_fault()
        if fault is None:
            from app.__main__ import run_window

            return run_window(None, options.template)
        print(f"{fault} The same job, here in the terminal:")
    if not options.output.is_dir():
        raise Unusable(f"There is no folder {options.output}.")
    from exporters.base import ExportError
    from graph import templates
    from graph.room import RunError

    document = templates.find(options.template).build(SMALL[options.template])
    try:
        return _main_job(document, options.output / f"{options.template}-demo.onnx")
    except (ExportError, RunError) as error:
        raise Unusable(str(error)) from None


def _main_job(document: Document, target: Path) -> int:
    from exporters.base import find
    from graph.estimate import estimate
    from graph.passes import run_passes
    from graph.plan import plan_document
    from graph.running import Workbench
    from graph.samples import make_inputs
    from graph.validate import validate

    output = console()
    report = validate(document)
    count = sum(1 for _ in report.walk())
    output.print(f"[bold]Validate[/bold]  {document.title}: {count} nodes, {len(report.issues)} issues")
    for requirement in report.requirements:
        output.print(f"          needs: {requirement}")
    plan = run_passes(plan_document(document, report))[0]
    for exit in plan.exits:
        output.print(f"          {exit.name}: {report.simplified(exit.signal)}")

    foreseen = estimate(plan)
    output.print(
        f"[bold]Estimate[/bold]  {numbers.exact(foreseen.parameters_unique)} parameters, "
        f"{numbers.count(foreseen.flops)} FLOPs, peak {numbers.size(foreseen.memory['peak'])}"
    )
    started = perf_counter()
    bench = Workbench(device="auto")
    model = bench.prepare(plan)
    output.print(
        f"[bold]Compile[/bold]   {len(model.state_dict())} tensors in {numbers.duration(perf_counter() - started)}"
    )

    result = bench.run(make_inputs(plan))
    data = result.data
    output.print(
        f"[bold]Run[/bold]       on {data['device']} in {numbers.duration(data['seconds'])}, "
        f"attention kernel: {data['attention_kernel']}"
    )
    for name, seen in data["outputs"].items():
        shape = " × ".join(map(str, seen["shape"]))
        output.print(f"          {name}: {shape}, mean {seen['mean']:.4f}, std {seen['std']:.4f}")

    output.print(f"[bold]Inspect[/bold]   {len(data['activations'])} activations; the widest:")
    widest = sorted(data["activations"].items(), key=lambda item: -item[1]["std"])[:3]
    for address, seen in widest:
        output.print(f"          {address}: std {seen['std']:.4f}, {seen['zeros']:.0%} zeros")
    _inspect_attention(output, bench, plan)

    started = perf_counter()
    written = find("onnx").write(model, plan, target)
    output.print(
        f"[bold]Export[/bold]    {written['path']}: opset {written['opset']}, {written['nodes']} nodes, "
        f"in {numbers.duration(perf_counter() - started)}"
    )
    checked = len(written["sizes_checked"])
    output.print(
        f"[bold]Compare[/bold]   ONNX Runtime against PyTorch at {checked} sizes: "
        f"largest difference {written['max_abs_error']:.1e}"
    )
    return 0


def _inspect_attention(output: Any, bench: Any, plan: Any) -> None:
    """For a model with attention: where the last token looks most, in the first head of the last layer."""
    attending = [address for address, step in plan.walk() if hasattr(step.block, "scores")]
    if not attending:
        return
    seen = bench.attention(attending[-1], head=0)
    row = seen["maps"][0, 0, -1]
    labels = seen["key_labels"]
    most = row.argsort()[::-1][:3]
    looks = ", ".join(f"{labels[key]!r} {row[key]:.0%}" for key in most)
    output.print(
        f"          {attending[-1]}, head 0: the last token looks at {looks} (self-check {seen['self_check']:.0e})"
    )
