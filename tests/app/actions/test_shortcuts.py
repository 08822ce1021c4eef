"""Keys of actions: found, changed, taken from others, reset, remembered; menus and tooltips follow at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.shortcuts import FIXED, Shortcuts
from app.actions.table import ACTIONS, MENUS
from app.dialogs.keys import ASK, CANVAS_KEYS, KeysDialog
from app.settings import Settings

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
TABLE = {"save": ("Save", ("Ctrl+S",)), "redo": ("Redo", ("Ctrl+Y", "Ctrl+Shift+Z")), "tidy": ("Tidy …", ())}


@pytest.fixture
def shortcuts(qapp: QApplication, tmp_path: Path) -> Shortcuts:
    return Shortcuts(Settings(tmp_path), TABLE)


def test_keys_are_given_taken_and_reset(shortcuts: Shortcuts) -> None:
    told: list[str] = []
    shortcuts.changed.connect(told.append)
    shortcuts.give("tidy", "Ctrl+Y")
    assert shortcuts.keys("tidy") == ("Ctrl+Y",)
    assert shortcuts.keys("redo") == ("Ctrl+Shift+Z",), "only the keys in question change hands"
    assert set(told) == {"tidy", "redo"}
    shortcuts.reset("redo")
    assert shortcuts.keys("redo") == ("Ctrl+Y", "Ctrl+Shift+Z")
    assert shortcuts.keys("tidy") == ()
    assert not shortcuts.is_own("redo")
    assert not shortcuts.is_own("tidy"), "what has the keys of the program is not the user's own"
    shortcuts.take_away("save")
    assert shortcuts.text("save") == ""
    shortcuts.reset_all()
    assert shortcuts.text("save") == "Ctrl+S"


def test_keys_are_remembered_and_nonsense_is_passed_over(tmp_path: Path, qapp: QApplication) -> None:
    settings = Settings(tmp_path)
    first = Shortcuts(settings, TABLE)
    first.give("save", "Ctrl+Alt+S")
    first.take_away("redo")
    settings.set_shortcut("tidy", ("Ctrl+gibberish",))
    settings.set_shortcut("gone", ("Ctrl+1",))
    settings.flush()
    again = Shortcuts(Settings(tmp_path), TABLE)
    assert again.keys("save") == ("Ctrl+Alt+S",)
    assert again.keys("redo") == ()
    assert again.keys("tidy") == ()
    again.reset_all()
    assert Settings(tmp_path).shortcuts.keys() <= {"tidy", "gone"}


def test_what_the_canvas_keeps_is_refused_in_words(shortcuts: Shortcuts) -> None:
    assert shortcuts.refusal("Tab") == "The canvas keeps Tab for itself: find a block, or the next node."
    assert shortcuts.refusal("Ctrl+Shift+K") == ""
    assert shortcuts.refusal("") != ""
    taken = {QKeySequence(keys).toString() for action in ACTIONS for keys in action.shortcuts}
    assert not taken & {QKeySequence(keys).toString() for keys in FIXED}


@pytest.fixture
def dialog(window: MainWindow) -> KeysDialog:
    QTest.keyClick(window, Qt.Key.Key_F1)
    QApplication.processEvents()
    dialog = window.findChild(KeysDialog)
    assert dialog is not None and dialog.isVisible()
    return dialog


def test_the_sheet_lists_every_action_and_finds_by_name_and_keys(dialog: KeysDialog) -> None:
    listed = [entry.name for entry in dialog.model.entries if entry.kind == "action"]
    assert set(listed) == {action.id for action in ACTIONS if action.menu in MENUS or action.id.startswith("panel_")}
    assert len([entry for entry in dialog.model.entries if entry.kind == "fixed"]) == len(CANVAS_KEYS)
    QTest.keyClicks(dialog.field, "duplic")
    assert dialog.chosen == "duplicate"
    dialog.field.setText("ctrl+d")
    assert "duplicate" in [entry.name for entry in dialog.model.entries]
    dialog.field.setText("nothing is called so")
    assert dialog.model.entries == []
    assert not dialog.keys.isEnabled()


def test_new_keys_hold_at_once_everywhere(window: MainWindow, dialog: KeysDialog) -> None:
    QTest.keyClicks(dialog.field, "run")
    assert dialog.chosen == "run"
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.keys.text() == ASK
    QTest.keyClick(dialog.keys, Qt.Key.Key_Control)
    assert dialog.keys.text() == ASK, "a modifier alone is no key"
    QTest.keyClick(dialog.keys, Qt.Key.Key_F12, SHIFT)
    assert window.commands["run"].shortcut().toString() == "Shift+F12"
    assert "Shift+F12" in window.top_bar.run.toolTip()
    assert window.settings.shortcuts == {"run": ("Shift+F12",)}
    found = [entry for entry in window.finder._command_lines("") if entry.name == "run"]
    assert not found or found[0].detail == "Shift+F12"
    entry = next(entry for entry in dialog.model.entries if entry.name == "run")
    assert entry.detail == "Shift+F12, not F5"
    QTest.mouseClick(dialog.reset, Qt.MouseButton.LeftButton)
    assert window.commands["run"].shortcut().toString() == "F5"
    assert window.settings.shortcuts == {}


def test_conflicts_are_told_and_resolved(window: MainWindow, dialog: KeysDialog) -> None:
    QTest.keyClicks(dialog.field, "tidy")
    id = dialog.chosen
    dialog.keys.ask()
    QTest.keyClick(dialog.keys, Qt.Key.Key_S, CONTROL)
    assert dialog.message.text() == "Ctrl+S belongs to “Save”."
    assert dialog.take.isVisible() and dialog.take.hasFocus()
    assert window.commands["save"].shortcut().toString() == "Ctrl+S", "nothing has changed yet"
    QTest.keyClick(dialog.take, Qt.Key.Key_Space)
    assert window.commands[id].shortcut().toString() == "Ctrl+S"
    assert window.commands["save"].shortcut().isEmpty()
    QTest.mouseClick(dialog.reset_all, Qt.MouseButton.LeftButton)
    assert window.commands["save"].shortcut().toString() == "Ctrl+S"
    dialog.keys.ask()
    QTest.keyClick(dialog.keys, Qt.Key.Key_Tab)
    assert "keeps Tab" in dialog.message.text()
    assert not dialog.take.isVisible()


def test_escape_leaves_the_keys_as_they_are(window: MainWindow, dialog: KeysDialog, hand: Hand) -> None:
    QTest.keyClicks(dialog.field, "save")
    before = window.commands.shortcuts.keys(dialog.chosen)
    hand.click(dialog.keys)
    assert dialog.keys.text() == ASK
    QTest.keyClick(dialog.keys, Qt.Key.Key_Escape)
    assert dialog.isVisible(), "Esc leaves the field, not the dialog"
    assert window.commands.shortcuts.keys(dialog.chosen) == before
    QTest.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)
    assert window.commands.shortcuts.keys(dialog.chosen) == ()


def test_changed_keys_hold_after_a_restart(open_window: Callable[..., MainWindow], engine: Engine) -> None:
    first = open_window(engine=engine)
    first.commands.shortcuts.give("preferences", "Ctrl+Alt+P")
    first.close()
    second = open_window(engine=engine)
    assert second.commands["preferences"].shortcut().toString() == "Ctrl+Alt+P"
