"""A small sheet with an arrow that points at something in the window."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.widgets.text import label

WIDTH, ARROW, GAP, EDGE = 296, 8, 4, 8


class Callout(QWidget):
    """Title, text and the way on; Esc or Skip leaves, and so does the end.

    Signals:
        next_pressed, back_pressed, skip_pressed: its buttons.
    """

    next_pressed = Signal()
    back_pressed = Signal()
    skip_pressed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._tip = QPointF()
        self._side = "bottom"
        self.title = label("", "section")
        self.count = label("", "faint")
        self.text = label("", "muted", wrap=True)
        self.skip = _button("Skip", "Leave the first steps (Esc); the Help menu has them", "link")
        self.back = _button("Back", "The step before", "small")
        self.next = _button("Next", "The next step (Enter)", "small")
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.count)
        foot = QHBoxLayout()
        foot.setSpacing(theme.SPACE_2)
        foot.addWidget(self.skip)
        foot.addStretch(1)
        foot.addWidget(self.back)
        foot.addWidget(self.next)
        self._rows = QVBoxLayout(self)
        self._rows.setSpacing(theme.SPACE_2)
        for row in (head, self.text, foot):
            self._rows.addWidget(row) if isinstance(row, QWidget) else self._rows.addLayout(row)
        self.skip.clicked.connect(self.skip_pressed)
        self.back.clicked.connect(self.back_pressed)
        self.next.clicked.connect(self.next_pressed)

    def say(self, title: str, text: str, number: int, total: int) -> None:
        """Show a step."""
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(f"{number} of {total}")
        self.back.setVisible(number > 1)
        self.skip.setVisible(number < total)
        self.next.setText("Next" if number < total else "Done")
        self.next.setAccessibleName(self.next.text())
        self.setAccessibleName(f"{title}, step {number} of {total}")
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def point_at(self, place: QRect) -> None:
        """Lie beside a rectangle of the window, on the side where there is room, and point at its middle."""
        area = self.parentWidget().rect().adjusted(EDGE, EDGE, -EDGE, -EDGE)
        for side in ("bottom", "left", "right", "top"):
            self._side = side
            self._set_margins()
            self.setFixedWidth(WIDTH + (ARROW if side in ("left", "right") else 0))
            self.layout().activate()
            self.resize(self.width(), self.layout().heightForWidth(self.width()))
            rect = self._beside(place, side)
            if area.contains(rect.adjusted(0, 0, -1, -1)) or side == "top":
                break
        rect = QRect(rect)
        rect.moveLeft(max(area.left(), min(rect.left(), area.right() - rect.width())))
        rect.moveTop(max(area.top(), min(rect.top(), area.bottom() - rect.height())))
        self.setGeometry(rect)
        middle = QPointF(place.center() - rect.topLeft())
        low, inner = 16.0 + ARROW, ARROW + 12.0
        if side in ("bottom", "top"):
            x = max(low, min(middle.x(), self.width() - low))
            self._tip = QPointF(x, 0.5 if side == "bottom" else self.height() - 0.5)
        else:
            y = max(inner, min(middle.y(), self.height() - inner))
            self._tip = QPointF(self.width() - 0.5 if side == "left" else 0.5, y)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.skip_pressed.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focus = self.window().focusWidget()
            focus.click() if isinstance(focus, QPushButton) and self.isAncestorOf(focus) else self.next_pressed.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRoundedRect(self._body(), theme.RADIUS + 2, theme.RADIUS + 2)
        arrow = QPainterPath()
        arrow.addPolygon(self._arrow())
        arrow.closeSubpath()
        painter.setPen(QPen(QColor(look.accent), 1))
        painter.setBrush(QColor(look.node))
        painter.drawPath(path.united(arrow))
        painter.end()

    def _body(self) -> QRectF:
        left, top, right, bottom = self._room()
        return QRectF(self.rect()).adjusted(left + 0.5, top + 0.5, -right - 0.5, -bottom - 0.5)

    def _room(self) -> tuple[int, int, int, int]:
        """What the arrow takes at each edge."""
        sides = ("right", "bottom", "left", "top")  # lying to the right of something, it points to the left
        return tuple(ARROW if side == self._side else 0 for side in sides)  # type: ignore[return-value]

    def _set_margins(self) -> None:
        left, top, right, bottom = self._room()
        self._rows.setContentsMargins(left + 16, top + 12, right + 12, bottom + 12)

    def _arrow(self) -> list[QPointF]:
        x, y, half = self._tip.x(), self._tip.y(), float(ARROW)
        back = {"bottom": (0, half + 1), "top": (0, -half - 1), "left": (-half - 1, 0), "right": (half + 1, 0)}
        dx, dy = back[self._side]
        along = QPointF(half, 0) if dx == 0 else QPointF(0, half)
        foot = QPointF(x + dx, y + dy)
        return [self._tip, foot + along, foot - along]

    def _beside(self, place: QRect, side: str) -> QRect:
        rect = QRect(0, 0, self.width(), self.height())
        rect.moveCenter(place.center())
        if side == "bottom":
            rect.moveTop(place.bottom() + GAP)
        elif side == "top":
            rect.moveBottom(place.top() - GAP)
        elif side == "left":
            rect.moveRight(place.left() - GAP)
        else:
            rect.moveLeft(place.right() + GAP)
        area = self.parentWidget().rect().adjusted(EDGE, EDGE, -EDGE, -EDGE)
        if side in ("bottom", "top"):  # it may slide along, so that only the room above or below counts
            rect.moveLeft(max(area.left(), min(rect.left(), area.right() - rect.width())))
        else:
            rect.moveTop(max(area.top(), min(rect.top(), area.bottom() - rect.height())))
        return rect


def _button(text: str, hint: str, role: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", role)
    button.setToolTip(hint)
    button.setAccessibleName(text)
    return button
