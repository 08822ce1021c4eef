"""All calls, references and strategies: one file beside this one for each folder of the catalogue.

Such a file holds CALLS, a list of calls at odd sizes; REFERENCES, block → what it computes from its parameters, its
state and its inputs, in float64 numpy and without the kernel it calls; and STRATEGIES, block → parameters and shapes
drawn at random, with odd ones among them that must be refused.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import cases
from cases.call import Call

SHARED = ("call", "table", "numbers", "drawing")


@cache
def _files() -> list[ModuleType]:
    return [
        importlib.import_module(f"cases.{info.name}")
        for info in pkgutil.iter_modules(cases.__path__)
        if info.name not in SHARED
    ]


@cache
def all_calls() -> list[Call]:
    """Every call of every block."""
    return [call for file in _files() for call in file.CALLS]


@cache
def references() -> dict[str, Callable[..., Any]]:
    """Block → its definition."""
    return _merged("REFERENCES")


@cache
def strategies() -> dict[str, Any]:
    """Block → parameters and shapes at random."""
    return _merged("STRATEGIES")


def _merged(name: str) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for file in _files():
        table = getattr(file, name)
        assert not merged.keys() & table.keys(), f"{file.__name__} repeats {merged.keys() & table.keys()}"
        merged |= table
    return merged
