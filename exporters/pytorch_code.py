"""PyTorch code: one ordinary file that needs no Blockwright, with its weights beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exporters.base import Exporter, ExportError, Progress, on_cpu, put_in_place, refuse_if_impossible, silent, workshop
from exporters.python.program import program

if TYPE_CHECKING:
    from torch import nn

    from graph.plan import Plan


def source(plan: Plan) -> str:
    """The file's text alone; it needs no weights and takes milliseconds.

    Raises:
        ExportError: a block cannot be copied.
    """
    return program(plan)


class PyTorchCode(Exporter):
    """The classes that a drawing uses, then the model, as a Python file that loads the same weights."""

    name = "pytorch"
    title = "PyTorch code"
    suffix = ".py"

    def check(self, plan: Plan) -> list[str]:
        """What cannot be said in code."""
        try:
            source(plan)
        except ExportError as error:
            return [str(error)]
        return []

    def weights_of(self, path: Path) -> Path:
        """The file beside it."""
        return path.with_suffix(".safetensors")

    def write(
        self,
        model: nn.Module,
        plan: Plan,
        path: str | Path,
        options: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Write PATH and, beside it, its weights as .safetensors; `Model.load()` finds them.

        Options: `verify` (default True) runs the file in another process and compares to the last bit.
        """
        from exporters.python.verifying import verify
        from graph.weights import WeightsError, save_weights

        target = Path(path)
        weights = self.weights_of(target)
        tell = progress or silent
        refuse_if_impossible(self, plan)
        tell(0, 3, "Write the code")
        code = source(plan)
        model = on_cpu(model)
        with workshop(target) as folder:
            (folder / "model.py").write_text(code, encoding="utf-8")
            tell(1, 3, "Write the weights")
            try:
                save_weights(model, folder / "model.safetensors")
            except WeightsError as error:
                raise ExportError(str(error)) from error
            tell(2, 3, "Compare with the drawing")
            sizes = verify(model, plan, folder.absolute()) if (options or {}).get("verify", True) else []
            put_in_place(folder / "model.safetensors", weights)
            put_in_place(folder / "model.py", target)
        tell(3, 3, "Done")
        return {
            "path": str(target),
            "weights": str(weights),
            "lines": code.count("\n"),
            "same_to_the_bit": bool(sizes),
            "sizes_checked": sizes,
            "warnings": [],
        }
