"""A mixture of experts: its time grows with the experts that a token goes to, not with those it could go to."""

from __future__ import annotations

from typing import Any

import torch

from benchmarks._timing import side_by_side
from blocks.mixture.mixture_of_experts import MixtureOfExperts
from blocks.transformer.swiglu import SwiGLU

DIM, HIDDEN, TOKENS = 256, 512, 4096
FEW, MANY = 8, 64


def run() -> list[dict[str, Any]]:
    """Ratios of times that were taken in turns, forward and backward."""
    rows: list[dict[str, Any]] = []
    for training in (False, True):
        name = "step" if training else "forward"
        few, many = side_by_side(_call(FEW, 2, training), _call(MANY, 2, training), rounds=7)
        rows.append(_row(f"{name}: {MANY} experts against {FEW}, both with 2 a token", many / few, 1.5))
        one, four = side_by_side(_call(MANY, 1, training), _call(MANY, 4, training), rounds=7)
        rows.append(_row(f"{name}: 4 experts a token against 1, of {MANY}", four / one, 4.5))
        dense, sparse = side_by_side(_dense(training), _call(MANY, 2, training), rounds=7)
        rows.append(_row(f"{name}: 2 of {MANY} experts against one dense block twice as wide", sparse / dense, 1.6))
    return rows


def _row(what: str, ratio: float, goal: float) -> dict[str, Any]:
    return {"what": what, "value": ratio, "unit": "×", "goal": goal}


def _call(experts: int, top_k: int, training: bool) -> Any:
    torch.manual_seed(0)
    return _pass(MixtureOfExperts(dim=DIM, hidden=HIDDEN, num_experts=experts, top_k=top_k), training)


def _dense(training: bool) -> Any:
    torch.manual_seed(0)
    return _pass(SwiGLU(dim=DIM, hidden=2 * HIDDEN), training)


def _pass(module: torch.nn.Module, training: bool) -> Any:
    x = torch.randn(TOKENS, DIM)

    def forward() -> None:
        with torch.no_grad():
            module(x)

    def step() -> None:
        module.zero_grad()
        result = module(x)
        (result[0] if isinstance(result, tuple) else result).sum().backward()

    return step if training else forward
