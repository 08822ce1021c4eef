"""Menus by keys: letters in every menu, each its own; menus where they belong; keys that come back afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.menu import plain, with_letters

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow

GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}
Key = Qt.Key
ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    return window


def opened() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def close(menu: QMenu) -> None:
    QTest.keyClick(menu, Key.Key_Escape)
    QApplication.processEvents()


def test_letters_are_those_of_words_and_never_twice() -> None:
    assert with_letters(["Cut", "Copy", "Paste", "Collapse"]) == ["&Cut", "C&opy", "&Paste", "Co&llapse"]
    assert with_letters(["Save", "Save as …"]) == ["&Save", "Save &as …"]
    assert with_letters(["R&&D", "Réd"]) == ["&R&&D", "Ré&d"]
    assert plain("Save &as R&&D") == "Save as R&D"
    assert with_letters(with_letters(["Cut", "Copy"])) == ["&Cut", "C&opy"]


def test_every_line_of_every_menu_has_a_letter_of_its_own(gpt: MainWindow) -> None:
    gpt.session.select(["decoder"])
    menus = [action.menu() for action in gpt.top_bar.menus.actions()]
    menus += [gpt.menus.recent, gpt.menus.panels, gpt.menus.bookmarks, gpt.menus.exports, gpt.menus.drawings]
    for menu in menus:
        assert isinstance(menu, QMenu)
        menu.popup(QPoint(20, 20))
        QApplication.processEvents()
        check_letters(menu)
        close(menu)
    for chosen in (["decoder"], []):
        gpt.session.select(chosen)
        QTest.keyClick(gpt.canvas, Key.Key_F10, SHIFT)
        check_letters(opened())
        close(opened())


def test_every_menu_fits_a_small_screen(gpt: MainWindow) -> None:
    for action in gpt.top_bar.menus.actions():
        assert action.menu().sizeHint().height() <= 720, action.text()


def check_letters(menu: QMenu) -> None:
    lines = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
    letters = [QKeySequence.mnemonic(action.text()).toString() for action in lines]
    given = [letter for letter in letters if letter]
    assert len(set(given)) == len(given), menu.accessibleName()
    assert len(given) >= min(len(lines), 20), [action.text() for action in lines]
    assert menu.accessibleName()


def test_alt_and_a_letter_open_a_menu_and_a_letter_takes_a_line(gpt: MainWindow, qtbot: QtBot) -> None:
    gpt.session.select(["decoder"])
    QApplication.processEvents()
    QTest.keyClick(gpt.canvas, Key.Key_E, ALT)
    menu = opened()
    assert menu.accessibleName() == "Edit"
    line = next(action for action in menu.actions() if plain(action.text()) == "Duplicate")
    letter = QKeySequence.mnemonic(line.text())[0].key()
    QTest.keyClick(menu, letter)
    QApplication.processEvents()
    assert len(gpt.session.document.top.nodes) == 8
    gpt.activateWindow()  # as a window manager does when a menu has closed
    qtbot.waitUntil(gpt.canvas.hasFocus)
    gpt.session.undo()
    assert len(gpt.session.document.top.nodes) == 7


def test_the_menu_of_a_node_opens_at_it_and_keys_go_to_the_canvas_again(gpt: MainWindow, qtbot: QtBot) -> None:
    canvas = gpt.canvas
    canvas.setFocus()
    canvas.walker.put(True)
    gpt.session.show(("final_norm",))
    QApplication.processEvents()
    asked: list[QPoint] = []
    canvas.menu_requested.connect(lambda _scene, at: asked.append(at))
    QTest.keyClick(canvas, Key.Key_F10, SHIFT)
    menu = opened()
    bounds = canvas.geometry_of.bounds(["final_norm"])
    corners = [canvas.map_from_scene(QPointF(*bounds[start : start + 2])).toPoint() for start in (0, 2)]
    assert QRect(*corners).contains(canvas.mapFromGlobal(asked[0]))
    assert any(plain(action.text()).startswith("Rename") for action in menu.actions())
    close(menu)
    gpt.activateWindow()
    qtbot.waitUntil(canvas.hasFocus)
    QTest.keyClick(canvas, Key.Key_F2)
    assert canvas.editor.isVisible()
    QTest.keyClick(canvas.editor, Key.Key_Escape)


def test_ampersands_of_names_are_read(gpt: MainWindow) -> None:
    gpt.session.document.title = "R&D"
    gpt.menus.drawings.popup(QPoint(20, 20))
    assert "R&D" in plain(gpt.menus.drawings.actions()[0].text())
    close(gpt.menus.drawings)
