"""The open drawings as tabs above the canvas: switch, close, reorder. One drawing alone needs none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QVBoxLayout, QWidget

from app import theme
from app.icons import SIZE
from app.icons.painting import paint_icon
from app.widgets.icons import IconButton

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.session import Session
    from app.workspace import Workspace

HEIGHT, WIDEST, PADDING, CROSS = 32, 220, theme.SPACE_3, 20
DRAG = 6
"""Pixels that a press may wander before it moves the tab."""
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class DrawingTabs(QWidget):
    """The row of tabs with the way to a new drawing at its end.

    Signals:
        chosen: a drawing is to be shown; carries its session.
        close_asked: it is to be closed.
        menu_asked: the menu of a drawing is wanted; carries the session and the place on the screen.
        new_asked: another drawing is wanted.
    """

    chosen = Signal(object)
    close_asked = Signal(object)
    menu_asked = Signal(object, QPoint)
    new_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace: Workspace | None = None
        self._listeners: dict[int, tuple[Session, Callable[[], None]]] = {}
        self._in_front = True
        self.bar = _Bar(self)
        self.bar.dropped.connect(self._move)
        self.bar.tabBarClicked.connect(self._click)
        self.bar.currentChanged.connect(self._follow_keys)
        self.bar.cross_pressed.connect(lambda index: self.close_asked.emit(self.sessions[index]))
        self.bar.menu_wanted.connect(lambda index, at: self.menu_asked.emit(self.sessions[index], at))
        self.plus = IconButton("plus", "New drawing", self)
        self.plus.clicked.connect(self.new_asked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, theme.SPACE_1, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.plus)
        self.setFixedHeight(HEIGHT)
        self.hide()

    @property
    def sessions(self) -> list[Session]:
        """The drawings, in the order of their tabs."""
        return self._workspace.sessions if self._workspace is not None else []

    def over(self, widget: QWidget) -> QWidget:
        """Both in a column, the tabs above."""
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self)
        column.addWidget(widget, 1)
        return middle

    def connect_to(self, window: MainWindow) -> None:
        """Let the window do what is asked for here."""
        self.chosen.connect(window.show_session)
        self.close_asked.connect(window.filing.close)
        self.menu_asked.connect(window.menus.pop_up_drawing)
        self.new_asked.connect(window.commands["new"].trigger)

    def attach(self, workspace: Workspace) -> None:
        """Show the drawings of a workspace from now on."""
        self._workspace = workspace
        workspace.opened.connect(self.refresh)
        workspace.closed.connect(self.refresh)
        workspace.moved.connect(self.refresh)
        workspace.switched.connect(self.refresh)
        self.refresh()

    def stop(self) -> None:
        """Listen no more."""
        workspace, self._workspace = self._workspace, None
        if workspace is not None:
            for signal in (workspace.opened, workspace.closed, workspace.moved, workspace.switched):
                signal.disconnect(self.refresh, missing_ok=True)
        self._listen()

    def show_front(self, in_front: bool) -> None:
        """Say whether the current drawing is what is seen; over the gallery no tab is in front."""
        self._in_front = in_front
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Bring the tabs up to date with the workspace."""
        if self._workspace is None:
            return
        self._listen()
        bar, sessions = self.bar, self.sessions
        bar.blockSignals(True)
        while bar.count() > len(sessions):
            bar.removeTab(bar.count() - 1)
        while bar.count() < len(sessions):
            bar.addTab("")
        titles = [session.title for session in sessions]
        for index, session in enumerate(sessions):
            title = session.title
            if session.path is not None and titles.count(title) > 1:
                title = f"{title} · {session.path.parent.name}"
            if bar.tabText(index) != title:
                bar.setTabText(index, title)
            place = str(session.path) if session.path else "Not saved in a file yet"
            bar.setTabToolTip(index, place if session.is_saved else f"{place}\nChanged since it was saved")
            bar.setAccessibleTabName(index, title if session.is_saved else f"{title}, not saved")
        if self._workspace.session in sessions:
            bar.setCurrentIndex(sessions.index(self._workspace.session))
        bar.blockSignals(False)
        bar.changed = {index for index, session in enumerate(sessions) if not session.is_saved}
        bar.in_front = self._in_front
        bar.update()
        self.setVisible(len(sessions) > 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(theme.current().line))
        painter.end()

    def _listen(self) -> None:
        """Hear of every drawing that is saved or changed."""
        open = {id(session): session for session in self.sessions}
        for key in [key for key in self._listeners if key not in open]:
            session, listener = self._listeners.pop(key)
            session.saved.disconnect(listener, missing_ok=True)
        for key, session in open.items():
            if key not in self._listeners:

                def hear() -> None:
                    self.refresh()

                session.saved.connect(hear)
                self._listeners[key] = (session, hear)

    def _click(self, index: int) -> None:
        if 0 <= index < len(self.sessions) and not self.bar.is_on_cross:
            self.chosen.emit(self.sessions[index])

    def _follow_keys(self, index: int) -> None:
        """The arrow keys have gone to another tab."""
        if self.bar.hasFocus() and 0 <= index < len(self.sessions) and not self.bar.is_pressed:
            self.chosen.emit(self.sessions[index])
            self.bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _move(self, start: int, goal: int) -> None:
        if self._workspace is not None:
            self._workspace.move(self.sessions[start], goal)


class _Bar(QTabBar):
    """Paints the tabs and knows their crosses.

    Signals:
        dropped: a tab was dragged to another place; carries where it was and where it goes.
        cross_pressed: the cross of a tab, or its middle button.
        menu_wanted: the right button or the menu key; carries the index and the place on the screen.
    """

    dropped = Signal(int, int)
    cross_pressed = Signal(int)
    menu_wanted = Signal(int, QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setMouseTracking(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Open drawings")
        self.changed: set[int] = set()
        self.in_front = True
        self.is_on_cross = self.is_pressed = False
        self._held = -1
        self._start = QPoint()

    def cross(self, index: int) -> QRect:
        """Where a tab is closed."""
        area = self.tabRect(index)
        return QRect(area.right() - CROSS - 4, area.center().y() - CROSS // 2 + 1, CROSS, CROSS)

    def tabSizeHint(self, index: int) -> QSize:
        strong = QFontMetrics(theme.font(weight=QFont.Weight.DemiBold))
        width = strong.horizontalAdvance(self.tabText(index)) + PADDING + theme.SPACE_3 + CROSS + theme.SPACE_2
        return QSize(min(width, WIDEST), HEIGHT)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        index = self.tabAt(place)
        left = event.button() == Qt.MouseButton.LeftButton
        self.is_on_cross = left and index >= 0 and self.cross(index).contains(place)
        self._held, self._start = (index, place) if left and not self.is_on_cross else (-1, place)
        if self.is_on_cross or not left:
            return
        self.is_pressed = True
        super().mousePressEvent(event)
        self.is_pressed = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.update()
        if self._held < 0 or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        place = event.position().toPoint()
        if (place - self._start).manhattanLength() < DRAG:
            return
        goal = self.tabAt(QPoint(max(0, min(place.x(), self.width() - 1)), HEIGHT // 2))
        if goal < 0:
            goal = self.count() - 1 if place.x() > 0 else 0
        if goal == self._held:
            return
        middle, wide = self.tabRect(goal).center().x(), self.tabRect(self._held).width()
        further = place.x() > middle if goal > self._held else place.x() < middle
        if further or wide >= self.tabRect(goal).width():  # else the two would change places for ever
            start, self._held = self._held, goal
            self.dropped.emit(start, goal)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        index, on_cross = self.tabAt(place), self.is_on_cross
        self._held, self.is_on_cross = -1, False
        middle = event.button() == Qt.MouseButton.MiddleButton
        if index >= 0 and (middle or (on_cross and self.cross(index).contains(place))):
            self.cross_pressed.emit(index)
        elif not on_cross:
            super().mouseReleaseEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_keys = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_keys else self.tabAt(event.pos())
        if index >= 0:
            self.menu_wanted.emit(index, self.mapToGlobal(self.tabRect(index).bottomLeft()) if by_keys
                                  else event.globalPos())  # fmt: skip

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.currentIndex() >= 0:
            self.cross_pressed.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(look.line))
        under = self.mapFromGlobal(self.cursor().pos()) if self.underMouse() else QPoint(-1, -1)
        for index in range(self.count()):
            self._paint_tab(painter, index, under)
        painter.end()

    def _paint_tab(self, painter: QPainter, index: int, under: QPoint) -> None:
        look, area = theme.current(), self.tabRect(index)
        front = self.in_front and index == self.currentIndex()
        hot = area.contains(under)
        if front:
            painter.fillRect(area, QColor(look.canvas))
            painter.fillRect(area.left(), area.top(), area.width(), 2, QColor(look.accent))
        elif hot:
            painter.fillRect(area.adjusted(0, 0, 0, -1), QColor(look.field))
        painter.fillRect(area.right(), area.top() + (0 if front else 8), 1, area.height() - (0 if front else 16),
                         QColor(look.line))  # fmt: skip
        font = theme.font(weight=QFont.Weight.DemiBold if front else QFont.Weight.Normal)
        words = QRect(area.left() + PADDING, area.top() + 1, area.width() - PADDING - CROSS - 12, area.height() - 1)
        text = QFontMetrics(font).elidedText(self.tabText(index), Qt.TextElideMode.ElideMiddle, words.width())
        painter.setFont(font)
        painter.setPen(QColor(look.text if front or hot else look.muted))
        painter.drawText(words, _LEFT, text)
        cross = self.cross(index)
        middle = QPointF(cross.center()) + QPointF(0.5, 0.5)
        if hot or (front and index not in self.changed):
            painter.setPen(Qt.PenStyle.NoPen)
            if cross.contains(under):
                painter.setBrush(QColor(look.hover))
                painter.drawRoundedRect(QRectF(cross), 4, 4)
            hue = look.text if cross.contains(under) else look.muted
            paint_icon(painter, "x", hue, middle.x() - SIZE / 2, middle.y(), SIZE)
        elif index in self.changed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent))
            painter.drawEllipse(middle, 3, 3)
        if self.hasFocus() and index == self.currentIndex():
            painter.setPen(QColor(look.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(area).adjusted(4.5, 5.5, -5.5, -4.5), 4, 4)
