"""Numbers as people say them: 124.4 M, 1.25 GiB, 12.3 ms."""

from __future__ import annotations

import math


def count(value: float) -> str:
    """A count with its magnitude: 768, 1.57 M, 6.74 B."""
    for limit, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "K")):
        if abs(value) >= limit:
            return f"{_three(value / (1e3 if unit == 'K' else limit))} {unit}"
    return f"{value:,.0f}".replace(",", "\u2009")


def operations(value: float) -> str:
    """A count of operations: 340 K, 9.7 G, 1.2 T."""
    for limit, unit in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "K")):
        if abs(value) >= limit:
            return f"{_three(value / (1e3 if unit == 'K' else limit))} {unit}"
    return exact(value)


def size(count_of_bytes: float) -> str:
    """A size in memory: 512 B, 24 MiB, 1.25 GiB."""
    value = float(count_of_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024:
            return f"{_three(value)} {unit}" if unit != "B" else f"{value:.0f} B"
        value /= 1024
    return f"{_three(value)} TiB"


def duration(seconds: float) -> str:
    """A time: 340 µs, 12.3 ms, 1.85 s."""
    if seconds < 1e-3:
        return f"{_three(seconds * 1e6)} µs"
    if seconds < 1:
        return f"{_three(seconds * 1e3)} ms"
    if seconds < 120:
        return f"{_three(seconds)} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def exact(value: float) -> str:
    """The figure itself, with thin spaces: 124 439 808."""
    return f"{value:,.0f}".replace(",", "\u2009")


def value(number: float, figures: int = 3) -> str:
    """A measured number in few characters: 0.0312, −12.4, 3.1e-07."""
    size = abs(number)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        text = "∞"
    elif size == 0:
        text = "0"
    elif 1e-3 <= size < 1e5:
        digits = max(0, figures - 1 - math.floor(math.log10(size)))
        text = f"{size:.{min(digits, figures + 2)}f}"
    else:
        text = f"{size:.1e}"
    return f"−{text}" if number < 0 else text


def percent(share: float) -> str:
    """A share of one: 31 %, 0.4 %."""
    return f"{_three(100 * share) if share < 0.1 else f'{100 * share:.0f}'} %"


def _three(value: float) -> str:
    """Three significant figures, without trailing zeros beyond the point."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
