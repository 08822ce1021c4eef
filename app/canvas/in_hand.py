"""Wires that are being dragged: how they are painted, and the words beside the pointer on why one will not do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.canvas.curves import Point
from app.canvas.ink import ink
from app.canvas.notes import Note
from app.canvas.routes import Lanes, Span, route
from graph.issues import Issue

if TYPE_CHECKING:
    from app.canvas.gestures.base import Pointer
    from app.canvas.view import Canvas

TIP_WIDTH = 300.0
NOWHERE = np.full((1, 4), np.inf)
"""The place of a node that is in no wire's way."""


def say_why(canvas: Canvas, pointer: Pointer, issue: Issue | None) -> None:
    """Say beside the pointer what is wrong with the port that is aimed at, if anything."""
    canvas.tip = None
    if issue is not None:
        canvas.tip = Note(issue.message, issue.where, tone="error", width=TIP_WIDTH)
        canvas.tip.place_at(pointer.view, canvas.size())


def say(canvas: Canvas, pointer: Pointer, text: str) -> None:
    """Say beside the pointer why a wire cannot end there."""
    canvas.tip = Note(text, tone="error", width=TIP_WIDTH)
    canvas.tip.place_at(pointer.view, canvas.size())


@dataclass(frozen=True)
class Loose:
    """A wire whose end hangs where it was dropped, while the user looks for a block to put there."""

    fixed: Point
    end: Point
    is_input: bool
    """Whether its other end is an input."""

    def paint(self, painter: QPainter, canvas: Canvas) -> None:
        """Paint it, in scene coordinates."""
        ends = (self.end, self.fixed) if self.is_input else (self.fixed, self.end)
        paint_in_hand(painter, canvas, [ends], QPointF(*self.end), refused=False)


def paint_in_hand(
    painter: QPainter, canvas: Canvas, ends: list[tuple[Point, Point]], hand: QPointF, *, refused: bool
) -> None:
    """Paint the wires that are being dragged, from output to input, and the hand that holds them."""
    colour = ink().error if refused else ink().accent
    paint_lines(painter, ends, colour, canvas.camera.zoom)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(hand, 4.5, 4.5)


def paint_lines(painter: QPainter, ends: list[tuple[Point, Point]], colour: QColor, zoom: float) -> None:
    """Paint wires that are not there yet, from output to input, as they would run with nothing in their way."""
    pen = QPen(colour, max(2.0, 1.5 / zoom))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for start, stop in ends:
        line = route(Span(start, stop, 0, 0), NOWHERE, Lanes(0)).points
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
