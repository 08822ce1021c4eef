"""What is known of a value before the code runs: the few values it can have, or at least that it is not None."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeAlias

Atom: TypeAlias = tuple[str, str, Any]
Fact: TypeAlias = frozenset[Atom]
"""All that a value can be; each atom is one exact value or a kind of values."""

NONZERO: Atom = ("kind", "nonzero", None)
ZERO: Atom = ("kind", "zero", None)
OBJECT: Atom = ("kind", "object", None)
ANYTHING: Atom = ("kind", "anything", None)
ANY: Fact = frozenset((ANYTHING,))
SOME: Fact = frozenset((OBJECT,))
"""A tensor, a module, a tuple: whatever is not None."""


def exactly(value: Any) -> Atom:
    """The atom of one value; its type is told apart, since True equals 1."""
    return ("is", type(value).__name__, value)


def atom(value: Any, *, exact: bool) -> Atom:
    """The atom of a plain value; unless exact, of a number only whether it is zero, so that sizes may change."""
    if value is None or isinstance(value, bool | str) or (exact and isinstance(value, int | float)):
        return exactly(value)
    if isinstance(value, int | float):
        return NONZERO if value else ZERO
    return OBJECT


def made(target: Any) -> Atom:
    """The atom of an instance of one of our own classes."""
    return ("made", "", target)


def classes(known: Fact) -> list[Any]:
    """The classes of ours that it is an instance of, where it is that or None; else nothing."""
    found = [value for kind, _, value in known if kind == "made"]
    others = [one for one in known if one[0] != "made" and one != exactly(None)]
    return [] if others else found


def fact(values: Iterable[Any], *, exact: bool = False) -> Fact:
    """What is known of something that has had these values."""
    return frozenset(atom(value, exact=exact) for value in values)


def single(known: Fact) -> ast.Constant | None:
    """The one value it has, as code; None when there are several or it is not known exactly."""
    if len(known) == 1:
        (kind, _, value) = next(iter(known))
        if kind == "is":
            return ast.Constant(value)
    return None


def truth(known: Fact) -> bool | None:
    """Whether it counts as true, where that is certain."""
    return _agree(_truth(one) for one in known)


def is_none(known: Fact) -> bool | None:
    """Whether it is None, where that is certain."""
    return _agree(None if one == ANYTHING else one == exactly(None) for one in known)


def equals(known: Fact, value: Any) -> bool | None:
    """Whether it equals a value, where that is certain."""
    return _agree(one[2] == value if one[0] == "is" else None for one in known)


def _truth(one: Atom) -> bool | None:
    if one[0] == "is":
        return bool(one[2])
    return {NONZERO: True, ZERO: False}.get(one)


def _agree(answers: Iterable[bool | None]) -> bool | None:
    given = set(answers)
    return given.pop() if len(given) == 1 else None
