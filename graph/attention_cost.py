"""What attention costs in memory: the score matrix, what a fused kernel keeps in its place, and what both move.

Memory traffic is counted in numbers that pass between the device's memory and the fast memory of one of its
processors (SRAM), for each head of each sample, as the two algorithms read and write them:

- *standard*, algorithm 0 of Dao et al. 2022 (FlashAttention, arXiv 2205.14135): S = q kᵀ reads q and k and writes S;
  P = softmax(S) reads S and writes P; y = P v reads P and v and writes y. With N queries and keys of d features each,
  3 N d + 2 N² are read and N d + 2 N² written: Θ(N d + N²).
- *fused*, queries in the outer loop, as FlashAttention-2 has them (Dao 2023, arXiv 2307.08691): with
  B = ⌊M / (4 d)⌋ rows of q, k, v and y in a fast memory of M numbers, T = ⌈N / B⌉ blocks of queries are each read
  once, for each of them all of k and v is read, and its rows of y are written once. N d + 2 T N d are read and N d
  written: Θ(N² d² / M).

As in the operations, attention is counted in full, hidden keys too, and heads that share keys read them each. What a
mask or a bias adds is left out: both kernels read it alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from blocks.dimensions import evaluate
from blocks.spec import Block
from graph.counting import cached_at, can_decode
from graph.parameters import attending_parts, on_meta
from graph.places import Place, places
from graph.plan import Plan

SRAM = 100_000
"""Numbers in fast memory unless told otherwise; 192 KiB of an A100 hold 98,304 of 16 bits."""
CHIPS = {"V100": 128 << 10, "A100": 192 << 10, "H100": 256 << 10}
"""Bytes of fast memory (L1 cache and shared memory) of one multiprocessor, as NVIDIA's papers on the chips give it."""
STATISTIC = 4
"""Bytes of the one number per row that a fused kernel keeps (log-sum-exp), whatever the type of the rest."""


class SramError(ValueError):
    """A fast memory that holds no block; one sentence."""


@dataclass(frozen=True)
class Attention:
    """The sizes of one attention: `heads` that look from `queries` at `keys`, in each of `batch` samples.

    Queries and keys have `head_dim` features, values and results `value_dim`.
    """

    batch: int
    heads: int
    queries: int
    keys: int
    head_dim: int
    value_dim: int

    @property
    def maps(self) -> int:
        """How many score matrices there are: one for each head of each sample."""
        return self.batch * self.heads

    @property
    def scores(self) -> int:
        """Numbers in all score matrices."""
        return self.maps * self.queries * self.keys

    @property
    def statistics(self) -> int:
        """What a fused kernel keeps in their place: one number for each row."""
        return self.maps * self.queries


@dataclass(frozen=True)
class Traffic:
    """Numbers that are read from memory and written to it."""

    reads: int
    writes: int

    @property
    def total(self) -> int:
        """Both."""
        return self.reads + self.writes


@dataclass(frozen=True)
class Blocks:
    """How a fused kernel cuts its work: `rows` at a time, `queries` × `keys` blocks."""

    rows: int
    queries: int
    keys: int

    @property
    def pairs(self) -> int:
        """How often a block of queries meets a block of keys."""
        return self.queries * self.keys


def blocks_of(size: Attention, sram: int = SRAM) -> Blocks:
    """The blocks of one head: as many rows as fit, with those of q, k, v and y; ⌊M / (4 d)⌋ where d is one number.

    Raises:
        SramError: not even one row fits.
    """
    row = 2 * (size.head_dim + size.value_dim)
    rows = sram // row
    if rows < 1:
        raise SramError(f"A fast memory of {sram:,} numbers holds no row of q, k, v and y: {row:,} are needed.")
    return Blocks(rows, -(-size.queries // rows), -(-size.keys // rows))


def standard_traffic(size: Attention) -> Traffic:
    """What three kernels move that make the score matrix, its softmax, and the result."""
    n, m = size.queries, size.keys
    reads = (n + m) * size.head_dim + m * size.value_dim + 2 * n * m
    writes = n * size.value_dim + 2 * n * m
    return Traffic(size.maps * reads, size.maps * writes)


def fused_traffic(size: Attention, sram: int = SRAM) -> Traffic:
    """What one kernel moves that keeps blocks of scores in fast memory.

    Raises:
        SramError: not even one row fits.
    """
    rounds = blocks_of(size, sram).queries
    reads = size.queries * size.head_dim + rounds * size.keys * (size.head_dim + size.value_dim)
    return Traffic(size.maps * reads, size.maps * size.queries * size.value_dim)


def attention_costs(
    plan: Plan, sizes: Mapping[str, int], dtype: torch.dtype = torch.float32, sram: int = SRAM
) -> dict[str, Any]:
    """The cost of every attention of a plan, and of all together, as plain data.

    `nodes` has an entry for each node of the drawing that attends, and one more for each further attention in it:
    address, title, block, `part` (the module inside, "" where the node itself attends), `rounds` (how often it is
    called), the sizes, and for one call `scores` (what the score matrix would take), `statistics` (what the fused
    kernel keeps), `standard` and `fused` (traffic), `blocks`, and `kv_cache` (of the node, at its first part). `total`
    sums them over all calls. Everything is in numbers ("elements") and bytes.

    Args:
        plan: after the passes.
        sizes: every axis.
        dtype: of weights and real inputs.
        sram: numbers that fit into fast memory.

    Raises:
        SramError: not even one row of an attention fits.
    """
    every = places(plan)
    decodes = can_decode(every)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for place in every:
        parts = attending_parts(place.step.block, place.step.params)
        if not parts:
            continue
        cached = cached_at(place, sizes) if decodes else 0
        for index, (part, size) in enumerate(_attentions(place, sizes)):
            kept = cached if index == 0 else 0
            key = (place.plain, part, size, kept)
            if key not in found:
                found[key] = _entry(place, part, size, kept, dtype, sram)
            found[key]["rounds"] += 1
    nodes = list(found.values())
    total = {
        what: {unit: sum(node["rounds"] * node[what][unit] for node in nodes) for unit in units}
        for what, units in _UNITS.items()
    }
    return {"sram": sram, "calls": sum(node["rounds"] for node in nodes), "nodes": nodes, "total": total}


_HELD, _MOVED = ("elements", "bytes"), ("reads", "writes", "elements", "bytes")
_UNITS = {"scores": _HELD, "statistics": _HELD, "kv_cache": _HELD, "standard": _MOVED, "fused": _MOVED}


def _entry(place: Place, part: str, size: Attention, cached: int, dtype: torch.dtype, sram: int) -> dict[str, Any]:
    width = dtype.itemsize

    def held(elements: int, each: int = width) -> dict[str, int]:
        return {"elements": elements, "bytes": elements * each}

    def moved(traffic: Traffic) -> dict[str, int]:
        total = traffic.total
        return {"reads": traffic.reads, "writes": traffic.writes, "elements": total, "bytes": total * width}

    cut = blocks_of(size, sram)
    return {
        "address": place.plain,
        "title": place.step.title,
        "block": place.step.block.__name__,
        "part": part,
        "rounds": 0,
        "batch": size.batch,
        "heads": size.heads,
        "query": size.queries,
        "key": size.keys,
        "head_dim": size.head_dim,
        "value_dim": size.value_dim,
        "scores": held(size.scores),
        "statistics": held(size.statistics, max(width, STATISTIC)),
        "standard": moved(standard_traffic(size)),
        "fused": moved(fused_traffic(size, sram)),
        "blocks": {"rows": cut.rows, "query": cut.queries, "key": cut.keys, "pairs": cut.pairs},
        "kv_cache": held(cached),
    }


def _attentions(place: Place, sizes: Mapping[str, int]) -> tuple[tuple[str, Attention], ...]:
    """What attends in a call, in the order in which it runs."""
    incoming = tuple(
        (port, tuple(evaluate(size, sizes) for size in signal.shape), signal.dtype)
        for port, signal in place.incoming.items()
    )
    return _measured(place.step.block, tuple(sorted(place.step.params.items())), incoming)


@lru_cache(1024)
def _measured(
    block: type[Block],
    params: tuple[tuple[str, Any], ...],
    incoming: tuple[tuple[str, tuple[int, ...], str], ...],
) -> tuple[tuple[str, Attention], ...]:
    """Run a block without numbers and look at what each attention in it multiplies."""
    module = on_meta(block, dict(params)).eval()
    found: list[tuple[str, Attention]] = []

    def watch(name: str, part: nn.Module) -> None:
        def look(_part: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            q, k, v, *_ = part.scores(*args, **kwargs)  # type: ignore[operator]
            batch, heads, queries, head_dim = q.shape
            found.append((name, Attention(batch, heads, queries, k.shape[-2], head_dim, v.shape[-1])))

        part.register_forward_pre_hook(look, with_kwargs=True)

    for name in attending_parts(block, dict(params)):
        watch(name, module.get_submodule(name))
    kinds = {"integer": torch.int64, "bool": torch.bool}
    with torch.no_grad(), torch.device("meta"):
        inputs: dict[str, Tensor] = {
            port: torch.empty(shape, dtype=kinds.get(dtype)) for port, shape, dtype in incoming
        }
        module(**inputs)
    return tuple(found)
