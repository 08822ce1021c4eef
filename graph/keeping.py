"""Modules that outlive an edit: the model of the newest plan, made of what the last one had wherever it still fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor, fx, nn

from graph.compile import compile_plan, seeded, tie_parameters
from graph.machine import available_memory
from graph.places import Key, Place, places
from graph.plan import Plan, seed_of

Progress = Callable[[int, int, str], None]


_Slot: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass
class _Kept:
    """A module and what it was built from. `given`: whether its numbers come from elsewhere than its seed."""

    module: nn.Module
    origin: tuple[Any, ...]
    given: bool = False


class Keeper:
    """Builds models and keeps their modules by the uids of their nodes.

    Weights that come from the seed are not kept as such: they are a function of the drawing, so a node whose
    declaration changed is begun anew and another session finds the same numbers. Weights that were loaded or trained
    stay with their node, tensor by tensor where the shape is as it was, also while the node is deleted or changed,
    since undo can bring it back.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype) -> None:
        self.device = device
        self.dtype = dtype
        self._modules: dict[Key, _Kept] = {}
        self._left: dict[Key, dict[_Slot, Tensor]] = {}

    def bytes_held(self) -> int:
        """What the present modules take."""
        tensors = {id(t): t for kept in self._modules.values() for t in kept.module.parameters()}
        return sum(tensor.nbytes for tensor in tensors.values())

    def build(self, plan: Plan, progress: Progress | None = None) -> fx.GraphModule:
        """The model of a plan in eval mode; equal to `compile_plan` where nothing was loaded."""
        with torch.device("meta"):
            model = compile_plan(plan, allocate=False)
        todo = {place.module: place for place in places(plan)}
        wanted = {place.key: _origin(place, plan) for place in todo.values()}
        before, self._modules = self._modules, {}
        for key, kept in before.items():
            if wanted.get(key) == kept.origin:
                self._modules[key] = kept
            elif kept.given:
                self._leave(key, kept.module)
        del before  # what is not used again is freed before anything new is made
        for done, (path, place) in enumerate(todo.items()):
            if progress:
                progress(done, len(todo), f"Building {place.address}")
            kept = self._modules.get(place.key)
            if kept is None:
                kept = self._modules[place.key] = self._fresh(place, plan)
                self._taken(place.key, kept.module)
            owner, _, name = path.rpartition(".")
            setattr(model.get_submodule(owner), name, kept.module)
        tie_parameters(model, plan.ties)
        self._trim()
        return model.eval()

    def mark_given(self) -> None:
        """Note that the present numbers were loaded or trained, so that they must not be begun anew."""
        for kept in self._modules.values():
            kept.given = True

    def holds_given(self) -> bool:
        """Whether any of the present numbers were loaded or trained."""
        return any(kept.given for kept in self._modules.values())

    def forget(self) -> None:
        """Drop everything."""
        self._modules.clear()
        self._left.clear()

    def _fresh(self, place: Place, plan: Plan) -> _Kept:
        step = place.step
        with seeded(seed_of(plan.seed, step.uids, place.key[1])):
            module = step.block(**step.params)
        module = module.to(device=self.device, dtype=self.dtype).eval()
        left = self._left.get(place.key, {})
        given = False
        with torch.no_grad():
            for slot, tensor in _slots(module):
                if slot in left:
                    tensor.copy_(left[slot])
                    given = True
        return _Kept(module, _origin(place, plan), given)

    def _leave(self, key: Key, module: nn.Module) -> None:
        """Keep the tensors of a module that is not used any more, beside those of other shapes it had before."""
        left = self._left.pop(key, {})
        left.update((slot, tensor.detach().cpu()) for slot, tensor in _slots(module))
        self._left[key] = left

    def _taken(self, key: Key, module: nn.Module) -> None:
        """Forget what lives on in a module."""
        left = self._left.get(key, {})
        for slot, _ in _slots(module) if left else ():
            left.pop(slot, None)

    def _trim(self) -> None:
        """Keep what was left within a quarter of the free memory, the newest first."""
        room = (available_memory() or 2**32) // 4
        for key in reversed(list(self._left)):
            room -= sum(tensor.nbytes for tensor in self._left[key].values())
            if room < 0:
                del self._left[key]


def _slots(module: nn.Module) -> Iterator[tuple[_Slot, Tensor]]:
    for name, tensor in module.state_dict(keep_vars=True).items():
        yield (name, tuple(tensor.shape)), tensor


def _origin(place: Place, plan: Plan) -> tuple[Any, ...]:
    """All that the start of a module depends on, and which of its tensors are another's."""
    own = f"{place.module}."
    ties = tuple(sorted((name, to) for name, to in plan.ties.items() if name.startswith(own)))
    params: Mapping[str, Any] = place.step.params
    return (place.step.block, tuple(sorted(params.items())), plan.seed, ties)
