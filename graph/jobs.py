"""What the engine can be asked for: a fixed table of jobs, each from a drawing and options to plain data and arrays.

Options that all of them understand: `sizes` {axis: size}, `samples` {source: sample}, `seed` (of weights and random
inputs, in place of the drawing's), `weights` (a file), `folder` (where the drawing's relative paths begin), `device`,
`dtype`, and, except for `estimate` and `save_weights`, `until` (the address of a node: the model ends there).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from graph.attention_cost import SRAM
from graph.estimate import estimate
from graph.files import document_from_data, document_to_data
from graph.machine import available_memory
from graph.observing import Progress
from graph.passes import run_passes
from graph.plan import plan_document
from graph.room import RunError
from graph.running import Workbench
from graph.samples import Inputs, make_inputs
from graph.solo import ending_at

Options: TypeAlias = Mapping[str, Any]
Job: TypeAlias = Callable[[Workbench, Mapping[str, Any], Options, Progress], dict[str, Any]]


def prepared(
    bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress | None = None
) -> Inputs:
    """Make the bench hold the model of a drawing and the inputs that the options ask for."""
    bench.use(options.get("device"), options.get("dtype"))
    until = options.get("until")
    if until:
        document = document_to_data(ending_at(document_from_data(dict(document)), tuple(until.split("/"))))
    seed, folder = options.get("seed"), options.get("folder")
    plan = bench.prepare_document(document, weights=options.get("weights"), seed=seed, folder=folder, progress=progress)
    inputs = make_inputs(plan, options.get("sizes"), seed=seed or 0, samples=options.get("samples"), folder=folder)
    bench.take(inputs)
    return inputs


def run(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """One forward pass with everything measured; see `graph.running.Workbench.run`."""
    inputs = prepared(bench, document, options, progress)
    return bench.run(inputs, progress=progress, histograms=options.get("histograms", True)).data


def inspect(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """A part of one value as a picture, or one number; options `node`, `output`, `index`, `what`, `limit`."""
    prepared(bench, document, options, progress)
    chosen = {name: options[name] for name in ("output", "index", "what", "limit") if options.get(name) is not None}
    return bench.inspect(_needed(options, "node"), **chosen)


def attention(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """Attention maps; options `node`, `layer`, `head`, `batch`, `size`, `atlas`, `thumbnail`, `reduce`."""
    prepared(bench, document, options, progress)
    names = ("layer", "head", "batch", "size", "atlas", "thumbnail", "reduce")
    return bench.attention(_needed(options, "node"), **{name: options[name] for name in names if name in options})


def predict(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """What a run would need; options `sizes`, `training`, `dtype`, `sram`."""
    plan, _ = run_passes(plan_document(document_from_data(dict(document))))
    found = estimate(
        plan,
        options.get("sizes"),
        training=bool(options.get("training", False)),
        dtype=options.get("dtype") or "float32",
        sram=options.get("sram") or SRAM,
    )
    return found.as_data() | {"available": available_memory(bench.device), "device": str(bench.device)}


def keep_weights(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """Write the weights of a drawing; option `path`."""
    prepared(bench, document, {**options, "until": None}, progress)
    path = _needed(options, "path")
    digest = bench.save_weights(path)
    return {"path": path, "hash": digest, "bytes": os.path.getsize(path)}


def _needed(options: Options, name: str) -> str:
    value = options.get(name)
    if not isinstance(value, str) or not value:
        raise RunError(f"This needs a {name}.")
    return value


JOBS: Mapping[str, Job] = {
    "run": run,
    "inspect": inspect,
    "attention": attention,
    "estimate": predict,
    "save_weights": keep_weights,
}
