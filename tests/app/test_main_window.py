"""The window as a whole: start, actions, search, themes, what it remembers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget

from app import theme
from app.actions.table import ACTIONS, MENUS
from graph.templates import all_templates

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_it_is_shown_before_anything_is_loaded(
    open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot
) -> None:
    window = open_window(engine=engine, wait=False)
    assert not window.is_ready
    assert window.isVisible()
    assert len(window.gallery.cards) == len(all_templates()) + 1
    assert window.block_palette.model.row_of("block", "Linear") > 0
    qtbot.waitUntil(lambda: window.is_ready, timeout=20_000)


def test_a_wish_before_it_is_ready_is_granted_after(
    open_window: Callable[..., MainWindow], engine: Engine, hand: Hand, qtbot: QtBot
) -> None:
    window = open_window(engine=engine, wait=False)
    window.gallery.choose("unet")
    hand.click(window.gallery.setup.button)
    qtbot.waitUntil(lambda: window.drawing is not None, timeout=20_000)
    assert window.session.document.title == "unet"


def test_without_a_cache_the_palette_fills_a_moment_later(
    open_window: Callable[..., MainWindow], remembered: Path, engine: Engine, qtbot: QtBot
) -> None:
    (remembered / "cache" / "catalogue.json").write_text("{ damaged")
    window = open_window(engine=engine, wait=False)
    assert "Reading" in window.block_palette.note.text()
    qtbot.waitUntil(lambda: window.is_ready, timeout=20_000)
    assert window.block_palette.model.row_of("block", "Linear") > 0
    assert len(window.gallery.cards) == len(all_templates()) + 1


def test_ids_and_keys_of_the_actions_are_unique() -> None:
    ids = [action.id for action in ACTIONS]
    assert len(ids) == len(set(ids))
    keys = [QKeySequence(keys).toString() for action in ACTIONS for keys in action.shortcuts]
    assert all(keys)
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)
    assert {action.menu for action in ACTIONS} == {*MENUS, ""}, "'' is what only keys and the search know"


def test_every_action_knows_when_it_can_be_done(window: MainWindow, gpt: MainWindow) -> None:
    window.show_gallery()
    for action in ACTIONS:
        assert action.enabled(window) in (True, False)
    assert not window.commands["run"].isEnabled()
    window.show_session(window.session)
    window.commands.refresh()
    assert window.commands["run"].isEnabled()
    assert not window.commands["copy"].isEnabled()
    window.session.select(["head"])
    window.commands.refresh()
    assert window.commands["copy"].isEnabled()


def test_undo_says_what_it_undoes(gpt: MainWindow) -> None:
    canvas = gpt.canvas
    gpt.session.select(["head"])
    canvas.setFocus()
    QApplication.processEvents()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert "head" not in gpt.session.document.top
    QApplication.processEvents()
    assert gpt.commands["undo"].text() == "Undo Delete head"
    assert gpt.top_bar.title.accessibleDescription() == "gpt, not saved"
    QTest.keyClick(canvas, Qt.Key.Key_Z, CONTROL)
    assert "head" in gpt.session.document.top
    QApplication.processEvents()
    assert gpt.commands["redo"].text() == "Redo Delete head"
    QTest.keyClick(canvas, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert "head" not in gpt.session.document.top


def test_keys_of_the_canvas_leave_fields_alone(gpt: MainWindow) -> None:
    gpt.session.select(["head"])
    gpt.focus_palette()
    QTest.keyClicks(gpt.block_palette.field, "f")
    QTest.keyClick(gpt.block_palette.field, Qt.Key.Key_A, CONTROL)
    QTest.keyClick(gpt.block_palette.field, Qt.Key.Key_Delete)
    QTest.keyClick(gpt.block_palette.field, Qt.Key.Key_Delete)
    assert gpt.block_palette.field.text() == ""
    assert "head" in gpt.session.document.top
    assert gpt.session.selection == {"head"}


def test_copy_paste_group_and_leave_by_keys(gpt: MainWindow) -> None:
    canvas, session = gpt.canvas, gpt.session
    canvas.setFocus()
    session.select(["final_norm", "head"])
    QApplication.processEvents()
    QTest.keyClick(canvas, Qt.Key.Key_C, CONTROL)
    QTest.keyClick(canvas, Qt.Key.Key_V, CONTROL)
    assert {"final_norm_2", "head_2"} <= set(session.document.top.nodes)
    QApplication.processEvents()
    QTest.keyClick(canvas, Qt.Key.Key_G, CONTROL)
    assert session.focus is not None and session.document.node(session.focus).is_group
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert len(session.at) == 1
    QApplication.processEvents()
    gpt.commands["leave"].trigger()
    assert session.at == ()


def test_menus_open_by_a_key(gpt: MainWindow) -> None:
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F10)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    assert gpt.commands["new"] in menu.actions()
    QTest.keyClick(menu, Qt.Key.Key_Right)
    assert gpt.commands["undo"] in QApplication.activePopupWidget().actions()
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    QTest.keyClick(gpt.top_bar.menus, Qt.Key.Key_Escape)


def test_f8_goes_round_the_problems(gpt: MainWindow) -> None:
    from graph.commands import SetParam

    session = gpt.session
    session.do(SetParam(("decoder",), "attn", "num_heads", 7))
    session.do(SetParam((), "head", "out_features", 0))
    QApplication.processEvents()
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F8)
    first = session.focus
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F8)
    second = session.focus
    assert {first, second} == {("decoder", "attn"), ("head",)}
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F8)
    assert session.focus == first
    QApplication.processEvents()
    assert gpt.status.problems.text() == f"{len(session.report.issues)} problems"


def test_a_refused_edit_is_one_sentence_that_goes(gpt: MainWindow, hand: Hand) -> None:
    gpt.session.refuse("this wire would close a circle")
    (banner,) = gpt.banners.shown
    assert banner.text == "This wire would close a circle."
    assert banner.isVisible()
    assert QApplication.activeModalWidget() is None
    gpt.session.refuse("this wire would close a circle")
    assert len(gpt.banners.shown) == 1
    close = next(b for b in gpt.banners.shown[0].findChildren(QAbstractButton) if b.accessibleName() == "Dismiss")
    hand.click(close)
    assert gpt.banners.shown == []


def test_messages_lie_within_the_canvas_one_above_the_other(gpt: MainWindow) -> None:
    for text in ("One.", "Two. " * 40, "Three.", "Four."):
        gpt.banners.say(text, ("Do it", lambda: None))
    assert len(gpt.banners.shown) == 3, "the oldest gives way"
    area = gpt.canvas.rect().translated(gpt.canvas.mapTo(gpt, QPoint(0, 0)))
    frames = [banner.geometry() for banner in gpt.banners.shown]
    assert all(area.contains(frame) for frame in frames)
    assert all(above.bottom() < below.top() for above, below in zip(frames, frames[1:], strict=False))
    gpt.resize(1100, 800)
    QApplication.processEvents()
    area = gpt.canvas.rect().translated(gpt.canvas.mapTo(gpt, QPoint(0, 0)))
    assert all(area.contains(banner.geometry()) for banner in gpt.banners.shown)


def test_themes_change_at_once_and_are_remembered(gpt: MainWindow) -> None:
    try:
        gpt.commands["theme_light"].trigger()
        assert theme.current() is theme.LIGHT
        assert gpt.settings.theme == "light"
        picture = gpt.grab().toImage()
        assert picture.pixelColor(4, 300).lightness() > 200
        gpt.commands.refresh()
        assert gpt.commands["theme_light"].isChecked()
    finally:
        gpt.commands["theme_dark"].trigger()
    assert gpt.grab().toImage().pixelColor(4, 300).lightness() < 80


def test_layout_and_panels_are_remembered(open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot) -> None:
    first = open_window(engine=engine)
    first.filing.new_empty()
    first.commands["palette"].trigger()
    first.docks.toggle("memory")
    first.docks.reveal("problems")
    first.resize(1300, 900)
    first.close()
    second = open_window(engine=engine)
    second.filing.new_empty()
    assert not second.docks.is_shown("palette")
    assert not second.block_palette.isVisible()
    again = next(panel for panel in second.docks.panels if panel.name == "memory")
    assert second.docks.group_of("memory") is None
    assert second.docks.group_of("problems").front == "problems"
    assert second.docks.reveal("memory") is again
    assert again.isVisible()


def test_every_control_has_a_name_and_can_be_reached(gpt: MainWindow) -> None:
    gpt.show_gallery()
    nameless = [
        widget
        for widget in gpt.findChildren(QWidget)
        if isinstance(widget, QAbstractButton | QLineEdit)
        and widget.isVisible()
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []
    assert gpt.top_bar.run.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert gpt.block_palette.list.focusPolicy() & Qt.FocusPolicy.TabFocus
