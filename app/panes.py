"""From one part of the window to the next by a key: canvas, properties, readings, bars, palette, outline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QScrollArea, QWidget

from app.focus_order import beside, in_order, takes_focus

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Panes:
    """The parts of the window in the order of the clock, from the canvas on."""

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

    def tab(self, by: int) -> bool:
        """Put the focus on the next stop of Tab (+1) or the one before (-1), as one reads the window."""
        window = self._window
        fixed = (QDockWidget, type(window.top_bar), type(window.status))
        around = [part for part in window.children() if isinstance(part, QWidget) and not isinstance(part, fixed)]
        floating = [part for part in around if part is not window.centralWidget()]
        stop = beside(QApplication.focusWidget(), in_order(window, floating), by)
        if stop is None:
            return False
        stop.setFocus(Qt.FocusReason.TabFocusReason if by > 0 else Qt.FocusReason.BacktabFocusReason)
        above = stop.parentWidget()
        while above is not None:
            if isinstance(above, QScrollArea):
                above.ensureWidgetVisible(stop)
            above = above.parentWidget()
        return True

    def _all(self) -> list[QWidget]:
        window, docks = self._window, self._window.docks
        around = (docks.right, docks.readings, window.status, window.top_bar, window.block_palette, docks.left)
        callout = window.tour.callout
        return [window.stack, *([callout] if callout is not None else []), *around]

    def _enter(self, pane: QWidget) -> bool:
        """Put the focus where one would begin in a part; false when nothing there takes it."""
        for panel in self._window.docks.panels:
            if panel.side == "left" and pane.isAncestorOf(panel):
                panel.take_focus()
                return True
        first = pane if takes_focus(pane) else next(iter(in_order(pane)), None)
        if first is None:
            return False
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True
