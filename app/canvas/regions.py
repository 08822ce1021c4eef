"""The parts of the canvas that are to be painted anew, as few rectangles. No painting here."""

from __future__ import annotations

from PySide6.QtCore import QRect


def joined(rects: list[QRect]) -> list[QRect]:
    """Few rectangles for the many that a region falls into, where that adds little to what is painted."""
    found: list[QRect] = []
    for rect in rects:
        for place, other in enumerate(found):
            both = rect.united(other)
            if _area(both) <= 1.2 * (_area(rect) + _area(other)) + 2000:
                found[place] = both
                break
        else:
            found.append(rect)
    return found if len(found) in (1, len(rects)) else joined(found)


def _area(rect: QRect) -> int:
    return rect.width() * rect.height()
