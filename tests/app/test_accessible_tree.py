"""The whole tree that a screen reader walks: every node of it in the window, the panels with content, the dialogs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from graph.commands import SetParam

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow

Role, Text = QAccessible.Role, QAccessible.Text
RUN = 120_000
GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}
SPEAKING = {
    Role.Button, Role.ButtonMenu, Role.ButtonDropDown, Role.CheckBox, Role.RadioButton, Role.EditableText,
    Role.ComboBox, Role.SpinBox, Role.Slider, Role.List, Role.ListItem, Role.Tree, Role.TreeItem, Role.Table,
    Role.Cell, Role.ColumnHeader, Role.PageTabList, Role.PageTab, Role.MenuBar, Role.MenuItem, Role.ProgressBar,
}  # fmt: skip
"""What must have a name; the rest only holds others or is text itself."""
MANY = 40
"""So many children of a list or table are looked at."""


def walk(interface: QAccessibleInterface, depth: int = 0) -> Iterator[tuple[QAccessibleInterface, int]]:
    """Everything that is there and can be seen, from the top."""
    yield interface, depth
    for place in range(min(interface.childCount(), MANY)):
        child = interface.child(place)
        if child is None or not child.isValid():
            continue
        owner = child.object()
        if not isinstance(owner, QWidget) or (owner.isVisible() and not owner.isWindow()):
            yield from walk(child, depth + 1)


def of_combo(interface: QAccessibleInterface) -> bool:
    """A combo box's own parts are Qt's; its name comes from the label that belongs to it."""
    parent = interface.parent()
    while parent is not None and parent.isValid():
        if parent.role() == Role.ComboBox:
            return True
        parent = parent.parent()
    return False


def _path(interface: QAccessibleInterface) -> str:
    parent, names = interface.parent(), []
    while parent is not None and parent.isValid() and len(names) < 3:
        names.append(f"{type(parent.object()).__name__} {parent.text(Text.Name)}")
        parent = parent.parent()
    return " in ".join(names)


def faults(root: QWidget) -> list[str]:
    """What a screen reader could not say, or would say of two things alike."""
    found: list[str] = []
    top = QAccessible.queryAccessibleInterface(root)
    assert top is not None
    names: Counter[tuple[str, str, str]] = Counter()
    for interface, _ in walk(top):
        role, name = interface.role(), interface.text(Text.Name).strip()
        owner = interface.object()
        where = type(owner).__name__ if owner is not None else "part"
        if role not in SPEAKING or of_combo(interface) or (owner is not None and owner.objectName().startswith("qt_")):
            continue
        if role == Role.ComboBox:
            labels = [one for one, _ in interface.relations(QAccessible.RelationFlag.Label)]
            name = next((one.text(Text.Name) for one in labels), "") or (owner.accessibleName() if owner else "")
        if not name:
            found.append(f"{where}, {role.name}, has no name in {_path(interface)}")
        if role in (Role.Button, Role.ButtonMenu, Role.CheckBox, Role.RadioButton, Role.EditableText, Role.ComboBox):
            names[(str(id(interface.parent().object())), role.name, name)] += 1
        if role == Role.EditableText and not interface.state().readOnly and interface.valueInterface() is None:
            assert interface.textInterface() is not None, f"{name} has no text to read"
    found += [f"{count} {role}s are called {name}" for (_, role, name), count in names.items() if count > 1]
    return found


@pytest.fixture
def ran(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A drawing that was run."""
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    window.watch.run()
    qtbot.waitUntil(lambda: not window.is_running, timeout=RUN)
    assert window.workspace is not None and window.workspace.run_state.state == "done"
    return window


def test_the_gallery(window: MainWindow) -> None:
    assert faults(window) == []
    window.gallery.choose("unet")
    QApplication.processEvents()
    assert faults(window) == []


def test_the_window_and_all_panels_with_content(ran: MainWindow, qtbot: QtBot) -> None:
    for path in (("decoder", "attn"), ("tokens",), ("decoder",)):
        ran.session.show(path)
        for panel in ran.docks.panels:
            ran.docks.reveal(panel.name)
            asked = getattr(panel, "_questions", ())
            qtbot.waitUntil(lambda asked=asked: not any(question.busy for question in asked), timeout=RUN)
            QTest.qWait(20)
            assert faults(ran) == [], panel.name
    ran.session.do(SetParam(("decoder",), "attn", "dim", 48))
    ran.docks.reveal("problems")
    QTest.qWait(50)
    assert faults(ran) == []


def test_tables_and_trees_show_their_cells(ran: MainWindow, qtbot: QtBot) -> None:
    panels = {panel.name: panel for panel in ran.docks.panels}
    ran.docks.reveal("activations")
    model = panels["activations"].table.model()
    qtbot.waitUntil(lambda: model.rowCount() > 5, timeout=RUN)
    table = QAccessible.queryAccessibleInterface(panels["activations"].table)
    said = {role: [] for role in (Role.ColumnHeader, Role.Cell)}
    for interface, _ in walk(table):
        if interface.role() in said:
            said[interface.role()].append(interface.text(Text.Name))
    assert len(said[Role.ColumnHeader]) == model.columnCount() and all(said[Role.ColumnHeader])
    assert len(said[Role.Cell]) >= 2 * model.columnCount() and all(said[Role.Cell])
    tree = QAccessible.queryAccessibleInterface(panels["outline"].tree)
    items = [tree.child(place) for place in range(tree.childCount())]
    assert [item.text(Text.Name) for item in items if item.role() == Role.TreeItem][:1] != [""]


@pytest.mark.parametrize("action", ["preferences", "keys", "about", "export_onnx", "export_pytorch", "save_block"])
def test_every_dialog(window: MainWindow, action: str) -> None:
    window.filing.new_from_template("gpt", GPT)
    window.session.select(["decoder"])
    QApplication.processEvents()
    window.commands.refresh()
    window.commands[action].trigger()
    QApplication.processEvents()
    dialog = next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
    assert faults(dialog) == []
    dialog.reject()


def test_search_and_messages(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    window.finder.commands()
    assert faults(window) == []
    window.finder.popup.close_search()
    window.banners.say("Something to know.", ("Do it", lambda: None))
    window.tour.start()
    QApplication.processEvents()
    assert faults(window) == []
