"""Rewrites of a plan that keep its outputs, one a file; each says what it did and why it left the rest."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from graph.plan import Plan


@dataclass(frozen=True)
class Note:
    """What a pass did, or why it left a step as it was."""

    step: str
    text: str
    applied: bool


Pass = Callable[[Plan], tuple[Plan, tuple[Note, ...]]]


def run_passes(plan: Plan) -> tuple[Plan, dict[str, tuple[Note, ...]]]:
    """The plan after all passes, in the order of their names, and the notes of each."""
    notes: dict[str, tuple[Note, ...]] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        apply: Pass = importlib.import_module(f"{__name__}.{info.name}").apply
        plan, notes[info.name] = apply(plan)
    return plan, notes
