"""Rules for parameters: what each may be, in numbers for the form and in words for the message."""

from __future__ import annotations

import keyword
import math
import re
from dataclasses import dataclass
from typing import Any, Protocol


class Rule(Protocol):
    """What a parameter may be; `doc` says what it counts or means."""

    @property
    def doc(self) -> str:
        """What the parameter counts or means, as a noun phrase."""
        ...

    def fault(self, value: Any) -> str | None:
        """Why a value will not do, as the end of a sentence, or None when it will."""
        ...


ARGUMENT = rf"(?!(?:self|{'|'.join(keyword.kwlist)})$)[a-z][a-z0-9_]*"
"""What the name of a function's argument must match."""


@dataclass(frozen=True)
class Size:
    """A whole number; called like an axis of a port it is that axis. `from_wire`: a new node reads it there."""

    doc: str
    low: int = 1
    high: int = 2**31 - 1
    from_wire: bool = False

    def fault(self, value: Any) -> str | None:
        """Why a value will not do."""
        if isinstance(value, bool) or not isinstance(value, int):
            return f"must be a whole number, not {value!r}"
        return _outside(value, self.low, self.high)


@dataclass(frozen=True)
class Number:
    """A real number, in `unit` where it has one."""

    doc: str
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""

    def fault(self, value: Any) -> str | None:
        """Why a value will not do."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return f"must be a number, not {value!r}"
        return _outside(value, self.low, self.high)


@dataclass(frozen=True)
class Ratio:
    """A share between 0 and 1, 1 itself excluded."""

    doc: str
    low: float = 0.0
    high: float = 1.0

    def fault(self, value: Any) -> str | None:
        """Why a value will not do."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return f"must be a number, not {value!r}"
        if not self.low <= value < self.high:
            return f"must be from {self.low:g} up to, not including, {self.high:g}; it is {value:g}"
        return None


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    doc: str
    options: tuple[str, ...]

    def fault(self, value: Any) -> str | None:
        """Why a value will not do."""
        if value in self.options:
            return None
        return f"must be one of {', '.join(self.options)}, not {value!r}"


@dataclass(frozen=True)
class Flag:
    """Yes or no."""

    doc: str

    def fault(self, value: Any) -> str | None:
        """Why a value will not do."""
        return None if isinstance(value, bool) else f"must be true or false, not {value!r}"


@dataclass(frozen=True)
class Text:
    """A short text such as an einops pattern; `pattern` is what it must match, `hint` says so in words."""

    doc: str
    pattern: str = r".*"
    hint: str = "a text"

    def fault(self, value: Any) -> str | None:
        """Why a value will not do."""
        if not isinstance(value, str):
            return f"must be a text, not {value!r}"
        if len(value) > 1000:
            return "must be shorter than 1,000 characters"
        return None if re.fullmatch(self.pattern, value) else f"must be {self.hint}, not {value!r}"


def _outside(value: float, low: float, high: float) -> str | None:
    if value < low:
        return f"must be at least {_figure(low)}; it is {_figure(value)}"
    if value > high:
        return f"must be at most {_figure(high)}; it is {_figure(value)}"
    return None


def _figure(value: float) -> str:
    """Whole numbers in full, so that one beyond a limit does not read as the limit."""
    return str(value) if isinstance(value, int) else f"{value:g}"
