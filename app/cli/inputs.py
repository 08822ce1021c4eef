"""What commands that run a model share: samples from the command line, and a workbench with the model on it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.common import Unusable, add_drawing, add_dtype, add_sizes, pairs, plan_of, read_drawing, sizes

if TYPE_CHECKING:
    from graph.document import Document
    from graph.plan import Plan
    from graph.running import Workbench
    from graph.samples import Inputs

KINDS = {"text": "TokenInput", "image": "ImageInput"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The drawing and what to feed it."""
    add_drawing(parser)
    add_sizes(parser)
    parser.add_argument("--text", help="for the token inputs")
    parser.add_argument("--tokenizer", metavar="TOKENIZER.json", help="how the text is cut; by default, into bytes")
    parser.add_argument("--image", metavar="F", help="a picture for the image inputs")
    parser.add_argument(
        "--input", dest="inputs", action="append", default=[], metavar="NAME=F.npy", help="an array for one input"
    )
    parser.add_argument("--weights", metavar="F.safetensors", help="weights in place of the drawing's own")
    parser.add_argument("--seed", type=int, help="of fresh weights, in place of the drawing's own, and random inputs")
    parser.add_argument("--device", default="auto", help="cpu, cuda, mps or auto")
    add_dtype(parser)


def bench_of(options: argparse.Namespace) -> tuple[Workbench, Inputs]:
    """A workbench on which the model of the drawing stands, and the inputs."""
    from graph.running import RunError, Workbench
    from graph.samples import SampleError, make_inputs
    from graph.sizes import SizeError

    document = read_drawing(options)
    plan = plan_of(document, as_json=getattr(options, "as_json", False))
    folder = options.file.absolute().parent
    try:
        inputs = make_inputs(
            plan, sizes(options), seed=options.seed or 0, samples=_samples(options, plan), folder=folder
        )
        bench = Workbench(device=options.device, dtype=options.dtype)
    except (SampleError, SizeError, RunError) as error:
        raise Unusable(str(error)) from None
    prepare(bench, document, options)
    return bench, inputs


def prepare(bench: Workbench, document: Document, options: argparse.Namespace) -> Plan:
    """Put the model on the bench: with --weights, else fresh under --seed, else with the weights the drawing names."""
    from graph.room import RunError
    from graph.weights import WeightsError

    try:
        return bench.prepare_document(
            document, weights=options.weights, seed=options.seed, folder=options.file.absolute().parent
        )
    except (RunError, WeightsError) as error:
        hint = "" if options.weights or not document.weights else " With --seed it starts with fresh weights."
        raise Unusable(f"{error}{hint}") from None


def _samples(options: argparse.Namespace, plan: Plan) -> dict[str, dict[str, Any]]:
    samples: dict[str, dict[str, Any]] = {}
    tokenizer = str(Path(options.tokenizer).absolute()) if options.tokenizer else "bytes"
    if options.text is None and options.tokenizer:
        texts = {entry.id: entry.sample for entry in plan.entries if entry.sample.get("kind") == "text"}
        if not texts:
            raise Unusable("--tokenizer was given, but there is no text to cut.")
        samples.update({id: {**sample, "tokenizer": tokenizer} for id, sample in texts.items()})
    if options.text is not None:
        _set(samples, plan, "text", {"kind": "text", "text": options.text, "tokenizer": tokenizer})
    if options.image is not None:
        _set(samples, plan, "image", {"kind": "image", "path": str(Path(options.image).absolute())})
    known = [entry.id for entry in plan.entries]
    for name, path in pairs(options.inputs, "--input").items():
        if name not in known:
            raise Unusable(f"The drawing has no input {name!r}; it has {', '.join(known)}.")
        samples[name] = {"kind": "file", "path": str(Path(path).absolute())}
    return samples


def _set(samples: dict[str, dict[str, Any]], plan: Plan, kind: str, sample: dict[str, Any]) -> None:
    fitting = [entry.id for entry in plan.entries if entry.block == KINDS[kind]]
    if not fitting:
        raise Unusable(f"--{kind} was given, but the drawing has no input for it.")
    for id in fitting:
        samples[id] = sample
