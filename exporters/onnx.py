"""ONNX: traced, translated, named after the drawing, and run against PyTorch at several sizes before it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exporters.base import (
    Exporter,
    ExportError,
    Progress,
    on_cpu,
    put_in_place,
    refuse_if_impossible,
    silent,
    workshop,
)

if TYPE_CHECKING:
    import onnx_ir as ir
    from torch import nn

    from exporters.onnx_model.comparing import Comparison
    from exporters.onnx_model.tracing import Trace
    from graph.plan import Plan

OPSETS = (23, 20)
"""The first says attention and RMS norm in one node each; the second is understood by older runtimes."""

LARGEST_FILE = 1.5e9
"""Bytes of weights above which they lie in a file of their own; a single file must stay below 2 GB."""


class ONNX(Exporter):
    """An ONNX file with free axes that gives what PyTorch gives."""

    name = "onnx"
    title = "ONNX"
    suffix = ".onnx"

    def check(self, plan: Plan) -> list[str]:
        """What ONNX cannot be given."""
        return [] if plan.entries else ["The drawing has no input, and an ONNX model needs one."]

    def write(
        self,
        model: nn.Module,
        plan: Plan,
        path: str | Path,
        options: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Write the file, check it, and compare it with PyTorch.

        Options: `opset` (23 or 20; without it 23, and 20 where that fails), `external_data` (True or False; without it
        by size).
        """
        from exporters.onnx_model.tracing import trace

        options = options or {}
        tell = progress or silent
        refuse_if_impossible(self, plan)
        wanted = (int(options["opset"]),) if options.get("opset") else OPSETS
        if wanted[0] not in OPSETS:
            raise ExportError(f"ONNX is written at opset {OPSETS[0]} or {OPSETS[1]}, not {wanted[0]}.")
        tell(0, 10, "Trace the model")
        model, target = on_cpu(model), Path(path)
        with workshop(target) as folder:
            traced = trace(model, plan)
            warnings = list(traced.warnings)
            faults: list[ExportError] = []
            for opset in wanted:
                try:
                    converted, done = self._attempt(model, plan, traced, folder / target.name, opset, options, tell)
                except ExportError as error:
                    faults.append(error)
                    continue
                if faults:
                    warnings.append(f"It is written at opset {opset}, since {wanted[0]} fails: {faults[0]}")
                for made in sorted(folder.glob(f"{target.name}*"), reverse=True):  # the weights before what needs them
                    put_in_place(made, target.with_name(made.name))
                tell(10, 10, "Done")
                return {
                    "path": str(target),
                    "opset": opset,
                    "nodes": len(converted.graph),
                    "max_abs_error": done.max_abs_error,
                    "sizes_checked": done.sizes,
                    "warnings": warnings,
                }
        raise faults[0]  # the older opset is only a way out; what it cannot say would lead astray

    def _attempt(
        self,
        model: nn.Module,
        plan: Plan,
        traced: Trace,
        made: Path,
        opset: int,
        options: Mapping[str, Any],
        tell: Progress,
    ) -> tuple[ir.Model, Comparison]:
        """Write the file at one opset and try it out."""
        import onnx
        import onnx_ir as ir

        from exporters.onnx_model.comparing import compare
        from exporters.onnx_model.converting import convert, quiet
        from exporters.onnx_model.naming import name_after_drawing

        tell(2, 10, f"Translate to opset {opset}")
        converted = convert(traced.program, opset, plan)
        name_after_drawing(converted, plan, model, traced.symbols)
        size = sum(tensor.nbytes for tensor in model.state_dict().values())
        apart = options.get("external_data")
        apart = size > LARGEST_FILE if apart is None else bool(apart)
        tell(5, 10, "Write the file")
        try:
            ir.save(converted, made, external_data=f"{made.name}.data" if apart else None)
        except OSError as error:
            raise ExportError(f"{made.name} cannot be written: {error.strerror or error}.") from error
        tell(6, 10, "Check the file")
        try:
            with quiet():
                onnx.checker.check_model(str(made), full_check=True)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
            raise ExportError(f"The ONNX file is not valid: {' '.join(str(error).split())[:300]}.") from error
        done = compare(converted, made, plan, model, lambda at, of, text: tell(7 + 3 * at // max(1, of), 10, text))
        return converted, done
