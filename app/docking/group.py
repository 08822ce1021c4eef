"""Panels in one place, one in front: their header and what it chooses from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from app.docking.header import Header

NARROWEST, LOWEST = 160, 72
WIDEST_LEAST, HIGHEST_LEAST = 280, 120
"""The least that a group has whatever its panels, and what these may ask for at most."""


class Group(QWidget):
    """A place of panels, docked or in a window of its own.

    Signals:
        pulled: panels are dragged away; carries their names and the place on the screen.
        carried, let_go: the mouse moves on, and its button is released; carry the place on the screen.
        turned: panels were clicked twice: they float, or come back.
        menu_wanted: carries the panel and the place on the screen.
        chosen, closed: a panel is to come to the front, or to go.
        dropped: a panel is to have another place in the row; carries both.
    """

    pulled = Signal(object, QPoint)
    carried = Signal(QPoint)
    let_go = Signal(QPoint)
    turned = Signal(object)
    menu_wanted = Signal(str, QPoint)
    chosen = Signal(str)
    closed = Signal(str)
    dropped = Signal(str, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.header = Header(self)
        self.bar = self.header.bar
        self.bar.setAccessibleName("Panels")
        self.stack = QStackedWidget(self)
        self.blank = QWidget(self)
        self.stack.addWidget(self.blank)
        self.line = QFrame(self)
        self.line.setProperty("role", "line")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.header, self.line):
            layout.addWidget(widget)
        layout.addWidget(self.stack, 1)
        bar, header = self.bar, self.header
        bar.pulled.connect(lambda name, at: self.pulled.emit([name], at))
        header.pulled.connect(lambda at: self.pulled.emit(self.names, at))
        for row in (bar, header):
            row.carried.connect(self.carried)
            row.let_go.connect(self.let_go)
        bar.turned.connect(lambda name: self.turned.emit([name]))
        header.turned.connect(lambda: self.turned.emit(self.names))
        bar.menu_wanted.connect(self.menu_wanted)
        bar.chosen.connect(self.chosen)
        bar.closed.connect(self.closed)
        bar.dropped.connect(self.dropped)
        header.cross.clicked.connect(lambda: self.closed.emit(self.front))
        header.more.clicked.connect(self._ask_menu)

    @property
    def names(self) -> list[str]:
        """The panels that are to be seen here."""
        return list(self.bar.names)

    @property
    def front(self) -> str:
        """The one in front."""
        return self.bar.front()

    @property
    def panel(self) -> QWidget | None:
        """The widget in front, once it is there."""
        shown = self.stack.currentWidget()
        return shown if shown is not self.blank else None

    def show_panels(
        self, names: Sequence[str], titles: Mapping[str, str], panels: Mapping[str, QWidget], front: str
    ) -> None:
        """Show these panels; of one that is not there yet, its name."""
        for name in names:
            panel = panels.get(name)
            if panel is not None and self.stack.indexOf(panel) < 0:
                self.stack.addWidget(panel)
        front = front if front in names else next(iter(names), "")
        self.bar.show_names(names, [titles[name] for name in names], front)
        self.header.fit()
        self.line.setVisible(not self.bar.slim)
        self.stack.setCurrentWidget(panels.get(front, self.blank))
        title = titles.get(front, "")
        self.header.more.setToolTip(f"Menu of {title}")
        self.header.more.setAccessibleName(f"Menu of {title}")
        self.header.cross.setToolTip(f"Close {title}")
        self.header.cross.setAccessibleName(f"Close {title}")
        self.bar.setAccessibleName(f"{title}, panel" if self.bar.slim else "Panels")

    def show_badges(self, badge: Callable[[str], str]) -> None:
        """Bring what is said after the names up to date."""
        for index, name in enumerate(self.names):
            self.bar.show_badge(index, badge(name))

    def least(self) -> QSize:
        """The smallest size at which what is in front can be worked with."""
        width, height = NARROWEST, LOWEST
        panel = self.panel
        if panel is not None:
            least = (
                panel.minimumSizeHint().boundedTo(QSize(WIDEST_LEAST, HIGHEST_LEAST)).expandedTo(panel.minimumSize())
            )
            width, height = max(width, least.width()), max(height, least.height())
        return QSize(width, height + self.header.height())

    def minimumSizeHint(self) -> QSize:
        return self.least()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What a panel has no menu of its own for, by keys, is the menu of the panel."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.front:
            self._ask_menu()
        else:
            event.ignore()

    def _ask_menu(self) -> None:
        header = self.header
        at = header.mapToGlobal(QPoint(header.more.x(), header.height())) if header.more.isVisible() else None
        below = self.bar.mapToGlobal(self.bar.tabRect(self.bar.currentIndex()).bottomLeft() + QPoint(14, 0))
        self.menu_wanted.emit(self.front, at or below)
