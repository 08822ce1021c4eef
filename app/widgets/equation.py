"""An equation, set in the theme's colour: broken into lines where the width asks for it, sharp on every screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QHideEvent, QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.equations import TYPESETTER, Clause, Equation

QUAD = theme.SPACE_4
"""Between clauses that share a line."""
LEADING = theme.SPACE_1
"""Between lines."""
PATIENCE = 30
"""Milliseconds between looks at whether an equation has been set."""
PAUSE = 100
"""Milliseconds before it is begun: what has been selected is shown first, undisturbed by another thread."""
WAITING = 24
"""How high it is until then."""


@dataclass(frozen=True)
class Placed:
    """A clause and where it is painted."""

    clause: Clause
    area: QRectF


def arrange(equation: Equation, width: float) -> tuple[list[Placed], float]:
    """Where the clauses go in a width, and how high that is; where one is too long for it, all shrink alike."""
    placed: list[Placed] = []
    top = 0.0
    scale = min([1.0, *(width / clause.width for line in equation.lines for clause in line)])
    for line in equation.lines:
        for row in _rows(line, width / scale):
            above = max(clause.above for clause in row)
            below = max(clause.height - clause.above for clause in row)
            left = 0.0
            for clause in row:
                area = QRectF(left, top + above - clause.above, clause.width, clause.height)
                placed.append(Placed(clause, _scaled(area, scale)))
                left += clause.width + QUAD
            top += above + below + LEADING
    return placed, scale * max(0.0, top - LEADING)


def _rows(line: Sequence[Clause], width: float) -> list[list[Clause]]:
    """The clauses of a line, broken where there is no room for one more."""
    rows: list[list[Clause]] = []
    used = width
    for clause in line:
        if used + QUAD + clause.width > width:
            rows.append([])
            used = -QUAD
        rows[-1].append(clause)
        used += QUAD + clause.width
    return rows


def _scaled(area: QRectF, scale: float) -> QRectF:
    return QRectF(area.left() * scale, area.top() * scale, area.width() * scale, area.height() * scale)


class EquationView(QWidget):
    """Shows LaTeX, set in a thread when the widget is first seen; until then there is a gap of one line.

    What a screen reader is told is the LaTeX itself; the context menu copies it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.latex = ""
        self.equation: Equation | None = None
        self._inks: dict[tuple[str, str], QSvgRenderer] = {}
        self._look = QTimer(self)
        self._look.timeout.connect(lambda: self._find(begin=True))
        self.setAccessibleName("Equation")
        copy = QAction("Copy as LaTeX", self)
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(self.latex))
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_latex(self, latex: str) -> None:
        """Another equation."""
        if latex == self.latex:
            return
        self.latex = latex
        self.equation = None
        self._inks.clear()
        self.setAccessibleDescription(latex.replace(r"\\", "\n"))
        if self.isVisible():
            self._find()
        self.updateGeometry()
        self.update()

    @property
    def is_set(self) -> bool:
        """Whether it shows the equation, and not the LaTeX or nothing yet."""
        return self.equation is not None and bool(self.equation.lines)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if not self.is_set:
            return WAITING if self.equation is None else self._plain_height(width)
        assert self.equation is not None
        return round(arrange(self.equation, width)[1] + 0.5)

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, WAITING if self.equation is None else 0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._find()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._look.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.equation is None:
            return
        painter = QPainter(self)
        if not self.equation.lines:
            painter.setFont(theme.font(theme.TEXT_SMALL, mono=True))
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
            painter.drawText(self.rect(), Qt.TextFlag.TextWrapAnywhere, self.latex)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for placed in arrange(self.equation, self.width())[0]:
            self._ink(placed.clause).render(painter, placed.area)

    def _ink(self, clause: Clause) -> QSvgRenderer:
        """A clause in the colour of text."""
        colour = theme.current().text
        key = (clause.svg, colour)
        if key not in self._inks:
            svg = clause.svg.replace('fill="black"', "").replace("<svg ", f'<svg fill="{colour}" ', 1)
            self._inks[key] = QSvgRenderer(QByteArray(svg.encode()))
        return self._inks[key]

    def _plain_height(self, width: int) -> int:
        metrics = self.fontMetrics()
        room = QRectF(0, 0, width, 10_000).toRect()
        return metrics.boundingRect(room, Qt.TextFlag.TextWrapAnywhere, self.latex).height()

    def _find(self, *, begin: bool = False) -> None:
        """Look whether it has been set; `begin` to set it if not, else that waits for a pause."""
        if self.equation is not None or not self.latex:
            self._look.stop()
            return
        self.equation = TYPESETTER.find(self.latex, begin=begin)
        if self.equation is None:
            self._look.start(PATIENCE if begin else PAUSE)
            return
        self._look.stop()
        self.updateGeometry()
        self.update()
