"""From one part of the window to the next by a key: canvas, what is right of it and below, bars, what is left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from app.access.focus_order import beside, in_order, takes_focus
from app.callout import Callout
from app.docking.group import Group

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Panes:
    """The parts of the window as the clock goes, from the canvas on; panels in windows of their own come last."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def go(self, by: int) -> None:
        """Put the focus into the next part (+1) or the one before (-1)."""
        panes = [pane for pane in self._all() if pane.isVisible()]
        focus = QApplication.focusWidget()
        here = next((place for place, pane in enumerate(panes) if pane is focus or pane.isAncestorOf(focus)), -by)
        for step in range(1, len(panes) + 1):
            if self._enter(panes[(here + by * step) % len(panes)]):
                return

    def go_home(self) -> None:
        """Put the focus where the work is: on the canvas, or on the card that is chosen."""
        window = self._window
        home = window.canvas or window.gallery.chosen or window.gallery
        home.setFocus()
        if window.canvas is not None and window.last_input.by_keys:
            window.canvas.walker.put(True)

    def tab(self, by: int) -> bool:
        """Put the focus on the next stop of Tab (+1) or the one before (-1), as one reads the window."""
        window, focus = self._window, QApplication.focusWidget()
        if focus is not None and not focus.isVisible():
            self._leave(focus)
            return True
        fixed = (window.docks.area, window.top_bar, window.status)
        around = [part for part in window.children() if isinstance(part, QWidget) and not part.isWindow()]
        stop = beside(focus, in_order(window, [w for w in around if w not in fixed]), by)
        if stop is None:
            return False
        stop.setFocus(Qt.FocusReason.TabFocusReason if by > 0 else Qt.FocusReason.BacktabFocusReason)
        above = stop.parentWidget()
        while above is not None:
            if isinstance(above, QScrollArea):
                above.ensureWidgetVisible(stop)
            above = above.parentWidget()
        return True

    def open_menu(self) -> None:
        """Open the menu of what has the keyboard, where one has no key for it."""
        focus = QApplication.focusWidget() or self._window
        place = focus.rect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, place, focus.mapToGlobal(place))
        QApplication.sendEvent(focus, event)

    def _leave(self, gone: QWidget) -> None:
        """What had the focus was hidden: it goes to what is near and still there, and home where nothing is."""
        window = self._window
        above = gone.parentWidget()
        while above is not None and above not in (window, window.stack, window.docks.area):
            stops = in_order(above) if above.isVisible() else []
            if stops:
                top = gone.mapTo(above, gone.rect().topLeft()).y()
                nearest = min(stops, key=lambda stop: abs(stop.mapTo(above, stop.rect().topLeft()).y() - top))
                nearest.setFocus(Qt.FocusReason.OtherFocusReason)
                return
            above = above.parentWidget()
        self.go_home()

    def _all(self) -> list[QWidget]:
        window = self._window
        after, before, apart = self._groups()
        callout = window.tour.callout
        first = [window.stack, *window.banners.shown, *([callout] if callout is not None else [])]
        return [*first, *after, window.status, window.top_bar, *before, *apart]

    def _groups(self) -> tuple[list[Group], list[Group], list[Group]]:
        """The panels right of the canvas and below, those left of it and above, and those in other windows."""
        window = self._window
        middle = window.docks.area.middle
        canvas = QRect(middle.mapTo(window, QPoint()), middle.size())
        after: list[Group] = []
        before: list[Group] = []
        apart: list[Group] = []
        for group in window.docks.groups():
            if group.window() is not window:
                apart.append(group)
                continue
            corner = group.mapTo(window, QPoint())
            is_after = corner.x() >= canvas.right() or corner.y() >= canvas.bottom()
            (after if is_after else before).append(group)
        return after, before, apart

    def _enter(self, pane: QWidget) -> bool:
        """Put the focus where one would begin in a part; false when nothing there takes it."""
        if isinstance(pane, Callout):
            return _focus(pane.next)
        if not isinstance(pane, Group):
            return _focus(_first(pane))
        if not pane.bar.slim:
            return _focus(pane.bar)
        panel = pane.panel
        if panel is not None:
            taking = next(
                (known for known in self._window.docks.panels if known is panel and known.side == "left"), None
            )
            if taking is not None:
                pane.window().activateWindow()
                taking.take_focus()
                return True
        return _focus(_first(panel) if panel is not None else None) or _focus(pane.bar)


def _first(pane: QWidget) -> QWidget | None:
    """The first in a part that takes the focus."""
    return pane if takes_focus(pane) else next(iter(in_order(pane)), None)


def _focus(widget: QWidget | None) -> bool:
    if widget is None:
        return False
    if not widget.isActiveWindow():
        widget.window().activateWindow()
    widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return True
