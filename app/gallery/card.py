"""A card of the gallery: the drawing in small, its title and what it is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QTextLayout,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from app import theme
from app.catalogue import Preview, TemplateCard
from app.icons.painting import paint_icon

EMPTY = ""
"""The name of the card that stands for an empty canvas."""
PLUS = 24


class Card(QAbstractButton):
    """A template, or an empty canvas; one of the cards is chosen.

    Signals:
        opened: Enter or a double click.
    """

    WIDTH, HEIGHT = 232, 176
    opened = Signal()

    def __init__(self, template: TemplateCard | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.template = template
        self.name = template.name if template else EMPTY
        self.title = template.title if template else "Empty canvas"
        self.summary = template.summary if template else "Draw from nothing: drag blocks in, or press Tab."
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFixedSize(self.WIDTH, self.HEIGHT)
        self.setAccessibleName(self.title)
        self.setAccessibleDescription(self.summary)
        self.setToolTip(self.summary)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(self.WIDTH, self.HEIGHT)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.setChecked(True)
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.setChecked(True)
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave, QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        body = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        chosen = self.isChecked()
        edge = look.accent if chosen else look.faint if self.underMouse() else look.node_line
        painter.setPen(QPen(QColor(edge), 1.5 if chosen else 1))
        painter.setBrush(QColor(look.node))
        painter.drawRoundedRect(body, 8, 8)
        picture = QRectF(body.left() + 1, body.top() + 1, body.width() - 2, 100)
        clip = QPainterPath()
        clip.addRoundedRect(picture.adjusted(0, 0, 0, 8), 7, 7)
        painter.save()
        painter.setClipPath(clip)
        painter.fillRect(picture, QColor(look.canvas))
        if self.template is not None:
            paint_preview(painter, picture.adjusted(16, 14, -16, -14), self.template.preview)
        else:
            _paint_empty(painter, picture)
        painter.restore()
        painter.setPen(QColor(look.text))
        painter.setFont(theme.font(weight=QFont.Weight.DemiBold))
        painter.drawText(QRectF(16, 108, body.width() - 32, 24), Qt.AlignmentFlag.AlignVCenter, self.title)
        painter.setPen(QColor(look.muted))
        painter.setFont(theme.font(theme.TEXT_SMALL))
        for row, line in enumerate(_two_lines(self.summary, body.width() - 30)):
            painter.drawText(QRectF(16, 131 + 16 * row, body.width() - 28, 16), Qt.AlignmentFlag.AlignVCenter, line)
        if self.hasFocus():
            painter.setPen(QPen(QColor(look.accent), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(body.adjusted(3, 3, -3, -3), 6, 6)
        painter.end()


def paint_preview(painter: QPainter, area: QRectF, preview: Preview) -> None:
    """Paint a drawing in small, to scale, in the middle of an area."""
    if not preview.boxes:
        return
    look = theme.current()
    left = min(box[0] for box in preview.boxes)
    top = min(box[1] for box in preview.boxes)
    width = max(box[0] + box[2] for box in preview.boxes) - left
    height = max(box[1] + box[3] for box in preview.boxes) - top
    scale = min(area.width() / max(width, 1), area.height() / max(height, 1), 0.2)
    origin = QPointF(
        area.center().x() - width * scale / 2 - left * scale, area.center().y() - height * scale / 2 - top * scale
    )
    wire = QColor(look.kind("features"))
    wire.setAlpha(150)
    painter.setPen(QPen(wire, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for x, y, u, v in preview.wires:
        start = QPointF(x * scale, y * scale) + origin
        end = QPointF(u * scale, v * scale) + origin
        painter.drawPath(_wire(start, end))
    painter.setPen(Qt.PenStyle.NoPen)
    for x, y, w, h, category in preview.boxes:
        painter.setBrush(look.category(category))
        box = QRectF(x * scale + origin.x(), y * scale + origin.y(), max(w * scale, 3), max(h * scale, 3))
        painter.drawRoundedRect(box, 1.5, 1.5)


def _wire(start: QPointF, end: QPointF) -> QPainterPath:
    """A wire: a curve on to the right, or round to the line below."""
    path = QPainterPath(start)
    if end.x() >= start.x():
        bend = max((end.x() - start.x()) / 2, 4)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        return path
    middle, turn = (start.y() + end.y()) / 2, 7.0
    path.cubicTo(start + QPointF(turn, 0), QPointF(start.x() + turn, middle), QPointF(start.x(), middle))
    path.lineTo(end.x(), middle)
    path.cubicTo(QPointF(end.x() - turn, middle), end - QPointF(turn, 0), end)
    return path


def _paint_empty(painter: QPainter, area: QRectF) -> None:
    look = theme.current()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.node_line))
    for column in range(1, 12):
        for row in range(1, 6):
            painter.drawEllipse(QPointF(area.left() + column * 19, area.top() + row * 17), 1, 1)
    paint_icon(painter, "plus", look.faint, area.center().x() - PLUS / 2, area.center().y(), PLUS)


def _two_lines(text: str, width: float) -> list[str]:
    """The text in two lines at most, the second one cut where it is too long."""
    font = theme.font(theme.TEXT_SMALL)
    layout = QTextLayout(text, font)
    layout.beginLayout()
    first = layout.createLine()
    first.setLineWidth(width)
    end = first.textLength()
    layout.endLayout()
    rest = QFontMetrics(font).elidedText(text[end:].strip(), Qt.TextElideMode.ElideRight, int(width))
    return [text[:end].strip(), *([rest] if rest else [])]
