"""What the engine can be asked for when exports are possible: the jobs of `graph.jobs`, and these.

Options that the exports understand: `path` (where to), `weights`, `seed`, `folder` as for a run, and those of the
exporter (`opset`, `external_data`; `verify`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from exporters.base import ExportError, export
from graph import jobs
from graph.files import document_from_data
from graph.jobs import Job, Options
from graph.observing import Progress
from graph.passes import run_passes
from graph.plan import plan_document
from graph.running import Workbench


def export_onnx(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """Write an ONNX file; see `exporters.onnx`."""
    return _export("onnx", bench, document, options, progress)


def export_pytorch(
    bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress
) -> dict[str, Any]:
    """Write a PyTorch file and its weights; see `exporters.pytorch_code`."""
    return _export("pytorch", bench, document, options, progress)


def source(bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress) -> dict[str, Any]:
    """The text of the PyTorch file as `code`; no weights are touched."""
    from exporters.pytorch_code import source as source_of

    plan, _ = run_passes(plan_document(document_from_data(dict(document))))
    code = source_of(plan)
    return {"code": code, "lines": code.count("\n")}


def _export(
    name: str, bench: Workbench, document: Mapping[str, Any], options: Options, progress: Progress
) -> dict[str, Any]:
    path = options.get("path")
    if not isinstance(path, str) or not path:
        raise ExportError("An export needs a path to write to.")
    plan = bench.prepare_document(
        document,
        weights=options.get("weights"),
        seed=options.get("seed"),
        folder=options.get("folder"),
        progress=progress,
    )
    return export(name, bench, plan, path, options, progress)


JOBS: Mapping[str, Job] = {
    **jobs.JOBS,
    "export_onnx": export_onnx,
    "export_pytorch": export_pytorch,
    "source": source,
}
