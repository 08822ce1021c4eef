"""Symbolic sizes: integers, names, sums, products and floor division by an integer.

A size is either a plain `int` or a `Dim`: an integer polynomial whose atoms are axis names ("batch", "height")
and floor terms (⌊size / n⌋). Arithmetic normalises as it goes, so two sizes that are equal for every value of
their names are usually the same object; `remainders_making_equal` answers for which sizes of a name the others are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias, Union

from blocks.remainders import Allowed, Remainders

Atom: TypeAlias = Union[str, "Floor"]
Monomial: TypeAlias = tuple[Atom, ...]
Dimension: TypeAlias = Union[int, "Dim"]

_CACHE = 1 << 16
_MOST_REMAINDERS = 256
"""Up to this divisor all remainders are tried, beyond it only 0."""
_MOST_APART = 64
"""So many remainders at most are told apart."""
_PROBES = ((1, 101, 12), (3, 211, 30))
"""Twice: which multiple of the product is tried, and how large other names are then, from where in which steps."""


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


def remainders_making_equal(left: Dimension, right: Dimension) -> Allowed | None:
    """For which sizes of a name two sizes agree.

    Returns {} when they always do, {name: remainders} when they do for every size of the name that leaves one of these
    (several names when one does not suffice), and None when none are known to make them equal.
    """
    if left == right:
        return {}
    difference = _add(left, _multiply(-1, right))
    if isinstance(difference, int):
        return {} if difference == 0 else None
    return _remainders(difference)


def remainders_making_multiple(size: Dimension, divisor: int) -> Allowed | None:
    """For which sizes of a name `size` is divisible by `divisor`; the answers read as above."""
    if isinstance(size, int):
        return {} if size % divisor == 0 else None
    return remainders_making_equal(size, _multiply(divisor, _floor(size, divisor)))


def simplify(size: Dimension, allowed: Mapping[str, Remainders]) -> Dimension:
    """The size, shortened by what is known of its names: 2·⌊height/2⌋ is height when height is even."""
    if isinstance(size, int) or not any(isinstance(a, Floor) for m, _ in size.terms for a in m):
        return size
    known = {
        name: (allowed[name].divisor, allowed[name].allowed[0])
        for name in names(size)
        if name in allowed and allowed[name].divisor > 1 and len(allowed[name].allowed) == 1
    }
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
def _remainders(difference: Dim) -> Allowed | None:
    products = {name: _floor_product(difference, name) for name in sorted(_names(difference))}
    for name, product in products.items():
        found = _alone(difference, name, product)
        if found is not None:
            return {} if found.is_any else {name: found}
    answer = {name: product for name, product in products.items() if product > 1}
    if len(answer) < 2 or _scaled(difference, _multiples(answer)) != 0:
        return None
    for name, product in answer.items():  # together they do: as little of each as the others allow
        others = {other: by for other, by in answer.items() if other != name}
        answer[name] = _smallest(_scaled(difference, _multiples(others)), name, product) or product
    return {name: Remainders(divisor) for name, divisor in answer.items()}


def _alone(difference: Dim, name: str, product: int) -> Remainders | None:
    """The remainders of one name with which nothing is left of the difference, whatever the other names are."""
    if product > _MOST_REMAINDERS:
        divisor = _smallest(difference, name, product)
        return None if divisor is None else Remainders(divisor)
    others = sorted(_names(difference) - {name})
    probes = [(turn, {other: start + step * n for n, other in enumerate(others)}) for turn, start, step in _PROBES]
    zero = [
        rest
        for rest in range(product)
        if all(evaluate(difference, {**known, name: product * turn + rest}) == 0 for turn, known in probes)
    ]
    if not zero:
        return None
    divisor = next(d for d in range(1, product + 1) if product % d == 0 and _repeats(zero, d, product))
    kept = [rest for rest in range(divisor) if rest in zero] if divisor > 1 else zero
    divisor = divisor if divisor > 1 else product  # whether it holds always is seen with no floor left
    if len(kept) > _MOST_APART:
        smallest = _smallest(difference, name, product)
        return None if smallest is None else Remainders(smallest)
    sure = tuple(rest for rest in kept if _scaled(difference, {name: (divisor, rest)}) == 0)
    return Remainders(divisor, sure) if sure else None


def _repeats(rests: list[int], divisor: int, product: int) -> bool:
    """Whether remainders by the product are all those that agree with them by a divisor of it."""
    return len({rest % divisor for rest in rests}) * (product // divisor) == len(rests)


def _multiples(divisors: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    return {name: (divisor, 0) for name, divisor in divisors.items()}


def _smallest(difference: Dimension, name: str, product: int) -> int | None:
    """The smallest divisor of `product` for whose multiples of the name nothing is left of the difference."""
    for divisor in range(2, min(product, 1 << 16) + 1):
        if product % divisor == 0 and _scaled(difference, {name: (divisor, 0)}) == 0:
            return divisor
    return None


def _scaled(size: Dimension, factors: Mapping[str, tuple[int, int]]) -> Dimension:
    """The size with every name that many times as large, and so much more."""
    return substitute(size, {name: _add(_multiply(_named(name), by), more) for name, (by, more) in factors.items()})


def _unshrink(size: Dimension, divisors: Mapping[str, tuple[int, int]]) -> Dimension:
    """Read every name as its multiple again: with height = 4·h, 2·h is ⌊height / 2⌋."""
    total: Dimension = 0
    for monomial, coefficient in _terms(size):
        factors: list[Dimension] = []
        for atom in monomial:
            if isinstance(atom, Floor):
                factors.append(_floor(_unshrink(atom.inner, divisors), atom.divisor))
                continue
            divisor, more = divisors.get(atom, (1, 0))
            common = math.gcd(coefficient, divisor)
            coefficient //= common
            factors.append(_floor(_add(_named(atom), -more), divisor // common))
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
