"""One run under observation: what passes through each block, how long it takes, which kernel, how much memory."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor, nn

from graph.places import GroupPlace, Place, all_places, attentions
from graph.probes.activations import measure
from graph.probes.kernels import KernelProbe, joint
from graph.probes.memory import Peak
from graph.probes.taps import results, watch
from graph.probes.timing import Stopwatch, by_node
from graph.room import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.plan import Plan


class Progress(Protocol):
    """Is told how far something is: steps done, steps in all, words, and the address of the call that begins."""

    def __call__(self, done: int, total: int, text: str, place: str = "", /) -> None:
        """Hear of it."""
        ...


class Observation:
    """Runs a model once and keeps what there was to see.

    Args:
        plan: of which the model is.
        model: to be run.
        device: where it lies.
        histograms: whether to count values and magnitudes too.
        progress: told of every block before it runs.
    """

    def __init__(
        self, plan: Plan, model: nn.Module, device: torch.device, histograms: bool, progress: Progress | None
    ) -> None:
        self._plan = plan
        self._model = model
        self._device = device
        self._histograms = histograms
        self._progress = progress
        self._called = all_places(plan)
        self._steps = sum(isinstance(place, Place) for place in self._called)
        self._done = 0
        self._running: tuple[Place, tuple[Any, ...]] | None = None
        self._clock = Stopwatch(device)
        self._probe = KernelProbe()
        self._kernel_of: dict[Any, str] = {}
        self._holders = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
        self._peak = Peak(device, sum(tensor.nbytes for tensor in self._holders.values()))
        self.activations: dict[str, dict[str, Any]] = {}
        self.kernels: dict[str, str] = {}
        self.timings: dict[str, float] = {}
        """Path of a node → milliseconds, all rounds together."""
        self.seconds = 0.0

    def run(self, feed: Sequence[Tensor]) -> Any:
        """The model's output; everything else is kept.

        Raises:
            RunError: a block has no entry for a whole number that it receives.
        """
        for entry, tensor in zip(self._plan.entries, feed, strict=True):
            data = measure(tensor, histogram=self._histograms)
            self.activations[entry.id] = {"title": entry.title, "block": entry.block, **data}
        begun = time.perf_counter()
        try:
            with torch.no_grad(), watch(self._model, self._called, self._before, self._after), ExitStack() as modes:
                if self._peak.mode is not None:
                    self._peak.mode.ignore(self._holders.values())
                    self._peak.mode.hold(feed)
                    modes.enter_context(self._peak.mode)
                output = self._model(*feed)
        except IndexError as error:
            if self._running is None:
                raise
            raise RunError(_no_entry(*self._running)) from error
        finally:
            self._probe.stop()
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        self.seconds = time.perf_counter() - begun - self._clock.probes
        taken = self._clock.milliseconds()
        self.timings = by_node(taken, [place.address for place in self._called if isinstance(place, Place)])
        for address, data in self.activations.items():
            milliseconds = taken.get(address.partition(":")[0])
            if milliseconds is not None:
                data["milliseconds"] = milliseconds
        return output

    @property
    def attention_kernel(self) -> str:
        """The kernels that attention took: "flash", "math", "none" ..."""
        return joint(self.kernels.values())

    @property
    def memory(self) -> Mapping[str, int]:
        """Measured bytes: peak, parameters, activations."""
        return self._peak.read()

    @contextmanager
    def _aside(self) -> Iterator[None]:
        with self._clock.paused(), self._peak.paused():
            yield

    def _before(self, place: Place | GroupPlace, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if isinstance(place, Place):
            self._running = place, (*args, *kwargs.values())
            with self._aside():
                if self._progress:
                    self._progress(self._done, self._steps, f"{place.step.title} ({place.address})", place.address)
                if attentions(place) and _alike(place) not in self._kernel_of:
                    self._probe.start()
        self._clock.start(place.address)

    def _after(self, place: Place | GroupPlace, output: Any) -> None:
        self._clock.stop(place.address)
        with self._aside():
            if isinstance(place, Place):
                self._running = None
                self._done += 1
                attending = attentions(place)
                if attending:
                    # Calls that are alike take one kernel: the profiler need not see each.
                    if _alike(place) not in self._kernel_of:
                        self._kernel_of[_alike(place)] = self._probe.stop()
                    self.kernels |= {look.address: self._kernel_of[_alike(place)] for look in attending}
            name = "Group" if isinstance(place, GroupPlace) else place.step.block.__name__
            for address, tensor in results(place, output):
                data = measure(tensor, histogram=self._histograms)
                self.activations[address] = {"title": place.step.title, "block": name, **data}


def _no_entry(place: Place, given: tuple[Any, ...]) -> str:
    """What to say when a block looks up a number that it has nothing for."""
    whole = [
        x for x in given if isinstance(x, Tensor) and x.numel() and not x.is_floating_point() and x.dtype != torch.bool
    ]
    seen = " and ".join(f"from {int(x.min())} to {int(x.max())}" for x in whole)
    numbers = f"whole numbers {seen}" if seen else "a number"
    return (
        f"{place.step.title} ({place.address}) receives {numbers}, not all of which it can look up: "
        "its size and that of the input must agree."
    )


def _alike(place: Place) -> Any:
    return (place.plain, place.step.block, tuple(sorted(place.step.params.items())))
