"""The open drawings as tabs: switched, closed, reordered by mouse and keys; they come back at the next start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.menu import plain
from graph.commands import SetDocument
from graph.document import Document
from graph.files import save

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from app.session import Session
    from graph.engine import Engine

CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Three drawings on disk."""
    paths = [tmp_path / f"{name}.json" for name in ("one", "two", "three")]
    for path in paths:
        save(Document(path.stem), path)
    return paths


@pytest.fixture
def three(window: MainWindow, files: list[Path]) -> MainWindow:
    """A window with three drawings, the last in front."""
    for path in files:
        assert window.filing.open(path)
    QApplication.processEvents()
    return window


def names(window: MainWindow) -> list[str]:
    return [window.tabs.bar.tabText(index) for index in range(window.tabs.bar.count())]


def middle(window: MainWindow, index: int) -> QPoint:
    return window.tabs.bar.tabRect(index).center() - QPoint(12, 0)


def press_menu(window: MainWindow, index: int, text: str) -> None:
    """Open the menu of a tab and take a line of it."""
    session: Session = window.tabs.sessions[index]
    window.tabs.menu_asked.emit(session, window.tabs.mapToGlobal(middle(window, index)))
    menu = next(menu for menu in window.findChildren(QMenu) if menu.isVisible())
    action = next(action for action in menu.actions() if plain(action.text()) == text)
    QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
    QApplication.processEvents()


def test_one_drawing_needs_no_tabs_and_several_have_them(window: MainWindow, files: list[Path]) -> None:
    window.filing.open(files[0])
    assert not window.tabs.isVisible()
    window.filing.open(files[1])
    assert window.tabs.isVisible()
    assert names(window) == ["one", "two"]
    assert window.tabs.bar.currentIndex() == 1


def test_tabs_are_switched_by_mouse_and_keys(three: MainWindow) -> None:
    QTest.mouseClick(three.tabs.bar, LEFT, NONE, middle(three, 0))
    assert three.session.title == "one"
    assert three.canvas is not None and three.canvas.session is three.session
    QApplication.processEvents()
    QTest.keyClick(three.canvas, Qt.Key.Key_PageDown, CONTROL)
    assert three.session.title == "two"
    QTest.keyClick(three.canvas, Qt.Key.Key_PageUp, CONTROL)
    assert three.session.title == "one"
    QTest.keyClick(three.canvas, Qt.Key.Key_3, ALT)
    assert three.session.title == "three"
    QTest.keyClick(three.canvas, Qt.Key.Key_Tab, CONTROL)
    assert three.session.title == "one"
    three.tabs.bar.setFocus()
    QTest.keyClick(three.tabs.bar, Qt.Key.Key_Right)
    assert three.session.title == "two"


def test_a_change_is_marked_until_it_is_saved_or_undone(three: MainWindow) -> None:
    session = three.tabs.sessions[0]
    session.do(SetDocument("seed", 7))
    assert three.tabs.bar.changed == {0}, "a drawing behind the others is marked too"
    assert three.tabs.bar.accessibleTabName(0) == "one, not saved"
    session.undo()
    assert three.tabs.bar.changed == set()


def test_tabs_are_reordered_by_a_drag(three: MainWindow) -> None:
    bar = three.tabs.bar
    QTest.mousePress(bar, LEFT, NONE, middle(three, 0))
    for x in range(middle(three, 0).x(), bar.tabRect(2).right(), 10):
        QTest.mouseMove(bar, QPoint(x, 16))
    QTest.mouseRelease(bar, LEFT, NONE, QPoint(bar.tabRect(2).right() - 2, 16))
    assert names(three) == ["two", "three", "one"]
    assert [session.title for session in three.workspace.sessions] == ["two", "three", "one"]
    assert three.session.title == "one", "what is dragged is shown"


def test_the_middle_button_the_cross_and_delete_close(three: MainWindow) -> None:
    bar = three.tabs.bar
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, NONE, middle(three, 1))
    assert names(three) == ["one", "three"]
    assert three.session.title == "three", "what is in front stays there"
    QTest.mouseMove(bar, bar.cross(1).center())
    QTest.mouseClick(bar, LEFT, NONE, bar.cross(1).center())
    assert [session.title for session in three.workspace.sessions] == ["one"]
    assert not three.tabs.isVisible()


def test_what_is_not_saved_is_asked_for(three: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(session: Session) -> bool:
        asked.append(session.title)
        return session.is_saved

    monkeypatch.setattr(three.filing, "_may_close", refuse)
    three.tabs.sessions[1].do(SetDocument("seed", 7))
    QTest.mouseClick(three.tabs.bar, Qt.MouseButton.MiddleButton, NONE, middle(three, 1))
    assert asked == ["two"]
    assert names(three) == ["one", "two", "three"]


def test_the_menu_of_a_tab(three: MainWindow, files: list[Path]) -> None:
    press_menu(three, 0, "Copy path")
    assert QGuiApplication.clipboard().text() == str(files[0])
    press_menu(three, 1, "Close others")
    assert [session.title for session in three.workspace.sessions] == ["two"]
    assert three.session.title == "two"


def test_two_files_of_one_name_are_told_apart(window: MainWindow, tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        save(Document(), tmp_path / folder / "net.json")
        window.filing.open(tmp_path / folder / "net.json")
    assert names(window) == ["net · old", "net · new"]


def test_open_drawings_come_back_in_their_order(
    open_window: Callable[..., MainWindow], engine: Engine, files: list[Path], qtbot: QtBot,
    quit_quietly: Callable[[MainWindow], None],
) -> None:  # fmt: skip
    first = open_window(engine=engine)
    for path in files:
        first.filing.open(path)
    first.workspace.move(first.workspace.sessions[2], 0)
    first.show_session(first.workspace.sessions[1])
    quit_quietly(first)
    files[1].unlink()
    second = open_window(engine=engine)
    qtbot.waitUntil(lambda: second.drawing is not None, timeout=5_000)
    assert names(second) == ["three", "one"]
    assert second.session.path == files[0]
    assert any("two.json" in banner.text for banner in second.banners.shown), "what is gone is said"


def test_a_file_named_at_the_start_is_in_front_of_them(
    open_window: Callable[..., MainWindow], engine: Engine, files: list[Path], qtbot: QtBot
) -> None:
    first = open_window(engine=engine)
    first.filing.open(files[0])
    first.reopening.remember()
    second = open_window(engine=engine, path=files[1])
    qtbot.waitUntil(lambda: second.drawing is not None, timeout=5_000)
    assert [session.title for session in second.workspace.sessions] == ["one", "two"]
    assert second.session.title == "two"


def test_a_start_with_the_gallery_can_be_preferred(
    open_window: Callable[..., MainWindow], engine: Engine, files: list[Path]
) -> None:
    from app.dialogs.preferences import Preferences

    first = open_window(engine=engine)
    first.filing.open(files[0])
    first.reopening.remember()
    first.dialogs.show_preferences()
    dialog = first.findChild(Preferences)
    assert dialog.reopen.isChecked()
    dialog.reopen.setFocus()
    QTest.keyClick(dialog.reopen, Qt.Key.Key_Space)
    dialog.close()
    assert not first.settings.reopens
    second = open_window(engine=engine)
    assert second.gallery.isVisible() and second.drawing is None
