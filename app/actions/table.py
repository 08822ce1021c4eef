"""The table of actions: menus, shortcuts, tooltips and the search for commands all read it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QWidget

from app.actions.action import Action
from app.actions.adding import adding_actions
from app.actions.around import help_actions, pane_actions
from app.actions.arranging import arranging_actions, picking_actions
from app.actions.bookmarks import bookmark_actions
from app.actions.editing import edit_actions
from app.actions.files import drawing_actions, file_actions
from app.actions.groups import group_actions, level_actions
from app.actions.marking import marking_actions
from app.actions.model import model_actions
from app.actions.panels import moving_actions, showing_actions
from app.actions.shortcuts import Shortcuts
from app.actions.view import look_actions, search_actions, zoom_actions
from app.actions.wires import listed_wire_actions, skip_actions, wire_actions
from app.widgets.field import Field
from app.widgets.menu import Menu

if TYPE_CHECKING:
    from app.main_window import MainWindow

MENUS = ("File", "Edit", "Node", "Arrange", "View", "Model", "Help")

ACTIONS: tuple[Action, ...] = (
    *file_actions(),
    *edit_actions(),
    *adding_actions(),
    *wire_actions(),
    *picking_actions(),
    *listed_wire_actions(),
    *group_actions(),
    *skip_actions(),
    *level_actions(),
    *marking_actions(),
    *arranging_actions(),
    *search_actions(),
    *pane_actions(),
    *zoom_actions(),
    *showing_actions(),
    *moving_actions(),
    *look_actions(),
    *bookmark_actions(),
    *model_actions(),
    *help_actions(),
    *drawing_actions(),
)
"""All actions; menus list theirs in this order."""


class Actions(QObject):
    """The table as Qt's actions, kept up to date with the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._actions: dict[str, QAction] = {}
        self._by_condition: dict[Callable[[MainWindow], bool], list[QAction]] = {}
        self.shortcuts = Shortcuts(window.settings, {action.id: (action.title, action.shortcuts) for action in ACTIONS})
        self.shortcuts.changed.connect(self._take_keys)
        for action in ACTIONS:
            qt = self._actions[action.id] = self._make(action)
            self._by_condition.setdefault(action.enabled, []).append(qt)

    def __getitem__(self, id: str) -> QAction:
        """The Qt action of that id."""
        return self._actions[id]

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Make the menus; returns them by title."""
        menus: dict[str, QMenu] = {}
        for title in MENUS:
            menu = Menu(f"&{title}", bar)
            bar.addMenu(menu)
            menu.setToolTipsVisible(False)
            section = 0
            for action in ACTIONS:
                if action.menu != title:
                    continue
                if action.section != section:
                    menu.addSeparator()
                    section = action.section
                menu.addAction(self._actions[action.id])
            menu.aboutToShow.connect(self.refresh)
            menus[title] = menu
        return menus

    def add_to(self, widget: QWidget) -> None:
        """Let a widget and what is in it hear the keys of the canvas."""
        for action in ACTIONS:
            if action.on_canvas:
                widget.addAction(self._actions[action.id])

    def refresh_enabled(self) -> None:
        """Bring what can be done up to date: Qt passes over the keys of what cannot be done."""
        for condition, actions in self._by_condition.items():
            can = condition(self._window)
            if can != actions[0].isEnabled():
                for qt in actions:
                    qt.setEnabled(can)

    def refresh(self) -> None:
        """Bring texts, switches and what can be done up to date."""
        self.refresh_enabled()
        for action in ACTIONS:
            qt = self._actions[action.id]
            if action.label is not None:
                qt.setText(action.label(self._window).replace("&", "&&"))
            if action.checked is not None:
                qt.setChecked(action.checked(self._window))

    def pop_up(self, ids: Sequence[str], at: QPoint, name: str) -> None:
        """Show some of the actions as a menu of that name at a place on the screen; an empty id is a line."""
        self.refresh()
        menu = Menu("", self._window, name=name)
        for id in ids:
            if id:
                menu.addAction(self._actions[id])
            else:
                menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def tooltip(self, id: str) -> str:
        """The title with its keys, for the button that stands for it."""
        action = next(action for action in ACTIONS if action.id == id)
        keys = self.shortcuts.text(id)
        return f"{action.title} ({keys})" if keys else action.title

    def _carry_out(self, do: Callable[[MainWindow], object]) -> None:
        """Do what was asked for with the drawing as it is with what is being typed on it or beside it."""
        if self._window.canvas is not None:
            self._window.canvas.keep_typed()
        field = QApplication.focusWidget()
        if isinstance(field, Field):
            field.ended.emit()
        do(self._window)

    def _take_keys(self, id: str) -> None:
        self._actions[id].setShortcuts([QKeySequence(keys) for keys in self.shortcuts.keys(id)])

    def _make(self, action: Action) -> QAction:
        qt = QAction(action.title, self._window)
        qt.setObjectName(action.id)
        qt.setShortcuts([QKeySequence(keys) for keys in self.shortcuts.keys(action.id)])
        qt.setShortcutContext(
            Qt.ShortcutContext.WidgetWithChildrenShortcut if action.on_canvas else Qt.ShortcutContext.WindowShortcut
        )
        qt.setCheckable(action.checked is not None)
        qt.setMenuRole(QAction.MenuRole.NoRole)
        qt.triggered.connect(lambda _checked=False, do=action.do: self._carry_out(do))
        if not action.on_canvas:
            self._window.addAction(qt)
        return qt
