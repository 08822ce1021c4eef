"""The row above panels: their names, to be chosen and dragged, and the way to their menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from app import theme
from app.bars.tab_bar import GAP, HEIGHT, TabBar
from app.widgets.icons import IconButton

SLIM = 24
"""The height of the header of a panel that is alone."""
AWAY = 12
"""Pixels above or below the row from which on a tab is dragged out of it."""
MENU_KEYS = (Qt.Key.Key_Menu, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class Names(TabBar):
    """The names of the panels of a place; one alone is a heading.

    Signals:
        chosen: a panel is to come to the front; carries its name.
        closed: a panel is to be closed.
        pulled: a panel is dragged out of the row; carries its name and the place on the screen.
        carried, let_go: the mouse moves on, and its button is released; carry the place on the screen.
        dropped: a tab was dragged to another place in the row; carries its name and that place.
        turned: a panel was clicked twice.
        menu_wanted: carries the name and the place on the screen.
    """

    chosen = Signal(str)
    closed = Signal(str)
    pulled = Signal(str, QPoint)
    carried = Signal(QPoint)
    let_go = Signal(QPoint)
    dropped = Signal(str, int)
    turned = Signal(str)
    menu_wanted = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self._held = ""
        self._start = QPoint()
        self._pulling = False
        self.currentChanged.connect(self._current_changed)

    @property
    def slim(self) -> bool:
        """Whether there is one panel only."""
        return len(self.names) == 1

    def show_names(self, names: Sequence[str], titles: Sequence[str], front: str) -> None:
        """Show these panels, one of them in front."""
        self.blockSignals(True)
        if list(names) != self.names:
            self.names = list(names)
            self.clear_badges()
            while self.count() > len(names):
                self.removeTab(self.count() - 1)
            while self.count() < len(names):
                self.addTab("")
        for index, title in enumerate(titles):
            if self.tabText(index) != title:
                self.setTabText(index, title)
                self.setAccessibleTabName(index, title)
        if front in self.names:
            self.setCurrentIndex(self.names.index(front))
        self.blockSignals(False)
        self.updateGeometry()
        self.update()

    def front(self) -> str:
        """The panel in front."""
        return self.names[self.currentIndex()] if 0 <= self.currentIndex() < len(self.names) else ""

    def tabSizeHint(self, index: int) -> QSize:
        if not self.slim:
            return super().tabSizeHint(index)
        return QSize(QFontMetrics(self._heading()).horizontalAdvance(self.tabText(index)) + GAP, SLIM)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not 0 <= index < len(self.names):
            self._held = ""
            event.ignore()
            return
        self._held, self._start = self.names[index], event.position().toPoint()
        self.setCurrentIndex(index)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.update()
        if not self._held or not event.buttons() & Qt.MouseButton.LeftButton:
            event.ignore()
            return
        place, screen = event.position().toPoint(), event.globalPosition().toPoint()
        if self._pulling:
            self.carried.emit(screen)
        elif (place - self._start).manhattanLength() >= QApplication.startDragDistance():
            row = self.parentWidget().rect().adjusted(0, -AWAY, 0, AWAY)
            if self.slim or not row.contains(self.mapTo(self.parentWidget(), place)):
                self._pulling = True
                self.pulled.emit(self._held, screen)
            else:
                self._reorder(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        held, pulling = self._held, self._pulling
        self._held, self._pulling = "", False
        if pulling:
            self.let_go.emit(event.globalPosition().toPoint())
        elif event.button() == Qt.MouseButton.MiddleButton and 0 <= index < len(self.names):
            self.closed.emit(self.names[index])
        elif not held:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and 0 <= index < len(self.names):
            self._held = ""
            self.turned.emit(self.names[index])
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self._ask_menu()
            return
        index = self.tabAt(event.pos())
        name = self.names[index] if 0 <= index < len(self.names) else self.front()
        self.menu_wanted.emit(name, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in MENU_KEYS or (event.key() == Qt.Key.Key_F10 and shift):
            self._ask_menu()
        elif event.key() == Qt.Key.Key_Delete:
            self.closed.emit(self.front())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.slim:
            super().paintEvent(event)
            return
        look, area = theme.current(), self.tabRect(0)
        painter = QPainter(self)
        painter.setFont(self._heading())
        hot = self.underMouse() or self.hasFocus()
        painter.setPen(QColor(look.text if hot else look.muted))
        painter.drawText(area.adjusted(GAP // 2, 0, 0, 0), _LEFT, self.tabText(0))
        badge = self.badge(0)
        if badge:
            width = painter.fontMetrics().horizontalAdvance(self.tabText(0))
            painter.setFont(theme.font(theme.TEXT_SMALL))
            painter.setPen(QColor(look.muted))
            painter.drawText(area.adjusted(GAP // 2 + width + 8, 0, 0, 0), _LEFT, badge)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(look.accent))
            painter.drawRoundedRect(area.toRectF().adjusted(6.5, 3.5, -6.5, -3.5), 4, 4)
        painter.end()

    def _heading(self) -> QFont:
        return theme.font(theme.TEXT_SMALL, weight=QFont.Weight.DemiBold)

    def _reorder(self, place: QPoint) -> None:
        """Let the held tab change places with the one under the pointer, once it is over its far half."""
        start, goal = self.names.index(self._held), self.tabAt(QPoint(place.x(), self.height() // 2))
        if goal in (-1, start):
            return
        middle, wide = self.tabRect(goal).center().x(), self.tabRect(start).width()
        further = place.x() > middle if goal > start else place.x() < middle
        if further or wide >= self.tabRect(goal).width():
            self.dropped.emit(self._held, goal)

    def _ask_menu(self) -> None:
        if self.front():
            at = self.mapToGlobal(self.tabRect(self.currentIndex()).bottomLeft() + QPoint(GAP // 2, 0))
            self.menu_wanted.emit(self.front(), at)

    def _current_changed(self, index: int) -> None:
        if 0 <= index < len(self.names):
            self.chosen.emit(self.names[index])


class Header(QWidget):
    """The names with what is behind them: the free part of the row drags all of them, two buttons come with the mouse.

    Where there is no room for both, the names have it; the menu of a name says what the buttons do.

    Signals:
        pulled, carried, let_go: as those of the names, for all panels of the row; without a name.
        turned: the free part was clicked twice.
    """

    pulled = Signal(QPoint)
    carried = Signal(QPoint)
    let_go = Signal(QPoint)
    turned = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = Names(self)
        self.more = IconButton("ellipsis", "Menu of the panel", self)
        self.cross = IconButton("x", "Close the panel", self)
        self._start: QPoint | None = None
        self._pulling = False
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 0, theme.SPACE_1, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addStretch(1)
        for button in (self.more, self.cross):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.hide()
            layout.addWidget(button)

    def fit(self) -> None:
        """Take the height of what is shown."""
        height = SLIM if self.bar.slim else HEIGHT
        self.bar.setFixedHeight(height)
        self.setFixedHeight(height)
        self.show_buttons()

    def show_buttons(self) -> None:
        """The buttons are there while the mouse or the focus is."""
        buttons = (self.more, self.cross)
        room = self.contentsRect().width() - sum(button.width() for button in buttons) - theme.SPACE_1
        fits = self.bar.sizeHint().width() <= room
        for button in buttons:
            policy = button.sizePolicy()
            policy.setRetainSizeWhenHidden(fits)
            button.setSizePolicy(policy)
            button.setVisible(fits and (self.underMouse() or self.bar.hasFocus()))

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.show_buttons()
        return super().event(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.show_buttons()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.show_buttons()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._start = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._start is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        screen = event.globalPosition().toPoint()
        if self._pulling:
            self.carried.emit(screen)
        elif (event.position().toPoint() - self._start).manhattanLength() >= QApplication.startDragDistance():
            self._pulling = True
            self.pulled.emit(screen)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pulling, self._pulling, self._start = self._pulling, False, None
        if pulling:
            self.let_go.emit(event.globalPosition().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._start = None
            self.turned.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.bar.menu_wanted.emit(self.bar.front(), event.globalPos())
