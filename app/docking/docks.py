"""What lies around the canvas: at first palette and outline left, properties right, the readings below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from app.docking.area import DockArea
from app.docking.carrying import Carrying
from app.docking.floating import FloatWindow
from app.docking.group import Group
from app.docking.layout import READINGS, Float, Side, Tabs, default
from app.docking.remembering import from_text, to_text

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.panels.base import Panel
    from app.settings import Settings

DEFAULT_SIZE = (1600, 1000)
TITLE_BAR = 40
"""What the system puts around a window takes so much of the screen's height at most."""
TITLES = {
    "palette": "Palette", "outline": "Outline", "properties": "Properties", "attention_maps": "Attention maps",
    "activations": "Activations", "memory": "Memory", "code": "Code", "problems": "Problems", "history": "History",
}  # fmt: skip
"""The panels of the program by name; their headers are there before they are."""
BESIDE = QPoint(24, 24)
"""From where a panel was to its window, when it was not dragged."""
NEIGHBOURS: dict[str, tuple[tuple[str, ...], Side]] = {
    "left": (("outline", "palette"), "left"), "right": (("properties",), "right"), "bottom": (READINGS, "below"),
}  # fmt: skip
"""Where a panel goes that no layout knows, by its side: to the first of these, or to an edge."""


class Docks(QObject):
    """The panels of the window, wherever they are.

    While the gallery is shown only the palette is; what the user has closed stays closed after it.
    """

    def __init__(self, window: MainWindow, settings: Settings, palette: QWidget, middle: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self.panels: list[Panel] = []
        self.layout = default(*DEFAULT_SIZE)
        self.area = DockArea(middle)
        self.area.resized.connect(self._save)
        self.carrying = Carrying(self)
        self.current = ""
        """The panel that has the focus, or had it last."""
        self._titles = dict(TITLES)
        self._widgets: dict[str, QWidget] = {"palette": palette}
        self.places: dict[Tabs, Group] = {}
        """The groups around the canvas, whether or not they have something to show."""
        self.windows: dict[Float, FloatWindow] = {}
        self._shelf = QWidget(window)  # holds panels while they are nowhere
        self._shelf.hide()
        palette.setParent(self._shelf)
        self._in_gallery = False
        self._is_open = True
        QApplication.instance().focusChanged.connect(self._focus_changed)
        QGuiApplication.instance().screenRemoved.connect(self._gather)

    # The panels

    def add_panel(self, panel: Panel) -> None:
        """Put a panel in its place."""
        self.panels.append(panel)
        panel.setParent(self._shelf)
        self._widgets[panel.name] = panel
        self._titles[panel.name] = panel.title
        self.layout.add(panel.name, *NEIGHBOURS[panel.side])
        self._arrange()

    def title(self, name: str) -> str:
        """What a panel is called."""
        return self._titles.get(name, "")

    def group_of(self, name: str) -> Group | None:
        """Where a panel is shown, or None."""
        return next((group for group in self.groups() if name in group.names), None)

    def groups(self) -> list[Group]:
        """The places in which panels are shown: around the canvas from left to right, then in windows."""
        docked = [group for group in map(self.places.get, self.layout.tabs()) if group is not None]
        afloat = [window.group for window in self.windows.values() if not window.isHidden()]
        return [*(group for group in docked if not group.isHidden()), *afloat]

    def show_badges(self) -> None:
        """Bring what headers say beside names up to date."""
        for group in self.groups():
            group.show_badges(self._badge)

    # What is shown

    def is_shown(self, name: str) -> bool:
        """Whether a panel is there, or the readings are (the gallery aside)."""
        return self.layout.readings if name == "readings" else name not in self.layout.closed

    def toggle(self, name: str) -> None:
        """Show or close a panel, or all that is below the canvas."""
        if name == "readings":
            self.layout.readings = not self.layout.readings
            self._changed()
        elif self._wants(name):
            self.close(name)
        else:
            self.show(name)

    def show(self, name: str) -> None:
        """Let a panel be there, in front."""
        self._show(name)
        self._changed()

    def close(self, name: str) -> None:
        """Take a panel away until it is asked for; it keeps its place."""
        self.layout.closed.add(name)
        self._changed()

    def reveal(self, name: str) -> Panel | None:
        """Bring a panel to the front, wherever it is hidden."""
        panel = next((panel for panel in self.panels if panel.name == name), None)
        if panel is not None:
            self.show(name)
            window = panel.window()
            if isinstance(window, FloatWindow) and window.isVisible():
                window.raise_()
        return panel

    def show_gallery(self, shown: bool) -> None:
        """Make room for the gallery, or give it back."""
        self._in_gallery = shown
        self._arrange()

    # Moving panels

    def move(self, name: str, side: Side) -> None:
        """Put a panel to a side of the canvas."""
        self.area.keep_sizes()
        self.layout.put_at([name], side)
        self._settle(name)

    def tab_with(self, name: str, other: str) -> None:
        """Make a panel a tab beside another."""
        goal = self.layout.float_of(other) or self.layout.home(other)
        if goal is not None:
            self.area.keep_sizes()
            self.layout.put_with([name], goal)
            self._settle(name)

    def stretch(self, name: str, by: int, *, upright: bool) -> None:
        """Make a panel higher or wider by so many pixels, or less so."""
        one, home = self.layout.float_of(name), self.layout.home(name)
        if one is not None:
            size = self.windows[one].size()
            self.windows[one].resize(size + (QSize(0, by) if upright else QSize(by, 0)))
        elif home is not None:
            self.area.stretch(home, by, upright=upright)
            self._save()

    def is_floating(self, name: str) -> bool:
        """Whether a panel has left the main window."""
        return self.layout.float_of(name) is not None

    def turn(self, names: Sequence[str]) -> None:
        """Let panels float, or put them back where they were."""
        front = self.front_of(names)
        if self.is_floating(names[0]):
            self.layout.dock(names)
        else:
            group = self.group_of(names[0])
            corner = group.mapToGlobal(BESIDE) if group is not None else self._window.pos()
            self.carrying.float(names, corner, wholly=True)
        self._settle(front)

    def reset(self) -> None:
        """Put everything where it is at first."""
        self.layout = default(self._window.width(), self._window.height())
        for panel in self.panels:
            self.layout.add(panel.name, *NEIGHBOURS[panel.side])
        self._changed()

    # From one start to the next

    def restore(self) -> None:
        """Put the window and its panels where they were, or where they are meant to be."""
        geometry = self._settings.geometry
        if geometry is None or not self._window.restoreGeometry(geometry):
            screen = self._window.screen().availableGeometry()
            width, height = screen.width(), screen.height() - TITLE_BAR
            self._window.resize(min(DEFAULT_SIZE[0], width), min(DEFAULT_SIZE[1], height))
        known = from_text(self._settings.layout)
        fresh = default(*self._room())
        if known is not None:
            for tabs in fresh.tabs():  # of a program that had fewer panels
                for name in tabs.panels:
                    side = "bottom" if name in READINGS else "right" if name == "properties" else "left"
                    known.add(name, *NEIGHBOURS[side])
        self.layout = known or fresh
        self._arrange()

    def fit(self) -> None:
        """The window comes up, perhaps on another screen: share it out as it was shared out before."""
        self.layout.fit(*self._room())
        self.area.show_layout(self.layout, self.area.groups)

    def remember(self) -> None:
        """Keep how the panels lie for the next start, and take the windows away."""
        self._is_open = False
        self.carrying.end()
        self.area.keep_sizes()
        self._note_extent()
        self._settings.set_window(self._window.saveGeometry(), to_text(self.layout))
        for window in self.windows.values():
            window.hide()

    # Inside

    def _wants(self, name: str) -> bool:
        """Whether a panel is to be there, the gallery aside."""
        if name not in self._titles or name in self.layout.closed:
            return False
        return self.layout.readings or self.is_floating(name) or name not in self.layout.below()

    def _show(self, name: str) -> None:
        self.layout.closed.discard(name)
        if name in self.layout.below() and not self.is_floating(name):
            self.layout.readings = True
        place = self.layout.float_of(name) or self.layout.home(name)
        if place is not None:
            place.front = name

    def front_of(self, names: Sequence[str]) -> str:
        """Which of panels that lie together is in front."""
        group = self.group_of(names[0])
        return group.front if group is not None and group.front in names else names[0]

    def _changed(self) -> None:
        self._arrange()
        self._save()

    def _room(self) -> tuple[int, int]:
        """The size that the window has, or is about to take."""
        fills = self._window.isMaximized() or self._window.isFullScreen()
        size = self._window.screen().availableSize() if fills else self._window.size()
        return size.width(), size.height()

    def _note_extent(self) -> None:
        self.layout.extent = self._room()

    def _save(self) -> None:
        self._note_extent()
        self._settings.layout = to_text(self.layout)

    def _settle(self, name: str) -> None:
        """Panels were moved: bring one to the front and let the keyboard follow it."""
        self._show(name)
        self._changed()
        group = self.group_of(name)
        if group is not None:
            if group.window() is not self._window:
                group.window().activateWindow()
            group.bar.setFocus()

    def _arrange(self) -> None:
        """Let widgets follow the layout."""
        focus = QApplication.focusWidget()
        shows = {
            name for name in self.layout.names if self._wants(name) and (name == "palette" or not self._in_gallery)
        }
        groups, windows = self.places, self.windows
        self.area.setUpdatesEnabled(False)
        self.places = {tabs: groups.pop(tabs, None) or self._new_group(Group(self.area)) for tabs in self.layout.tabs()}
        self.windows = {one: windows.pop(one, None) or self._new_window(one) for one in self.layout.floats}
        seen: dict[Tabs, Group] = {}
        for tabs, group in self.places.items():
            names = [name for name in tabs.panels if name in shows and not self.is_floating(name)]
            if names:
                seen[tabs] = group
                group.show_panels(names, self._titles, self._widgets, tabs.front)
            group.setVisible(bool(names))
        for one, window in self.windows.items():
            names = [name for name in one.panels if name in shows]
            if names:
                window.group.show_panels(names, self._titles, self._widgets, one.front)
                window.setWindowTitle(f"{self.title(window.group.front)} – Blockwright")
            self._show_window(window, bool(names))
        for group in [*groups.values(), *(window.group for window in windows.values())]:
            self._discard(group)
        for window in windows.values():
            window.hide()
            window.deleteLater()
        self.area.show_layout(self.layout, seen)
        self.area.setUpdatesEnabled(True)
        self.show_badges()
        self._keep_focus(focus)

    def _keep_focus(self, focus: QWidget | None) -> None:
        """What had the focus keeps it while it is there; else the canvas takes it."""
        if focus is None or focus is QApplication.focusWidget():
            return
        if focus.isVisible():
            focus.setFocus()
        elif self._window.stack.isVisible():
            self._window.stack.currentWidget().setFocus()

    def _new_group(self, group: Group) -> Group:
        self.carrying.connect_to(group)
        group.turned.connect(self.turn)
        group.chosen.connect(self._choose)
        group.closed.connect(self.close)
        group.dropped.connect(self._reorder)
        group.menu_wanted.connect(self._ask_menu)
        return group

    def _new_window(self, one: Float) -> FloatWindow:
        window = FloatWindow(one, self._window)
        self._new_group(window.group)
        window.dismissed.connect(lambda: self._dismiss(one))
        return window

    def _show_window(self, window: FloatWindow, shown: bool) -> None:
        if not shown:
            window.hide()
        elif self._window.isVisible() and self._is_open:
            window.present()

    def _discard(self, group: Group) -> None:
        for panel in self._widgets.values():
            if group.stack.indexOf(panel) >= 0:
                panel.setParent(self._shelf)
        group.hide()
        group.deleteLater()

    def _badge(self, name: str) -> str:
        return next((panel.badge() for panel in self.panels if panel.name == name), "")

    def _choose(self, name: str) -> None:
        self.current = name
        self.show(name)

    def _reorder(self, name: str, place: int) -> None:
        goal = self.layout.float_of(name) or self.layout.home(name)
        group = self.group_of(name)
        if goal is not None and group is not None:
            other = group.names[place]
            rest = [one for one in goal.panels if one != name]
            rest.insert(rest.index(other) + (place > group.names.index(name)), name)
            goal.panels[:] = rest
            self._changed()

    def _dismiss(self, one: Float) -> None:
        self.layout.closed.update(one.panels)
        self._changed()

    def _ask_menu(self, name: str, at: QPoint) -> None:
        from app.docking.menu import pop_up_panel

        self.current = name
        pop_up_panel(self._window, name, at)

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        while new is not None and not isinstance(new, Group):
            new = new.parentWidget()
        if isinstance(new, Group) and new.front:
            self.current = new.front

    def _gather(self) -> None:
        """A screen is gone: bring the windows that were on it into view."""
        for window in self.windows.values():
            if window.isVisible():
                window.hide()
        self._arrange()
