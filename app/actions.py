"""The table of actions: menus, shortcuts, tooltips and the search for commands all read it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from app.around_actions import help_actions, pane_actions, wire_actions
from app.arranging_actions import arranging_actions, picking_actions
from app.bookmark_actions import bookmark_actions
from app.marking_actions import marking_actions
from app.motion import Motion
from app.shortcuts import Shortcuts
from app.tags import colour_menu

if TYPE_CHECKING:
    from app.main_window import MainWindow

MENUS = ("File", "Edit", "Arrange", "View", "Model", "Help")


COLOURS = "colours"
"""Stands in a menu for the menu of colours."""
NODE_MENU = (
    "cut", "copy", "paste", "duplicate", "delete", "delete_heal", "", "rename", "enter", "group", "ungroup",
    "repeat", "share_weights", "save_block", "residual", "long_skip", "",
    "join", "wire_to", "disconnect", "pull_out", "add_dot", "", "mute", "collapse", "frame", COLOURS, "", "run_here",
    "", "arrange", "tidy", "select_linked", "select_similar", "", "fit_selection",
)  # fmt: skip
"""The menu of what is selected on the canvas."""
CANVAS_MENU = ("paste", "select_all", "", "frame", "note", "", "tidy_all", "", "leave", "fit_all", "zoom_reset")
"""The menu of the empty canvas."""


@dataclass(frozen=True)
class Action:
    """Something a user can ask for.

    Args:
        id: its name in the program.
        title: what menus say.
        menu: the menu it is in; a new `section` begins with a line.
        do: does it.
        shortcuts: the keys, as long as the user wants no others; the first one is shown.
        enabled: whether it can be done now.
        label: what menus say instead of the title, where that depends on the state ("Undo Move attn").
        checked: for a switch, whether it is on.
        on_canvas: its keys count only while the canvas has the focus, so that fields and lists keep theirs.
        spoken: what the search for commands says instead of the title, where that needs its menu to be understood.
    """

    id: str
    title: str
    menu: str
    do: Callable[[MainWindow], object]
    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[MainWindow], bool] = lambda window: True
    label: Callable[[MainWindow], str] | None = None
    checked: Callable[[MainWindow], bool] | None = None
    on_canvas: bool = False
    section: int = 0
    spoken: str = ""


def _ready(window: MainWindow) -> bool:
    return window.is_ready


def _drawing(window: MainWindow) -> bool:
    return window.drawing is not None


def _selected(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.selection or window.drawing.comments)


def _one_selected(window: MainWindow) -> bool:
    return window.drawing is not None and window.drawing.focus is not None


def _can_rename(window: MainWindow) -> bool:
    session = window.drawing
    return session is not None and (session.focus is not None or len(session.comments) == 1)


def _nodes(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.document.level(window.drawing.at).nodes)


def _runnable(window: MainWindow) -> bool:
    return _nodes(window) and not window.is_running


def _several(window: MainWindow) -> bool:
    return window.workspace is not None and len(window.workspace.sessions) > 1


def _is_open(window: MainWindow, place: int) -> bool:
    return _several(window) and window.workspace is not None and place < len(window.workspace.sessions)


def _drawing_label(window: MainWindow, place: int) -> str:
    return f"Go to {window.workspace.sessions[place].title}" if _is_open(window, place) else f"Drawing {place + 1}"


def _undo_label(window: MainWindow) -> str:
    steps = window.drawing.history.done if window.drawing else []
    return f"Undo {steps[-1].label}" if steps else "Undo"


def _redo_label(window: MainWindow) -> str:
    steps = window.drawing.history.undone if window.drawing else []
    return f"Redo {steps[-1].label}" if steps else "Redo"


def _can_undo(window: MainWindow) -> bool:
    return window.drawing is not None and window.drawing.history.can_undo


def _can_redo(window: MainWindow) -> bool:
    return window.drawing is not None and window.drawing.history.can_redo


def _has_problem(window: MainWindow) -> bool:
    return window.drawing is not None and any(issue.path for issue in window.drawing.report.issues)


def _inside(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.at)


def _group_selected(window: MainWindow) -> bool:
    session = window.drawing
    return session is not None and session.focus is not None and session.document.node(session.focus).is_group


def _shares_weights(window: MainWindow) -> bool:
    session = window.drawing
    return session is not None and _group_selected(window) and session.document.node(session.focus).shared


ACTIONS: tuple[Action, ...] = (
    Action("new", "New …", "File", lambda w: w.show_gallery(), ("Ctrl+N",)),
    Action("new_empty", "New empty canvas", "File", lambda w: w.filing.new_empty(), ("Ctrl+Shift+N",), _ready),
    Action("open", "Open …", "File", lambda w: w.filing.ask_open(), ("Ctrl+O",), _ready),
    Action("save", "Save", "File", lambda w: w.filing.save(), ("Ctrl+S",), _drawing, section=1),
    Action("save_as", "Save as …", "File", lambda w: w.filing.save_as(), ("Ctrl+Shift+S",), _drawing, section=1),
    Action("export_onnx", "Export ONNX …", "File", lambda w: w.dialogs.export("onnx"), ("Ctrl+E",), _nodes, section=2),
    Action(
        "export_pytorch", "Export PyTorch code …", "File", lambda w: w.dialogs.export("pytorch"), ("Ctrl+Shift+E",),
        _nodes, section=2,
    ),
    Action("preferences", "Preferences …", "File", lambda w: w.dialogs.show_preferences(), ("Ctrl+,",), section=3),
    Action(
        "next_drawing", "Next drawing", "File", lambda w: w.filing.show_next(), ("Ctrl+Tab", "Ctrl+PgDown"), _several,
        section=4,
    ),
    Action(
        "previous_drawing", "Previous drawing", "File", lambda w: w.filing.show_next(-1),
        ("Ctrl+Shift+Tab", "Ctrl+PgUp"), _several, section=4,
    ),
    Action("close", "Close drawing", "File", lambda w: w.filing.close(), ("Ctrl+W",), _drawing, section=4),
    Action("quit", "Quit", "File", lambda w: w.close(), ("Ctrl+Q",), section=4),
    Action("undo", "Undo", "Edit", lambda w: w.session.undo(), ("Ctrl+Z",), _can_undo, _undo_label),
    Action("redo", "Redo", "Edit", lambda w: w.session.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"), _can_redo, _redo_label),
    Action("cut", "Cut", "Edit", lambda w: w.canvas.cut(), ("Ctrl+X",), _selected, on_canvas=True, section=1),
    Action("copy", "Copy", "Edit", lambda w: w.canvas.copy(), ("Ctrl+C",), _selected, on_canvas=True, section=1),
    Action("paste", "Paste", "Edit", lambda w: w.canvas.paste(), ("Ctrl+V",), _drawing, on_canvas=True, section=1),
    Action(
        "duplicate", "Duplicate", "Edit", lambda w: w.canvas.duplicate(), ("Ctrl+D",), _selected, on_canvas=True,
        section=1,
    ),
    Action(
        "paste_wired", "Paste with its inputs", "Edit", lambda w: w.canvas.paste(keep_inputs=True), ("Ctrl+Shift+V",),
        _drawing, on_canvas=True, section=1,
    ),
    Action(
        "duplicate_wired", "Duplicate with its inputs", "Edit", lambda w: w.canvas.duplicate(keep_inputs=True),
        ("Ctrl+Shift+D",), _selected, on_canvas=True, section=1,
    ),
    Action(
        "delete", "Delete", "Edit", lambda w: w.canvas.delete_selection(), ("Delete", "Backspace"), _selected,
        on_canvas=True, section=2,
    ),
    Action(
        "delete_heal", "Delete and reconnect", "Edit", lambda w: w.canvas.delete_selection(heal=True),
        ("Shift+Delete",), _selected, on_canvas=True, section=2,
    ),
    Action(
        "join", "Connect what is selected", "Edit", lambda w: w.canvas.join_selection(), ("J",), _selected,
        on_canvas=True, section=2,
    ),
    Action(
        "disconnect", "Cut its wires", "Edit", lambda w: w.canvas.disconnect_selection(), ("Shift+J",), _drawing,
        on_canvas=True, section=2,
    ),
    Action(
        "pull_out", "Pull out of its wires", "Edit", lambda w: w.canvas.pull_out_selection(), ("Alt+J",), _selected,
        on_canvas=True, section=2,
    ),
    Action(
        "add_dot", "Add a dot to the wire", "Edit", lambda w: w.canvas.add_dot(), (";",), _drawing, on_canvas=True,
        section=2,
    ),
    Action(
        "select_all", "Select all", "Edit", lambda w: w.canvas.select_all(), ("Ctrl+A",), _nodes, on_canvas=True,
        section=3,
    ),
    *picking_actions(),
    *wire_actions(),
    Action("rename", "Rename …", "Edit", lambda w: w.canvas.rename(), ("F2",), _can_rename, section=4),
    Action("group", "Group", "Edit", lambda w: w.canvas.group_selection(), ("Ctrl+G",), _selected, section=4),
    Action(
        "ungroup", "Ungroup", "Edit", lambda w: w.canvas.ungroup_selection(), ("Ctrl+Shift+G",), _group_selected,
        section=4,
    ),
    Action(
        "repeat", "Repeat …", "Edit", lambda w: w.canvas.edit_repeat(), ("R",), _group_selected, on_canvas=True,
        section=4,
    ),
    Action(
        "share_weights", "Share weights", "Edit", lambda w: w.canvas.toggle_shared(), ("Shift+R",),
        _group_selected, checked=_shares_weights, on_canvas=True, section=4,
    ),
    Action(
        "save_block", "Save to My blocks …", "Edit", lambda w: w.library.save_selected(), (), _group_selected, section=4
    ),
    Action(
        "residual", "Add a residual around", "Edit", lambda w: w.canvas.skip_selection("Add"), (), _selected, section=4
    ),
    Action(
        "long_skip", "Add a long skip around", "Edit", lambda w: w.canvas.skip_selection("Concat"), (), _selected,
        section=4,
    ),
    Action("enter", "Enter group", "Edit", lambda w: w.canvas.enter_group(), (), _group_selected, section=4),
    Action("leave", "Leave group", "Edit", lambda w: w.canvas.leave_group(), (), _inside, section=4),
    *marking_actions(),
    *arranging_actions(),
    Action("find_node", "Find a node …", "View", lambda w: w.finder.nodes(), ("Ctrl+F",), _nodes),
    Action("find_block", "Find a block", "View", lambda w: w.focus_palette(), ("Ctrl+B",)),
    *pane_actions(),
    Action("open_menus", "Open the menus", "View", lambda w: w.top_bar.open_menus(), ("F10",)),
    Action("find_command", "Find a command …", "View", lambda w: w.finder.commands(), ("Ctrl+Shift+P",)),
    Action(
        "fit_all", "Fit all", "View", lambda w: w.canvas.fit_all(), ("Home",), _nodes, on_canvas=True, section=1
    ),
    Action(
        "fit_selection", "Fit selection", "View", lambda w: w.fit(), ("F",), _nodes, on_canvas=True, section=1
    ),
    Action("zoom_in", "Zoom in", "View", lambda w: w.canvas.zoom_in(), ("Ctrl++", "Ctrl+="), _drawing, section=1),
    Action("zoom_out", "Zoom out", "View", lambda w: w.canvas.zoom_out(), ("Ctrl+-",), _drawing, section=1),
    Action("zoom_reset", "Actual size", "View", lambda w: w.canvas.zoom_reset(), ("Ctrl+0",), _drawing, section=1),
    Action(
        "palette", "Palette", "View", lambda w: w.docks.toggle("palette"), ("Ctrl+1",),
        checked=lambda w: w.docks.is_shown("palette"), section=2,
    ),
    Action(
        "properties", "Properties", "View", lambda w: w.docks.toggle("properties"), ("Ctrl+2",),
        checked=lambda w: w.docks.is_shown("properties"), section=2,
    ),
    Action(
        "outline", "Outline", "View", lambda w: w.docks.toggle("outline"), ("Ctrl+4",),
        checked=lambda w: w.docks.is_shown("outline"), section=2,
    ),
    Action(
        "readings", "Readings", "View", lambda w: w.docks.toggle("readings"), ("Ctrl+3",),
        checked=lambda w: w.docks.is_shown("readings"), section=2,
    ),
    Action(
        "theme_system", "Follow the system", "View", lambda w: w.set_theme("system"),
        checked=lambda w: w.settings.theme == "system", section=4,
    ),
    Action(
        "theme_dark", "Dark", "View", lambda w: w.set_theme("dark"),
        checked=lambda w: w.settings.theme == "dark", section=4,
    ),
    Action(
        "theme_light", "Light", "View", lambda w: w.set_theme("light"),
        checked=lambda w: w.settings.theme == "light", section=4,
    ),
    Action(
        "motion", "Show transitions", "View", lambda w: Motion.switch(w.settings), checked=lambda w: Motion.is_on,
        section=4,
    ),
    *bookmark_actions(),
    Action("run", "Run", "Model", lambda w: w.watch.run(), ("F5", "Ctrl+R"), _runnable),
    Action(
        "run_here", "Run to here", "Model", lambda w: w.watch.run_to_here(), ("Ctrl+F5",),
        lambda w: _runnable(w) and _one_selected(w),
    ),
    Action("cancel", "Cancel the run", "Model", lambda w: w.watch.cancel(), ("Shift+F5",), lambda w: w.is_running),
    Action("next_problem", "Next problem", "Model", lambda w: w.watch.next_problem(), ("F8",), _has_problem, section=1),
    Action(
        "previous_problem", "Previous problem", "Model", lambda w: w.watch.next_problem(-1), ("Shift+F8",),
        _has_problem, section=1,
    ),
    *help_actions(),
    *(
        Action(
            f"drawing_{place + 1}", f"Drawing {place + 1}", "", lambda w, place=place: w.filing.show_place(place),
            (f"Alt+{place + 1}",), lambda w, place=place: _is_open(w, place),
            lambda w, place=place: _drawing_label(w, place),
        )
        for place in range(9)
    ),
)  # fmt: skip


class Actions(QObject):
    """The table as Qt's actions, kept up to date with the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._actions: dict[str, QAction] = {}
        self.shortcuts = Shortcuts(window.settings, {action.id: (action.title, action.shortcuts) for action in ACTIONS})
        self.shortcuts.changed.connect(self._take_keys)
        for action in ACTIONS:
            self._actions[action.id] = self._make(action)

    def __getitem__(self, id: str) -> QAction:
        """The Qt action of that id."""
        return self._actions[id]

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Make the menus; returns them by title."""
        menus: dict[str, QMenu] = {}
        for title in MENUS:
            menu = bar.addMenu(title)
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

    def refresh(self) -> None:
        """Bring texts, switches and what can be done up to date."""
        for action in ACTIONS:
            qt = self._actions[action.id]
            qt.setEnabled(action.enabled(self._window))
            if action.label is not None:
                qt.setText(action.label(self._window).replace("&", "&&"))
            if action.checked is not None:
                qt.setChecked(action.checked(self._window))

    def pop_up(self, ids: Sequence[str], at: QPoint) -> None:
        """Show some of the actions as a menu at a place on the screen; an empty id is a line."""
        self.refresh()
        menu = QMenu(self._window)
        for id in ids:
            if id == COLOURS:
                menu.addMenu(colour_menu(self, menu))
            elif id:
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
        qt.triggered.connect(lambda _checked=False, do=action.do: do(self._window))
        if not action.on_canvas:
            self._window.addAction(qt)
        return qt
