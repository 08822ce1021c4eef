"""Times that mean something on a machine that does other things too."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any


def best(function: Callable[[], Any], *, before: Callable[[], Any] | None = None, rounds: int = 15) -> float:
    """The shortest of several times, in milliseconds; `before` is not timed."""
    shortest = float("inf")
    for _ in range(rounds):
        if before is not None:
            before()
        gc.collect()
        gc.disable()
        begun = time.perf_counter()
        function()
        shortest = min(shortest, time.perf_counter() - begun)
        gc.enable()
    return shortest * 1e3


def side_by_side(left: Callable[[], Any], right: Callable[[], Any], *, rounds: int = 15) -> tuple[float, float]:
    """The shortest times of two functions in milliseconds, taken in turns so that both meet the same machine."""
    shortest = [float("inf"), float("inf")]
    pair = (left, right)
    for function in pair:
        function()
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            begun = time.perf_counter()
            pair[which]()
            shortest[which] = min(shortest[which], time.perf_counter() - begun)
    return shortest[0] * 1e3, shortest[1] * 1e3
