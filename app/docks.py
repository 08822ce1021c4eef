"""What lies around the canvas: palette and outline at the left, properties at the right, the readings below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDockWidget, QFrame, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.tab_bar import TabBar

if TYPE_CHECKING:
    from app.panels.base import Panel
    from app.settings import Settings

LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
LAYOUT_VERSION = 2
DEFAULT_SIZE = (1600, 1000)
PALETTE_WIDTH, PROPERTIES_WIDTH, READINGS_HEIGHT = 216, 316, 276
SHARE = 0.28
"""What properties and readings take of a small window at most, at first."""
OUTLINE_SHARE = 0.36
"""What the outline takes of the left side, at first."""


class Docks:
    """The docks of the window.

    While the gallery is shown only the palette is; what the user has hidden stays hidden after it.
    """

    def __init__(self, window: QMainWindow, settings: Settings, palette: QWidget) -> None:
        self._window = window
        self._settings = settings
        self.panels: list[Panel] = []
        self.readings = Readings(settings)
        self.right = QWidget()
        self.right.setMinimumWidth(240)
        self.left = QWidget()
        for side in (self.right, self.left):
            rows = QVBoxLayout(side)
            rows.setContentsMargins(0, 0, 0, 0)
            rows.setSpacing(0)
        self._docks = {
            "palette": self._dock("palette", "Palette", palette, LEFT),
            "outline": self._dock("outline", "Outline", self.left, LEFT),
            "properties": self._dock("properties", "Properties", self.right, RIGHT),
            "readings": self._dock("readings", "Readings", self.readings, BOTTOM),
        }
        self._wanted = dict.fromkeys(self._docks, True)
        self._in_gallery = False
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, BOTTOM)
        window.setAnimated(False)

    def add_panel(self, panel: Panel) -> None:
        """Put a panel in its place."""
        self.panels.append(panel)
        if panel.side == "bottom":
            self.readings.add(panel)
        else:
            (self.right if panel.side == "right" else self.left).layout().addWidget(panel)

    def restore(self) -> None:
        """Put the window and its docks where they were, or where they are meant to be."""
        geometry = self._settings.geometry
        if geometry is None or not self._window.restoreGeometry(geometry):
            screen = self._window.screen().availableGeometry()
            self._window.resize(min(DEFAULT_SIZE[0], screen.width()), min(DEFAULT_SIZE[1], screen.height()))
        layout = self._settings.layout
        if layout is not None and self._window.restoreState(layout, LAYOUT_VERSION):
            self._wanted = {name: not dock.isHidden() for name, dock in self._docks.items()}
            return
        docks, size = self._docks, self._window.size()
        widths = [PALETTE_WIDTH, min(PROPERTIES_WIDTH, round(size.width() * SHARE))]
        self._window.resizeDocks([docks["palette"], docks["properties"]], widths, Qt.Orientation.Horizontal)
        height = min(READINGS_HEIGHT, round(size.height() * SHARE))
        self._window.resizeDocks([docks["readings"]], [height], Qt.Orientation.Vertical)
        rest = round(size.height() * OUTLINE_SHARE)
        heights = [size.height() - rest, rest]
        self._window.resizeDocks([docks["palette"], docks["outline"]], heights, Qt.Orientation.Vertical)

    def remember(self) -> None:
        """Keep how the docks lie for the next start."""
        self.show_gallery(False)
        self._settings.set_window(self._window.saveGeometry(), self._window.saveState(LAYOUT_VERSION))

    def show_gallery(self, shown: bool) -> None:
        """Make room for the gallery, or give it back."""
        self._in_gallery = shown
        for name, dock in self._docks.items():
            dock.setVisible(self._wanted[name] and not (shown and name != "palette"))

    def is_shown(self, name: str) -> bool:
        """Whether a dock is there (the gallery aside)."""
        return self._wanted[name]

    def toggle(self, name: str) -> None:
        """Show or hide a dock."""
        self._wanted[name] = not self._wanted[name]
        self._docks[name].setVisible(self._wanted[name] and not (self._in_gallery and name != "palette"))

    def reveal(self, name: str) -> Panel | None:
        """Bring a panel to the front, wherever it is hidden."""
        panel = next((panel for panel in self.panels if panel.name == name), None)
        if panel is None:
            return None
        dock = {"right": "properties", "left": "outline", "bottom": "readings"}[panel.side]
        if not self._wanted[dock]:
            self.toggle(dock)
        if panel.side == "bottom":
            self.readings.reveal(panel)
        return panel

    def _dock(self, name: str, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(name)
        dock.setTitleBarWidget(QWidget(dock))
        dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        dock.setWidget(content)
        self._window.addDockWidget(area, dock)
        return dock


class Readings(QWidget):
    """The panels below the canvas, one in front."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._panels: list[Panel] = []
        self.tabs = TabBar(self)
        self.tabs.setAccessibleName("Readings")
        self.tabs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tabs.customContextMenuRequested.connect(self._ask_panels)
        self.stack = QStackedWidget(self)
        line = QFrame(self)
        line.setProperty("role", "line")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        row = QVBoxLayout()
        row.setContentsMargins(2, 0, 2, 0)
        row.addWidget(self.tabs)
        layout.addLayout(row)
        layout.addWidget(line)
        layout.addWidget(self.stack, 1)
        self.setMinimumHeight(120)
        self._wanted = settings.current_panel
        self.tabs.currentChanged.connect(self._show)
        self.tabs.tabBarClicked.connect(lambda index: self._remember(index))

    def add(self, panel: Panel) -> None:
        """Put a panel behind the others."""
        hidden = self._settings.hidden_panels
        self._panels.append(panel)
        self.stack.addWidget(panel)
        index = self.tabs.addTab(panel.title)
        self.tabs.setTabVisible(index, panel.name not in hidden)
        if panel.name == self._wanted and panel.name not in hidden:
            self.tabs.setCurrentIndex(index)

    def reveal(self, panel: Panel) -> None:
        """Bring a panel to the front."""
        index = self._panels.index(panel)
        if not self.tabs.isTabVisible(index):
            self.toggle(panel)
        self.tabs.setCurrentIndex(index)
        self._remember(index)

    def is_shown(self, panel: Panel) -> bool:
        """Whether a panel has a tab."""
        return self.tabs.isTabVisible(self._panels.index(panel))

    def toggle(self, panel: Panel) -> None:
        """Show or hide the tab of a panel."""
        index = self._panels.index(panel)
        self.tabs.setTabVisible(index, not self.tabs.isTabVisible(index))
        self._settings.hidden_panels = {p.name for p in self._panels if not self.is_shown(p)}

    def show_badges(self) -> None:
        """Bring the badges up to date."""
        for index, panel in enumerate(self._panels):
            self.tabs.show_badge(index, panel.badge())

    def fill(self, menu: QMenu) -> None:
        """Put a switch for each panel into a menu."""
        for panel in self._panels:
            action = menu.addAction(panel.title)
            action.setCheckable(True)
            action.setChecked(self.is_shown(panel))
            action.triggered.connect(lambda _checked=False, panel=panel: self.toggle(panel))

    def _show(self, index: int) -> None:
        if 0 <= index < self.stack.count():
            self.stack.setCurrentIndex(index)

    def _remember(self, index: int) -> None:
        if 0 <= index < len(self._panels):
            self._settings.current_panel = self._panels[index].name

    def _ask_panels(self, at: QPoint) -> None:
        menu = QMenu(self)
        self.fill(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.tabs.mapToGlobal(at))
