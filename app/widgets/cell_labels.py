"""The words around a matrix: at its rows, below its columns, and how closely one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app import theme

LONGEST = 96
"""The most that labels may take at the left."""
ROW = 13
"""The height of a label."""
HEIGHT = ROW + theme.SPACE_1
"""The height of the labels below."""


def width(labels: Sequence[str]) -> int:
    """What the labels at the left take, with the space after them."""
    if not labels:
        return 0
    metrics = _metrics()
    return min(LONGEST, ceil(max(metrics.horizontalAdvance(text) for text in labels))) + theme.SPACE_2


def paint_rows(painter: QPainter, labels: Sequence[str], area: QRectF, room: QRectF, lit: int) -> None:
    """Labels at the left, as many as fit; the lit one always.

    Args:
        painter: of the widget.
        labels: one a row.
        area: where all rows lie, also those out of sight.
        room: what can be seen of them.
        lit: the row under the pointer, or below 0.
    """
    if not labels:
        return
    pitch, metrics, space = area.height() / len(labels), _metrics(), int(room.left()) - 1 - theme.SPACE_2
    painter.setFont(theme.font(theme.TEXT_TINY))
    centers = {row: area.top() + pitch * (row + 0.5) for row in readable(len(labels), pitch, lit, ROW)}
    last = room.bottom() + 1 - ROW / 2
    seen = {row: min(max(y, ROW / 2), last) for row, y in centers.items() if room.top() <= y <= room.bottom()}
    for row, center in apart(seen, lit, ROW).items():
        painter.setPen(QColor(theme.current().text if row == lit else theme.current().muted))
        text = metrics.elidedText(labels[row], Qt.TextElideMode.ElideRight, space)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(0, center - ROW / 2 - 1, space, ROW + 2), flags, text)


def paint_columns(painter: QPainter, labels: Sequence[str], area: QRectF, room: QRectF, lit: int) -> None:
    """Labels below the picture, as many as fit; the lit one always."""
    if not labels:
        return
    pitch, metrics = area.width() / len(labels), _metrics()
    widest = max(metrics.horizontalAdvance(text) for text in labels) + 6
    bottom = min(area.bottom(), room.bottom()) + theme.SPACE_1
    painter.setFont(theme.font(theme.TEXT_TINY))
    for column in readable(len(labels), pitch, lit, min(widest, 64)):
        center = area.left() + pitch * (column + 0.5)
        if not room.left() <= center <= room.right():
            continue
        painter.setPen(QColor(theme.current().text if column == lit else theme.current().muted))
        text = metrics.elidedText(labels[column], Qt.TextElideMode.ElideRight, 72)
        wide = metrics.horizontalAdvance(text) + 4
        left = min(max(center - wide / 2, 0.0), room.right() + 1 - wide)
        painter.drawText(QRectF(left, bottom, wide, ROW), Qt.AlignmentFlag.AlignCenter, text)


def paint_chip(painter: QPainter, text: str, room: QRectF) -> None:
    """A few words on a plate at the top right, over the picture."""
    wide = _metrics().horizontalAdvance(text) + 2 * theme.SPACE_1
    box = QRectF(room.right() - wide - theme.SPACE_1, room.top() + theme.SPACE_1, wide, ROW + theme.SPACE_1)
    painter.setFont(theme.font(theme.TEXT_TINY))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.current().node))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(theme.current().muted))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def readable(count: int, pitch: float, lit: int, need: float) -> list[int]:
    """Which labels fit without touching: every n-th and the lit one, whose neighbours give way."""
    every = max(1, -int(-need // max(pitch, 0.01)))
    shown = [place for place in range(0, count, every) if lit < 0 or place == lit or abs(place - lit) * pitch >= need]
    return sorted({*shown, lit}) if 0 <= lit < count else shown


def apart(centers: Mapping[int, float], lit: int, need: float) -> dict[int, float]:
    """The labels that still do not touch after those at the ends were moved in: in order, the lit one before all."""
    kept = {lit: centers[lit]} if lit in centers else {}
    for place, center in centers.items():
        if all(abs(center - other) >= need for other in kept.values()):
            kept[place] = center
    return kept


def _metrics() -> QFontMetricsF:
    return QFontMetricsF(theme.font(theme.TEXT_TINY))
