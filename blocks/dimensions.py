"""Symbolic sizes: integers, names, sums, products and floor division by an integer.

A size is either a plain `int` or a `Dim`: an integer polynomial whose atoms are axis names ("batch", "height")
and floor terms (⌊size / n⌋). Arithmetic normalises as it goes, so two sizes that are equal for every value of
their names are usually the same object; `divisor_making_equal` answers for which multiples of a name the others are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias, Union

Atom: TypeAlias = Union[str, "Floor"]
Monomial: TypeAlias = tuple[Atom, ...]
Dimension: TypeAlias = Union[int, "Dim"]

_CACHE = 1 << 16


class Floor:
    """The atom ⌊inner / divisor⌋."""

    __slots__ = ("inner", "divisor", "_hash")

    def __init__(self, inner: Dim, divisor: int) -> None:
        self.inner = inner
        self.divisor = divisor
        self._hash = hash((inner, divisor))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Floor) and self.divisor == other.divisor and self.inner == other.inner

    def __repr__(self) -> str:
        return f"Floor({self.inner!r}, {self.divisor})"


class Dim:
    """A size that depends on at least one name, as a frozen polynomial with integer coefficients."""

    __slots__ = ("terms", "_hash")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Dim) and self._hash == other._hash and self.terms == other.terms)

    def __add__(self, other: Dimension) -> Dimension:
        return _add(self, other)

    __radd__ = __add__

    def __sub__(self, other: Dimension) -> Dimension:
        return _add(self, _multiply(-1, other))

    def __rsub__(self, other: Dimension) -> Dimension:
        return _add(_multiply(-1, self), other)

    def __neg__(self) -> Dimension:
        return _multiply(-1, self)

    def __mul__(self, other: Dimension) -> Dimension:
        return _multiply(self, other)

    __rmul__ = __mul__

    def __floordiv__(self, divisor: int) -> Dimension:
        if not isinstance(divisor, int) or divisor < 1:
            raise ValueError(f"a symbolic size is divided by a positive integer only, not by {divisor!r}")
        return _floor(self, divisor)

    def __str__(self) -> str:
        return _show(self)

    def __repr__(self) -> str:
        return f"Dim({_show(self)})"


def named(name: str) -> Dim:
    """The size called `name`."""
    return _named(name)


def names(size: Dimension) -> frozenset[str]:
    """The axis names that a size depends on."""
    return frozenset() if isinstance(size, int) else _names(size)


def substitute(size: Dimension, values: Mapping[str, Dimension]) -> Dimension:
    """The size with names replaced by other sizes or numbers."""
    if isinstance(size, int):
        return size
    return _substitute(size, tuple(sorted(values.items(), key=_first)))


def evaluate(size: Dimension, values: Mapping[str, int]) -> int:
    """The number a size stands for; KeyError names the first axis without a value."""
    if isinstance(size, int):
        return size
    total = 0
    for monomial, coefficient in size.terms:
        term = coefficient
        for atom in monomial:
            if isinstance(atom, Floor):
                term *= evaluate(atom.inner, values) // atom.divisor
            else:
                term *= values[atom]
        total += term
    return total


def divisor_making_equal(left: Dimension, right: Dimension) -> dict[str, int] | None:
    """For which multiples of a name two sizes agree.

    Returns {} when they always do, {name: divisor} when they do for every multiple of `divisor` (several names when
    one does not suffice), and None when no multiples make them equal. The divisors are the smallest that do.
    """
    if left == right:
        return {}
    difference = _add(left, _multiply(-1, right))
    if isinstance(difference, int):
        return {} if difference == 0 else None
    return _divisor(difference)


def divisor_making_multiple(size: Dimension, divisor: int) -> dict[str, int] | None:
    """For which multiples of a name `size` is divisible by `divisor`; the answers read as above."""
    if isinstance(size, int):
        return {} if size % divisor == 0 else None
    return divisor_making_equal(size, _multiply(divisor, _floor(size, divisor)))


def simplify(size: Dimension, divisors: Mapping[str, int]) -> Dimension:
    """The size, shortened by what is known to divide its names: 2·⌊height/2⌋ is height when height is even."""
    if isinstance(size, int) or not any(isinstance(a, Floor) for m, _ in size.terms for a in m):
        return size
    known = {name: divisors[name] for name in names(size) if divisors.get(name, 1) > 1}
    if not known:
        return size
    return _unshrink(_scaled(size, known), known)


def complexity(size: Dimension) -> int:
    """How long a size reads; the shorter of two equal sizes is the better one to show."""
    if isinstance(size, int):
        return 0
    return sum(
        1 + sum(2 + complexity(atom.inner) if isinstance(atom, Floor) else 1 for atom in monomial)
        for monomial, _ in size.terms
    )


def _first(item: tuple[str, Dimension]) -> str:
    return item[0]


def _order(item: tuple[Monomial, int]) -> tuple[int, str]:
    return (not item[0], repr(item[0]))


def _pack(terms: Mapping[Monomial, int]) -> Dimension:
    kept = [(monomial, value) for monomial, value in terms.items() if value]
    if not kept:
        return 0
    if len(kept) == 1 and not kept[0][0]:
        return kept[0][1]
    if len(kept) > 1:
        kept.sort(key=_order)
    return Dim(tuple(kept))


def _terms(size: Dimension) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(size, int):
        return (((), size),) if size else ()
    return size.terms


@lru_cache(_CACHE)
def _named(name: str) -> Dim:
    return Dim((((name,), 1),))


@lru_cache(_CACHE)
def _add(left: Dimension, right: Dimension) -> Dimension:
    terms = dict(_terms(left))
    for monomial, value in _terms(right):
        terms[monomial] = terms.get(monomial, 0) + value
    return _pack(terms)


@lru_cache(_CACHE)
def _multiply(left: Dimension, right: Dimension) -> Dimension:
    terms: dict[Monomial, int] = {}
    for a, x in _terms(left):
        for b, y in _terms(right):
            monomial = tuple(sorted(a + b, key=repr)) if a and b else a or b
            terms[monomial] = terms.get(monomial, 0) + x * y
    return _pack(terms)


@lru_cache(_CACHE)
def _floor(size: Dimension, divisor: int) -> Dimension:
    if isinstance(size, int):
        return size // divisor
    if divisor == 1:
        return size
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, value in size.terms:  # whole multiples of the divisor leave the floor
        quotient, remainder = divmod(value, divisor)
        if quotient:
            whole[monomial] = quotient
        if remainder:
            rest[monomial] = remainder
    if not any(rest):  # at most an integer below the divisor is left, and it floors to 0
        return _pack(whole)
    common = math.gcd(divisor, *(value for monomial, value in rest.items() if monomial))
    if common > 1:  # ⌊(g·x + c) / (g·m)⌋ = ⌊(x + ⌊c/g⌋) / m⌋
        rest = {monomial: value // common for monomial, value in rest.items()}
        divisor //= common
    inner = _pack(rest)
    if divisor == 1 or isinstance(inner, int):
        return _add(_pack(whole), inner // divisor if isinstance(inner, int) else inner)
    nested = [monomial for monomial in rest if monomial]
    if len(nested) == 1 and len(nested[0]) == 1 and rest[nested[0]] == 1:
        atom = nested[0][0]
        if isinstance(atom, Floor):  # ⌊(⌊x/n⌋ + c) / m⌋ = ⌊(x + c·n) / (n·m)⌋
            shifted = _add(atom.inner, rest.get((), 0) * atom.divisor)
            return _add(_pack(whole), _floor(shifted, atom.divisor * divisor))
    monomial = (Floor(inner, divisor),)
    whole[monomial] = whole.get(monomial, 0) + 1
    return _pack(whole)


@lru_cache(_CACHE)
def _names(size: Dim) -> frozenset[str]:
    found: set[str] = set()
    for monomial, _ in size.terms:
        for atom in monomial:
            found |= _names(atom.inner) if isinstance(atom, Floor) else {atom}
    return frozenset(found)


@lru_cache(_CACHE)
def _substitute(size: Dim, values: tuple[tuple[str, Dimension], ...]) -> Dimension:
    table = dict(values)
    total: Dimension = 0
    for monomial, coefficient in size.terms:
        term: Dimension = coefficient
        for atom in monomial:
            if isinstance(atom, Floor):
                term = _multiply(term, _floor(_substitute(atom.inner, values), atom.divisor))
            else:
                term = _multiply(term, table.get(atom, _named(atom)))
        total = _add(total, term)
    return total


def _floor_product(size: Dim, name: str) -> int:
    """The product of the divisors of all floors that hold the name: the only multiples worth trying divide it."""
    product = 1
    for monomial, _ in size.terms:
        for atom in monomial:
            if isinstance(atom, Floor) and name in _names(atom.inner):
                product = math.lcm(product, atom.divisor * _floor_product(atom.inner, name))
    return product


@lru_cache(_CACHE)
def _divisor(difference: Dim) -> dict[str, int] | None:
    products = {name: _floor_product(difference, name) for name in sorted(_names(difference))}
    for name, product in products.items():
        divisor = _smallest(difference, name, product)
        if divisor is not None:
            return {name: divisor}
    answer = {name: product for name, product in products.items() if product > 1}
    if len(answer) < 2 or _scaled(difference, answer) != 0:
        return None
    for name, product in answer.items():  # together they do: as little of each as the others allow
        others = {other: by for other, by in answer.items() if other != name}
        answer[name] = _smallest(_scaled(difference, others), name, product) or product
    return answer


def _smallest(difference: Dimension, name: str, product: int) -> int | None:
    """The smallest divisor of `product` for whose multiples of the name nothing is left of the difference."""
    for divisor in range(2, min(product, 1 << 16) + 1):
        if product % divisor == 0 and _scaled(difference, {name: divisor}) == 0:
            return divisor
    return None


def _scaled(size: Dimension, factors: Mapping[str, int]) -> Dimension:
    """The size with every name made that many times as large."""
    return substitute(size, {name: _multiply(_named(name), factor) for name, factor in factors.items()})


def _unshrink(size: Dimension, divisors: Mapping[str, int]) -> Dimension:
    """Read every name as its multiple again: with height = 4·h, 2·h is ⌊height / 2⌋."""
    total: Dimension = 0
    for monomial, coefficient in _terms(size):
        factors: list[Dimension] = []
        for atom in monomial:
            if isinstance(atom, Floor):
                factors.append(_floor(_unshrink(atom.inner, divisors), atom.divisor))
                continue
            divisor = divisors.get(atom, 1)
            common = math.gcd(coefficient, divisor)
            coefficient //= common
            factors.append(_floor(_named(atom), divisor // common))
        term: Dimension = coefficient
        for factor in factors:
            term = _multiply(term, factor)
        total = _add(total, term)
    return total


@lru_cache(_CACHE)
def _show(size: Dim) -> str:
    text = ""
    for monomial, coefficient in sorted(size.terms, key=lambda term: term[1] < 0):
        factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not monomial else []
        alone = len(monomial) == 1 and not factors
        factors += [_show_atom(atom, alone) for atom in monomial]
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} " if text else sign.strip("+")
        text += "*".join(factors)
    return text


def _show_atom(atom: Atom, alone: bool) -> str:
    if isinstance(atom, str):
        return atom
    simple = len(atom.inner.terms) == 1 and atom.inner.terms[0] == ((*atom.inner.terms[0][0][:1],), 1)
    inner = _show(atom.inner)
    text = f"{inner}//{atom.divisor}" if simple else f"({inner})//{atom.divisor}"
    return text if alone else f"({text})"
