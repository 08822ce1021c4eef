"""The bench on which a plan becomes a model that runs and is looked into. Lives in the engine's worker process."""

from __future__ import annotations

import copy
import platform
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, fx

from graph.attending import Attending
from graph.document import Document
from graph.estimate import short_name
from graph.files import document_from_data
from graph.issues import Signal
from graph.keeping import Keeper
from graph.observing import Observation, Progress
from graph.passes import run_passes
from graph.places import GroupPlace, Place, all_places
from graph.plan import Plan, plan_document
from graph.probes.activations import brief, measure
from graph.probes.pictures import channel_picture, slice_picture, value
from graph.probes.taps import Enough, results, watch
from graph.room import RunError, pick_device, pick_dtype, refuse_model, refuse_run
from graph.samples import Inputs
from graph.weights import WeightsError, file_hash, holds_same, load_weights, save_weights

MOST_CAPTURED = 256 * 2**20


@dataclass(frozen=True)
class RunResult:
    """What came out of a run: tensors by the names of the outputs, and everything that was measured."""

    outputs: Mapping[str, Tensor]
    data: dict[str, Any]


class Workbench:
    """Holds the model of the newest plan and its weights, runs it, and looks inside.

    Args:
        device: "auto" takes a CUDA device where there is one, else the CPU.
        dtype: of weights and real inputs.

    Raises:
        RunError: this machine has no such device, or the type is unknown.
    """

    def __init__(self, device: str = "auto", dtype: str = "float32") -> None:
        self.device = pick_device(device)
        self.dtype = pick_dtype(dtype)
        self.plan: Plan | None = None
        self.inputs: Inputs | None = None
        self.notes: tuple[str, ...] = ()
        self._model: fx.GraphModule | None = None
        self._keeper = Keeper(self.device, self.dtype)
        self._planned_last: tuple[dict[str, Any], Document, Plan] | None = None
        self._loaded: tuple[str, int, int] | None = None
        self._digest = ""
        self._named: Path | None = None
        self._captured: OrderedDict[tuple[str, str | None], Tensor] = OrderedDict()
        self.attending = Attending(self)

    @property
    def model(self) -> fx.GraphModule:
        """The model of the newest plan."""
        if self._model is None:
            raise RunError("Nothing has been prepared yet.")
        return self._model

    @property
    def device_name(self) -> str:
        """What people call the device."""
        if self.device.type == "cuda":
            return torch.cuda.get_device_name(self.device)
        return platform.processor() or "CPU" if self.device.type == "cpu" else self.device.type

    def use(self, device: str | None = None, dtype: str | None = None) -> None:
        """Change device or number type; everything is built anew where they differ."""
        target = self.device if device is None else pick_device(device)
        kind = self.dtype if dtype is None else pick_dtype(dtype)
        if (target, kind) != (self.device, self.dtype):
            self.device, self.dtype = target, kind
            self._keeper = Keeper(target, kind)
            self._loaded = None
            self._drop_model()

    def prepare_document(
        self,
        document: Document | Mapping[str, Any],
        *,
        weights: str | Path | None = None,
        seed: int | None = None,
        folder: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Plan:
        """Validate, plan, run the passes and prepare; a drawing that names weights gets what of them fits.

        Raises:
            FileError, PlanError, WeightsError, RunError: it cannot run; the sentence says why.
        """
        drawing, plan = self._planned(document)
        stored = drawing.weights.get("path")
        self._named = Path(folder or ".") / stored if isinstance(stored, str) and stored else None
        if self._named is not None and weights is None and seed is None:
            self.prepare(plan, progress=progress)
            self._load(self._named, strict=False)
            if drawing.weights.get("hash", self._digest) != self._digest:
                self.notes += (f"{self._named.name} is another file than when the drawing was saved.",)
        else:
            self.prepare(plan, weights=weights, seed=seed, progress=progress)
        assert self.plan is not None
        return self.plan

    def would_lose(self, target: Path) -> bool:
        """Whether writing the present weights over a file would lose those that the drawing names."""
        if self._named is None or target.resolve() != self._named.resolve() or not target.exists():
            return False
        return not holds_same(self.model, target)

    def _planned(self, document: Document | Mapping[str, Any]) -> tuple[Document, Plan]:
        """The plan of a drawing; asked for the same one again and again, it plans once."""
        if isinstance(document, Document):
            return document, run_passes(plan_document(document))[0]
        if self._planned_last is None or self._planned_last[0] != document:
            drawing = document_from_data(dict(document))
            self._planned_last = (copy.deepcopy(dict(document)), drawing, run_passes(plan_document(drawing))[0])
        return self._planned_last[1:]

    def prepare(
        self,
        plan: Plan,
        *,
        weights: str | Path | None = None,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> fx.GraphModule:
        """Build the model of a plan from what the last one had and, where that does not fit, anew.

        Args:
            plan: after the passes.
            weights: a .safetensors file that must fit in full.
            seed: in place of the drawing's own.
            progress: told of each block.

        Raises:
            RunError: the weights do not fit into memory; nothing was allocated.
            WeightsError: the file does not fit the model.
        """
        if seed is not None:
            plan = replace(plan, seed=seed)
            if self._keeper.holds_given():  # whoever names a seed wants its weights, not those that were loaded
                self._keeper.forget()
                self._loaded = None
                self._drop_model()
        if self._model is None or self.plan != plan:
            refuse_model(plan, self.device, self.dtype, self._keeper.bytes_held())
            self._drop_model()
            self._model = self._keeper.build(plan, progress)
            self.plan = plan
        self.notes = ()
        if weights is not None:
            self._load(Path(weights), strict=True)
        return self._model

    def load_weights(self, path: str | Path) -> tuple[str, ...]:
        """Copy weights into the present model; see `graph.weights.load_weights`."""
        self._load(Path(path), strict=True)
        return self.notes

    def save_weights(self, path: str | Path) -> str:
        """Write the present weights; returns the file's hash."""
        return save_weights(self.model, path)

    def tensors(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Inputs as the model takes them: on its device, real ones in its type."""
        return tuple(
            tensor.to(self.device, self.dtype if tensor.is_floating_point() else tensor.dtype)
            for tensor in inputs.tensors
        )

    def run(self, inputs: Inputs, *, progress: Progress | None = None, histograms: bool = True) -> RunResult:
        """One forward pass, with every value measured on the way.

        Raises:
            RunError: nothing is prepared, a size breaks a requirement, or it does not fit into memory.
        """
        plan, model = self._ready(inputs)
        refuse_run(plan, inputs.sizes, self.device, self.dtype)
        self._keep(inputs)
        seen = Observation(plan, model, self.device, histograms, progress)
        output = seen.run(self.tensors(inputs))
        results = output if len(plan.exits) > 1 else (output,)
        outputs = {exit.name: tensor for exit, tensor in zip(plan.exits, results, strict=True)}
        data = {
            "outputs": {name: brief(tensor) for name, tensor in outputs.items()},
            "activations": seen.activations,
            "labels": dict(inputs.labels),
            "sizes": dict(inputs.sizes),
            "seconds": seen.seconds,
            "device": str(self.device),
            "device_name": self.device_name,
            "dtype": short_name(self.dtype),
            "attention_kernel": seen.attention_kernel,
            "kernels": seen.kernels,
            "timings": seen.timings,
            "memory": dict(seen.memory),
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "notes": [*inputs.notes, *self.notes],
        }
        return RunResult(outputs, data)

    def inspect(
        self,
        address: str,
        *,
        output: str | None = None,
        index: list[int] | None = None,
        what: str = "slice",
        limit: int = 1024,
    ) -> dict[str, Any]:
        """One value of the last inputs as a picture, a grid of channels, or a single number.

        Args:
            address: a source, a block ("decoder.3/attn"), a round of a group ("decoder.3"); without rounds the first.
            output: which output, where there are several.
            index: leading indices of the part to show; for "value" the whole index.
            what: "slice", "channels" or "value".
            limit: the longest side of a picture.

        Raises:
            RunError, PictureError: there is no such thing.
        """
        tensor = self.capture(address, output)
        assert self.plan is not None
        axes = [str(size) for size in self._signal(self.plan, address, output).shape]
        if what == "value":
            return {**value(tensor, index or []), "node": address, "axes": axes}
        if what not in ("slice", "channels"):
            raise RunError(f"A tensor is shown as slice, channels or value, not as {what!r}.")
        make = channel_picture if what == "channels" else slice_picture
        data = make(tensor, index, max(16, min(limit, 4096)))
        return {**data, "node": address, "axes": axes, "statistics": measure(tensor, exact=tensor.numel() <= 2**24)}

    def capture(self, address: str, output: str | None = None) -> Tensor:
        """The tensor at an address, from running the last inputs again as far as there."""
        inputs = self.inputs
        if inputs is None or self._model is None:
            raise RunError("Nothing has run yet.")
        plan, model = self._ready(inputs)
        if address in inputs.named:
            return inputs.named[address]
        found = (address, output)
        if found not in self._captured:
            target = self._place(plan, address)
            seen: list[Tensor] = []

            def after(place: Place | GroupPlace, result: Any) -> None:
                if place.address == target.address:
                    for name, tensor in results(place, result):
                        if output is None or name in (place.address, f"{place.address}:{output}"):
                            seen.append(tensor.detach().clone())
                            raise Enough

            try:
                with torch.no_grad(), watch(model, all_places(plan), after=after):
                    model(*self.tensors(inputs))
            except Enough:
                pass
            if not seen:
                raise RunError(f"{address} has no output called {output}.")
            self._captured[found] = seen[0]
            while len(self._captured) > 1 and sum(t.nbytes for t in self._captured.values()) > MOST_CAPTURED:
                self._captured.popitem(last=False)
        self._captured.move_to_end(found)
        return self._captured[found]

    def attention(self, node: str, **options: Any) -> dict[str, Any]:
        """What the heads of an attention block look at; see `graph.attending.Attending.maps`."""
        return self.attending.maps(node, **options)

    def take(self, inputs: Inputs) -> None:
        """Make these the inputs that `inspect` and `attention` look at."""
        same = self.inputs is not None and self._same(self.inputs, inputs)
        if not same:
            self._keep(inputs)

    def settle(self) -> None:
        """Take away what an interrupted run may have left on the model."""
        for module in self._model.modules() if self._model is not None else ():
            for hooks in (module._forward_hooks, module._forward_pre_hooks, module._forward_pre_hooks_with_kwargs):
                hooks.clear()

    def _same(self, old: Inputs, new: Inputs) -> bool:
        return old.named.keys() == new.named.keys() and all(
            old.named[name].shape == new.named[name].shape and torch.equal(old.named[name], new.named[name])
            for name in old.named
        )

    def _keep(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._captured.clear()
        self.attending.clear()

    def _drop_model(self) -> None:
        self._model = None
        self.plan = None
        self._captured.clear()
        self.attending.clear()

    def _ready(self, inputs: Inputs) -> tuple[Plan, fx.GraphModule]:
        if self._model is None or self.plan is None:
            raise RunError("Nothing has been prepared yet.")
        fault = self.plan.sizes_fault(inputs.sizes)
        if fault:
            raise RunError(fault[:1].upper() + fault[1:])
        return self.plan, self._model

    def _load(self, path: Path, *, strict: bool) -> None:
        """Read weights unless this very file was read before and has been carried through all edits since."""
        try:
            state = path.stat()
            stamp = (str(path.resolve()), state.st_mtime_ns, state.st_size)
        except OSError:
            stamp = None
        if not strict and stamp is not None and stamp == self._loaded and self._keeper.holds_given():
            return
        try:
            self.notes = load_weights(self.model, path, strict=strict)
        except WeightsError:
            raise
        except BaseException:  # interrupted half-way: neither the seed's weights nor the file's
            self._keeper.forget()
            self._drop_model()
            raise
        self._keeper.mark_given()
        self._loaded = stamp
        self._digest = file_hash(path)
        self._captured.clear()
        self.attending.clear()

    def _signal(self, plan: Plan, address: str, output: str | None) -> Signal:
        """What is drawn on the wire of a value that `capture` found."""
        for entry in plan.entries:
            if entry.id == address:
                return entry.signal
        place = self._place(plan, address)
        outputs = place.step.outputs if isinstance(place, Place) else place.outputs
        return dict(outputs).get(output or "", outputs[0][1])

    @staticmethod
    def _place(plan: Plan, address: str) -> Place | GroupPlace:
        everything = all_places(plan)
        exact = [place for place in everything if place.address == address]
        if exact:
            return exact[0]
        loose = [place for place in everything if place.plain == address]
        if not loose:
            raise RunError(f"There is no {address} in what runs: it may not reach an output.")
        return loose[-1] if isinstance(loose[0], GroupPlace) else loose[0]
