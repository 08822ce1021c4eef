"""Keys, menus and forms of the window that mark nodes: switched off, collapsed, tagged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.bars.context_menus import pop_up
from app.tags import TAGS
from app.widgets.menu import plain
from graph.commands import SetParam
from graph.files import document_to_data

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier


def press(window: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QApplication.processEvents()
    QTest.keyClick(window.canvas, key, keys)
    QApplication.processEvents()


def test_keys_switch_off_and_collapse(gpt: MainWindow) -> None:
    session = gpt.session
    before = document_to_data(session.document)
    session.select(["decoder", "final_norm"])
    press(gpt, Qt.Key.Key_M)
    assert [id for id, node in session.document.top.nodes.items() if node.muted] == ["decoder", "final_norm"]
    assert gpt.commands["mute"].text() == "Switch on again"
    press(gpt, Qt.Key.Key_H)
    assert all(session.document.top.node(id).collapsed for id in session.selection)
    assert gpt.commands["collapse"].text() == "Unfold"
    assert gpt.commands["undo"].text() == "Undo Collapse 2 nodes"
    press(gpt, Qt.Key.Key_Z, CONTROL)
    press(gpt, Qt.Key.Key_Z, CONTROL)
    assert document_to_data(session.document) == before


def test_letters_typed_into_a_title_are_no_keys(gpt: MainWindow) -> None:
    gpt.session.select(["head"])
    press(gpt, Qt.Key.Key_F2)
    QTest.keyClicks(gpt.canvas.editor, "mh")
    QTest.keyClick(gpt.canvas.editor, Qt.Key.Key_Return)
    node = gpt.session.document.top.node("head")
    assert (node.title, node.muted, node.collapsed) == ("mh", False, False)


def test_the_menu_of_nodes_offers_the_colours(gpt: MainWindow) -> None:
    gpt.session.select(["head"])
    gpt.canvas.asked = "nodes"
    pop_up(gpt, gpt.canvas, gpt.mapToGlobal(gpt.rect().center()))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    (colours,) = [action.menu() for action in menu.actions() if action.menu() and plain(action.text()) == "Colour"]
    names = [plain(action.text()) for action in colours.actions()]
    assert names == [*(name.capitalize() for name in TAGS), "No colour"]
    assert not colours.actions()[0].icon().isNull()
    colours.actions()[names.index("Blue")].trigger()
    assert gpt.session.document.top.node("head").colour == "blue"
    menu.close()
    QApplication.processEvents()


def test_the_search_for_commands_finds_them(gpt: MainWindow) -> None:
    gpt.session.select(["head"])
    gpt.commands.refresh()
    titles = [entry.title for entry in gpt.finder._command_lines("colour red")]
    assert "Colour: red" in titles


def test_run_to_here_shows_what_comes_out_and_changes_nothing(gpt: MainWindow, qtbot: QtBot) -> None:
    session = gpt.session
    session.do(SetParam((), "head", "in_features", 5))
    before = document_to_data(session.document)
    session.show(("decoder", "mlp"))
    press(gpt, Qt.Key.Key_F5, CONTROL)
    qtbot.waitUntil(lambda: gpt.workspace.run_state.state == "done", timeout=120_000)
    found = gpt.workspace.run_state.data["activations"]
    assert "decoder.0/mlp" in found and "head" not in found
    panel = next(panel for panel in gpt.docks.panels if panel.name == "activations")
    qtbot.waitUntil(lambda: panel.isVisible() and panel.address == "decoder.0/mlp", timeout=5_000)
    assert document_to_data(session.document) == before
    assert len(session.history.done) == 1


def test_run_to_a_node_that_gives_nothing_says_why(gpt: MainWindow) -> None:
    gpt.session.do(SetParam((), "head", "in_features", 5))
    said: list[str] = []
    gpt.session.refused.connect(said.append)
    gpt.session.select(["head"])
    press(gpt, Qt.Key.Key_F5, CONTROL)
    assert said and said[0].startswith("Nothing comes out of Unembedding")
    assert not gpt.is_running
