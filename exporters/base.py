"""What every exporter is: a title, a suffix, a check that says why not, and a write that leaves nothing half done."""

from __future__ import annotations

import copy
import glob
import importlib
import inspect
import os
import pkgutil
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import exporters

if TYPE_CHECKING:
    from torch import nn

    from graph.plan import Plan
    from graph.running import Workbench

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with how many steps are done, how many there are, and what comes next."""

STALE = 3600.0
"""Seconds after which a folder in the making belongs to nobody: whoever made it was killed."""


class ExportError(Exception):
    """An export that failed: one clear sentence; `place` is the address of the block it is about, or empty."""

    def __init__(self, sentence: str, place: str = "") -> None:
        super().__init__(sentence)
        self.place = place


class Exporter:
    """One way to write a model to disk.

    Args:
        name: what the command line calls it.
        title: what the window calls it.
        suffix: what the file's name ends in.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    suffix: ClassVar[str]

    def check(self, plan: Plan) -> list[str]:
        """Why the plan cannot be exported, one sentence each; empty when nothing speaks against it."""
        return []

    def weights_of(self, path: Path) -> Path | None:
        """The safetensors file that `write` writes for that path, if any."""
        return None

    def write(
        self,
        model: nn.Module,
        plan: Plan,
        path: str | Path,
        options: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Write the model and say in plain values what was written.

        Args:
            model: the compiled model of the plan, in evaluation; it is left as it was.
            plan: after the passes.
            path: where to; an older file there is replaced only once the new one has been checked.
            options: see the exporter.
            progress: told how far it is.

        Raises:
            ExportError: it cannot be done, or what was written does not give the same numbers.
        """
        raise NotImplementedError


@lru_cache(1)
def all_exporters() -> Mapping[str, Exporter]:
    """Every exporter by its name.

    Raises:
        TypeError: two have one name.
    """
    found: dict[str, Exporter] = {}
    for info in pkgutil.iter_modules(exporters.__path__):
        if info.ispkg:  # the parts of an exporter that outgrew its file
            continue
        module = importlib.import_module(f"exporters.{info.name}")
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if not issubclass(cls, Exporter) or cls is Exporter or cls.__module__ != module.__name__:
                continue
            if cls.name in found:
                raise TypeError(f"two exporters are called {cls.name}")
            found[cls.name] = cls()
    return MappingProxyType(found)


def find(name: str) -> Exporter:
    """The exporter of that name.

    Raises:
        ExportError: there is none.
    """
    exporter = all_exporters().get(name)
    if exporter is None:
        raise ExportError(f"There is no export to {name!r}; there are {', '.join(all_exporters())}.")
    return exporter


def export(
    name: str,
    bench: Workbench,
    plan: Plan,
    path: str | Path,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the model that stands on a bench; see `Exporter.write`. What the bench has to say joins the warnings.

    Raises:
        ExportError: as there, or it would write other weights over those that the drawing names, which may have taken
            days, or a block has no entry for a whole number that an input allows.
    """
    exporter = find(name)
    target = Path(path)
    weights = exporter.weights_of(target)
    if weights is not None and bench.would_lose(weights):
        raise ExportError(f"{weights.name} holds the weights of the drawing: choose another name for {target.name}.")
    try:
        result = exporter.write(bench.model, plan, target, options, progress)
    except IndexError as error:
        said = str(error).rstrip(".")
        raise ExportError(
            f"The model stops at numbers that its inputs allow ({said}): run it to see which block that is."
        ) from error
    return {**result, "warnings": [*bench.notes, *result["warnings"]]}


def refuse_if_impossible(exporter: Exporter, plan: Plan) -> None:
    """Raise ExportError with the first thing that speaks against the export."""
    faults = exporter.check(plan)
    if faults:
        raise ExportError(faults[0])


@contextmanager
def workshop(path: Path) -> Iterator[Path]:
    """A folder beside the target for files in the making; whatever is left in it goes when the work is over.

    It lies on the same disk, so `put_in_place` is a mere renaming.
    """
    prefix = f".{path.name[:40]}-"
    for left in path.parent.glob(f"{glob.escape(prefix)}*"):
        if left.is_dir() and time.time() - left.stat().st_mtime > STALE:
            shutil.rmtree(left, ignore_errors=True)
    try:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=path.parent))
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(made: Path, target: Path) -> None:
    """Let a finished file replace the target at once; readers see the old or the new one, never half of it."""
    try:
        os.replace(made, target)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror or error}.") from error


def silent(done: int, steps: int, text: str) -> None:
    """The progress that nobody watches."""


def on_cpu(model: nn.Module) -> nn.Module:
    """The model itself where it is in float32 on the CPU, else a copy that is."""
    import torch

    tensors = [*model.parameters(), *model.buffers()]
    if all(t.device.type == "cpu" and (t.dtype == torch.float32 or not t.is_floating_point()) for t in tensors):
        return model
    return copy.deepcopy(model).to(device="cpu", dtype=torch.float32).eval()
