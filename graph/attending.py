"""Attention maps of the blocks of a model, from the inputs of the last run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from blocks.dimensions import Dimension
from blocks.functional import Scores
from graph.axis_labels import axis_labels, with_sink
from graph.places import GroupPlace, Place, attentions, places
from graph.plan import Plan
from graph.probes.attention_maps import attention_maps, self_check
from graph.probes.kernels import KernelProbe
from graph.probes.pictures import tile
from graph.probes.taps import Enough, watch
from graph.room import RunError

if TYPE_CHECKING:
    from graph.running import Workbench

MOST_NUMBERS = 1 << 28
SHOWN = 8


class Attending:
    """Remembers what attention blocks received, so that turning from head to head computes one map only."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._received: dict[str, list[tuple[Place, tuple[Any, ...], Mapping[str, Any]]]] = {}
        self._checks: dict[str, tuple[float, str]] = {}

    def clear(self) -> None:
        """Forget what was received; the inputs or the model are others now."""
        self._received.clear()
        self._checks.clear()

    def maps(
        self,
        node: str,
        *,
        layer: int | None = None,
        head: int | None = None,
        batch: int = 0,
        size: int | None = 512,
        atlas: bool = False,
        thumbnail: int = 96,
        reduce: Literal["max", "mean"] = "max",
    ) -> dict[str, Any]:
        """What heads look at.

        Args:
            node: "decoder/attn" for all rounds, "decoder.3/attn" for one; so at each group that is repeated.
            layer: which of the rounds, counted through all that the node names.
            head: one head; all of them where None.
            batch: the sample.
            size: the longest side of a map, None for every query and key.
            atlas: one picture of all maps, each `thumbnail` high at most and as bright as its own largest weight.
            thumbnail: the longest side of a map in the atlas.
            reduce: what a block of a shrunken map shows, its largest weight or its mean.

        Raises:
            RunError: there is no such node, layer, head or sample.
        """
        calls = self._calls(node, layer)
        rows: list[torch.Tensor] = []
        figures: dict[str, list[np.ndarray]] = {name: [] for name in ("entropy", "first", "previous", "distance")}
        worst, kernels = 0.0, set[str]()
        heads: list[int] = []
        queries = keys = 0
        block = (1, 1)
        with torch.no_grad():
            for place, args, kwargs in calls:
                scores = self._scores(place, args, kwargs)
                heads = self._heads(scores, head, batch)
                queries, keys = scores.q.shape[2], scores.k.shape[2]
                self._room(len(calls) * len(heads), queries, keys, thumbnail if atlas else size)
                made = attention_maps(
                    scores,
                    batch=batch,
                    heads=heads,
                    size=thumbnail if atlas else size,
                    reduce=reduce,
                    itself=queries == keys and _query_axis(place) == _key_axis(place),
                )
                rows.append(made.maps.cpu())
                block = made.block
                for name, numbers in figures.items():
                    numbers.append(getattr(made, name).float().cpu().numpy())
                check, kernel = self._check(place, scores)
                worst = max(worst, check)
                kernels.add(kernel)
        maps = torch.stack(rows).numpy()
        plan = self._bench.plan
        inputs = self._bench.inputs
        assert plan is not None and inputs is not None
        place = calls[0][0]
        data: dict[str, Any] = {
            **_sheet(maps, atlas),
            "layers": [_round_of(call[0]) for call in calls],
            "heads": heads,
            "addresses": [call[0].address for call in calls],
            "title": place.step.title,
            "query": queries,
            "key": keys,
            "block": list(block),
            "labels": axis_labels(plan, inputs, _query_axis(place)),
            "key_labels": with_sink(axis_labels(plan, inputs, _key_axis(place)), keys),
            "self_check": worst,
            "kernel": " + ".join(sorted(kernels)),
            "sizes": dict(inputs.sizes),
        }
        return data | {name: np.stack(numbers) for name, numbers in figures.items()}

    def _calls(self, node: str, layer: int | None) -> list[tuple[Place, tuple[Any, ...], Mapping[str, Any]]]:
        plan = self._bench.plan
        if plan is None or self._bench.inputs is None:
            raise RunError("Nothing has run yet.")
        every = places(plan)
        attending = [look for place in every for look in attentions(place)]
        wanted = [look for look in attending if _is_called(look, node)]
        if not wanted:
            called = next((place for place in every if _is_called(place, node)), None)
            if called is None:
                raise RunError(f"There is no {node} in what runs: {_attention_of(attending)}.")
            inside = attentions(called)
            if inside:
                raise RunError(f"{called.step.title} ({node}) attends more than once: {_attention_of(inside)}.")
            raise RunError(f"{called.step.title} ({node}) is no attention block: {_attention_of(attending)}.")
        if layer is not None and len(wanted) == 1:
            if layer != _round_of(wanted[0]):
                raise RunError(f"There is no layer {layer}: {node} runs once, as layer {_round_of(wanted[0])}.")
        elif layer is not None:
            if not 0 <= layer < len(wanted):
                raise RunError(f"There is no layer {layer}: {node} runs {len(wanted)} times, counted from 0.")
            wanted = [wanted[layer]]
        plain = wanted[0].plain
        if plain not in self._received:
            self._received[plain] = self._receive(plan, plain)
        addresses = {place.address for place in wanted}
        return [call for call in self._received[plain] if call[0].address in addresses]

    def _receive(self, plan: Plan, plain: str) -> list[tuple[Place, tuple[Any, ...], Mapping[str, Any]]]:
        """Run the last inputs again, as far as the last call of a block, and keep what each call received."""
        watched = [look for place in places(plan) for look in attentions(place) if look.plain == plain]
        received: list[tuple[Place, tuple[Any, ...], Mapping[str, Any]]] = []

        def before(place: Place | GroupPlace, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
            assert isinstance(place, Place)
            received.append((place, args, dict(kwargs)))
            if len(received) == len(watched):
                raise Enough

        inputs = self._bench.inputs
        assert inputs is not None
        try:
            with torch.no_grad(), watch(self._bench.model, watched, before):
                self._bench.model(*self._bench.tensors(inputs))
        except Enough:
            pass
        return received

    def _scores(self, place: Place, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Scores:
        scores = self._bench.model.get_submodule(place.module).scores  # type: ignore[union-attr]
        return scores(*args, **kwargs)  # type: ignore[operator]

    def _check(self, place: Place, scores: Scores) -> tuple[float, str]:
        if place.address not in self._checks:
            probe = KernelProbe()
            probe.start()
            try:
                difference = self_check(scores)
            finally:
                kernel = probe.stop()
            self._checks[place.address] = (difference, kernel)
        return self._checks[place.address]

    @staticmethod
    def _heads(scores: Scores, head: int | None, batch: int) -> list[int]:
        count = scores.q.shape[1]
        if head is not None and not 0 <= head < count:
            raise RunError(f"There is no head {head}: there are {count}, counted from 0.")
        if not 0 <= batch < scores.q.shape[0]:
            raise RunError(f"There is no sample {batch}: the batch has {scores.q.shape[0]}, counted from 0.")
        return list(range(count)) if head is None else [head]

    @staticmethod
    def _room(count: int, queries: int, keys: int, size: int | None) -> None:
        high, wide = (queries, keys) if size is None else (min(queries, size), min(keys, size))
        if count * high * wide > MOST_NUMBERS:
            raise RunError(
                f"{count} maps of {high} × {wide} are more than this shows at once: choose a layer, a head or a size."
            )


def _is_called(place: Place, node: str) -> bool:
    """Whether a node is a call: part by part, with or without its round (outer/inner.3/attn is inner 3 everywhere)."""
    parts = node.split("/")
    names = list(zip(place.address.split("/"), place.plain.split("/"), strict=True))
    return len(parts) == len(names) and all(part in name for part, name in zip(parts, names, strict=True))


def _attention_of(attending: Iterable[Place]) -> str:
    """What could have been meant."""
    found = list(dict.fromkeys(look.plain for look in attending))
    if not found:
        return "nothing in this drawing is attention"
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"attention is in {', '.join(found[:SHOWN])}{more}"


def _sheet(maps: np.ndarray, atlas: bool) -> dict[str, Any]:
    layers, heads, height, width = maps.shape
    highs = maps.reshape(layers, heads, -1).max(-1)
    if not atlas:
        return {"maps": maps, "highs": highs, "tile": [height, width]}
    scaled = maps / np.maximum(highs, 1e-30)[:, :, None, None]
    tiles = np.rint(scaled * 255.0).astype(np.uint8).reshape(layers * heads, height, width)
    return {"maps": tile(tiles, (layers, heads), 0), "highs": highs, "tile": [height, width]}


def _round_of(place: Place) -> int:
    """Which round of the innermost repetition a call belongs to; 0 outside of any."""
    for part in reversed(place.address.split("/")[:-1]):
        _, dot, number = part.rpartition(".")
        if dot:
            return int(number)
    return 0


def _query_axis(place: Place) -> Dimension | None:
    return _axis(place, "x", "q")


def _key_axis(place: Place) -> Dimension | None:
    return _axis(place, "context", "k", "x")


def _axis(place: Place, *ports: str) -> Dimension | None:
    for port in ports:
        signal = place.incoming.get(port)
        if signal is not None and signal.kind == "image":
            return signal.shape[-2] * signal.shape[-1]
        if signal is not None and len(signal.shape) >= 2:
            return signal.shape[-2]
    return None
