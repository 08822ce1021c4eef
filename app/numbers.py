"""Numbers as people say them: 124.4 M, 1.25 GiB, 12.3 ms."""

from __future__ import annotations


def count(value: float) -> str:
    """A count with its magnitude: 768, 1.57 M, 6.74 B."""
    for limit, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "K")):
        if abs(value) >= limit:
            return f"{_three(value / (1e3 if unit == 'K' else limit))} {unit}"
    return f"{value:,.0f}".replace(",", "\u2009")


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


def _three(value: float) -> str:
    """Three significant figures, without trailing zeros beyond the point."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
