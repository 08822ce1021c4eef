"""Panels on their way: a chip at the pointer says what they are, a mark shows where they would go."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QWidget

from app import theme
from app.docking.drops import Drop
from app.motion import Motion

BESIDE = QPoint(16, 12)
"""From the pointer to the chip."""
TINT = 44
"""How strongly the mark covers what is below it, of 255."""


class Drag(QObject):
    """One drag, from the first move to the release of the button; Esc, or the right button, gives it up."""

    def __init__(
        self,
        window: QWidget,
        names: Sequence[str],
        title: str,
        find: Callable[[QPoint, Sequence[str]], Drop],
        done: Callable[[Sequence[str], Drop, QPoint], None],
    ) -> None:
        """Begin.

        Args:
            window: the main window.
            names: what is dragged.
            title: the same as people read it.
            find: where it would go, by a place on the screen.
            done: puts it there.
        """
        super().__init__(window)
        self.names = list(names)
        self.drop = Drop()
        self._find, self._done = find, done
        self.chip = Chip(window, title)
        self.mark = Mark(window)
        self.mark.hide()
        self.is_over = False
        QApplication.setOverrideCursor(Qt.CursorShape.ClosedHandCursor)
        QApplication.instance().installEventFilter(self)

    def move(self, at: QPoint) -> None:
        """The pointer is there."""
        if self.is_over:
            return
        apart = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        self.drop = Drop() if apart else self._find(at, self.names)
        self.chip.say(self.drop.words)
        self.chip.follow(at)
        self.mark.lie_over(self.drop.host, self.drop.mark, self.drop.line)

    def release(self, at: QPoint) -> None:
        """The button was released."""
        if not self.is_over:
            self.move(at)
            self.end()
            self._done(self.names, self.drop, at)

    def end(self) -> None:
        """Take away what the drag has shown."""
        if self.is_over:
            return
        self.is_over = True
        QApplication.instance().removeEventFilter(self)
        QApplication.restoreOverrideCursor()
        for widget in (self.chip, self.mark):
            widget.hide()
            widget.deleteLater()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride) and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.end()
                return True
        elif event.type() == QEvent.Type.MouseButtonPress:  # a second button
            self.end()
            return True
        return False


class Chip(QFrame):
    """What is dragged and where it would go, beside the pointer."""

    def __init__(self, window: QWidget, title: str) -> None:
        flags = Qt.WindowType.ToolTip | Qt.WindowType.WindowTransparentForInput | Qt.WindowType.WindowDoesNotAcceptFocus
        super().__init__(window, flags)
        self.setProperty("role", "carried")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        name = QLabel(title, self)
        name.setProperty("role", "section")
        self.words = QLabel("", self)
        self.words.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.SPACE_2, theme.SPACE_1, theme.SPACE_2, theme.SPACE_1)
        row.setSpacing(theme.SPACE_2)
        row.addWidget(name)
        row.addWidget(self.words)

    def say(self, words: str) -> None:
        """Where it would go."""
        if words != self.words.text():
            self.words.setText(words)
            self.adjustSize()

    def follow(self, at: QPoint) -> None:
        """Lie beside the pointer; at the edge of the screen, on its other side."""
        screen = QGuiApplication.screenAt(at)
        place = at + BESIDE
        if screen is not None and place.x() + self.width() > screen.geometry().right():
            place.setX(at.x() - BESIDE.x() - self.width())
        if screen is not None and place.y() + self.height() > screen.geometry().bottom():
            place.setY(at.y() - BESIDE.y() - self.height())
        self.move(place)
        self.show()


class Mark(QWidget):
    """A tint over the place that panels would take, with a line between the tabs that they would come between."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._goal = QRect()
        self._line = QRect()
        self._glide: QVariantAnimation | None = None

    def lie_over(self, host: QWidget | None, place: QRect, line: QRect) -> None:
        """Cover a place of a widget, or nothing; from one place to the next it glides."""
        if host is None or place.isEmpty():
            self._stop()
            self.hide()
            return
        window = host.window()
        corner = host.mapTo(window, QPoint())
        goal, line = place.translated(corner), line.translated(corner) if not line.isEmpty() else line
        if line != self._line:
            self._line = line
            self.update()
        stays = self.isVisible() and self.parentWidget() is window
        if stays and goal == self._goal:
            return
        self._stop()
        start, self._goal = self.geometry(), goal
        if stays:
            self._glide = Motion.run(self, lambda share: self.setGeometry(_between(start, goal, share)), self._arrive)
            return
        if self.parentWidget() is not window:
            self.setParent(window)
        self._arrive()
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        accent = QColor(theme.current().accent)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._line.isEmpty():
            painter.fillRect(self._line.translated(-self.pos()), accent)
        painter.setPen(accent)
        tint = QColor(accent)
        tint.setAlpha(TINT)
        painter.setBrush(tint)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(2.5, 2.5, -2.5, -2.5), 4, 4)
        painter.end()

    def _arrive(self) -> None:
        self._glide = None
        self.setGeometry(self._goal)

    def _stop(self) -> None:
        if self._glide is not None:
            self._glide.stop()
            self._glide = None


def _between(start: QRect, goal: QRect, share: float) -> QRect:
    """A rectangle on the way from one to another."""

    def at(one: int, other: int) -> int:
        return round(one + (other - one) * share)

    return QRect(
        at(start.x(), goal.x()), at(start.y(), goal.y()), at(start.width(), goal.width()),
        at(start.height(), goal.height()),
    )  # fmt: skip
