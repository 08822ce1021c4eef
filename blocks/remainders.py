"""What a whole number may leave when it is divided: even, a multiple of 16, one more than a multiple of 4."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

MOST = 256
"""So many remainders are kept apart; of more, the smallest."""


@dataclass(frozen=True)
class Remainders:
    """The numbers that leave one of the allowed remainders when divided; without arguments, all whole numbers.

    Args:
        divisor: what they are divided by.
        allowed: the remainders, ascending, each from 0 up to, not including, the divisor.
    """

    divisor: int = 1
    allowed: tuple[int, ...] = (0,)

    def __contains__(self, size: int) -> bool:
        return size % self.divisor in self.allowed

    def __and__(self, other: Remainders) -> Remainders | None:
        """The numbers that are in both (Chinese remainder theorem), or None when none is."""
        if self == other or other.divisor == 1:
            return self
        if self.divisor == 1:
            return other
        common = math.gcd(self.divisor, other.divisor)
        whole = self.divisor // common * other.divisor
        inverse = pow(self.divisor // common, -1, other.divisor // common)
        met: set[int] = set()
        for mine, others in product(self.allowed, other.allowed):
            if (others - mine) % common == 0:
                step = (others - mine) // common * inverse % (other.divisor // common)
                met.add((mine + self.divisor * step) % whole)
        return Remainders(whole, tuple(sorted(met)[:MOST])) if met else None

    @property
    def is_any(self) -> bool:
        """Whether every whole number is among them."""
        return len(self.allowed) == self.divisor

    @property
    def is_multiple(self) -> bool:
        """Whether they are the multiples of the divisor."""
        return self.allowed == (0,)

    def upwards(self, size: int) -> int:
        """The smallest of them that is not smaller than a size."""
        return size + min((rest - size) % self.divisor for rest in self.allowed)

    def downwards(self, size: int) -> int:
        """The largest of them that is not larger than a size; it may be 0 or less."""
        return size - min((size - rest) % self.divisor for rest in self.allowed)

    def nearest(self, size: int) -> int:
        """The positive one nearest to a size; of two as near, the larger."""
        above, below = self.upwards(max(size, 1)), self.downwards(size)
        return below if below > 0 and size - below < above - size else above

    def __str__(self) -> str:
        """What a number must do to be among them: "be divisible by 4", "be odd", "leave 1 when divided by 4"."""
        if self.is_multiple:
            return f"be divisible by {self.divisor}"
        if self.divisor == 2:
            return "be odd"
        others = [rest for rest in range(self.divisor) if rest not in self.allowed]
        verb, listed = ("not leave", others) if len(others) < len(self.allowed) else ("leave", list(self.allowed))
        *rest, last = map(str, listed)
        return f"{verb} {', '.join(rest)}{' or ' if rest else ''}{last} when divided by {self.divisor}"


ANY = Remainders()
Allowed: TypeAlias = dict[str, Remainders]
"""Axis name → what its size may leave."""
