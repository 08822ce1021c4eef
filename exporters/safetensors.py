"""Weights alone: one safetensors file whose keys follow the drawing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from exporters.base import Exporter, ExportError, Progress

if TYPE_CHECKING:
    from graph.plan import Plan


class Safetensors(Exporter):
    """Every tensor once under its first path; its other paths are in the metadata."""

    name = "safetensors"
    title = "Weights (safetensors)"
    suffix = ".safetensors"

    def weights_of(self, path: Path) -> Path:
        """The file itself."""
        return path

    def write(
        self,
        model: nn.Module,
        plan: Plan,
        path: str | Path,
        options: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Write the weights; there are no options."""
        from graph.weights import WeightsError, save_weights, tensors_of

        try:
            digest = save_weights(model, path)
        except WeightsError as error:
            raise ExportError(str(error)) from error
        return {"path": str(path), "tensors": len(tensors_of(model)[0]), "hash": digest, "warnings": []}
