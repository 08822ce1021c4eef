"""Tidy, align, distribute and select by keys and menu in the whole window; each is one step that is undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.actions.arranging import ARRANGE_MENU
from app.motion import Motion
from app.widgets.menu import plain
from graph.files import document_to_data

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.canvas.view import Canvas
    from app.main_window import MainWindow

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    """A window in the layer of a small GPT."""
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    QApplication.processEvents()
    window.session.enter(("decoder",))
    window.canvas.setFocus()
    return window


def places(window: MainWindow) -> dict[str, tuple[float, float]]:
    session = window.session
    return {id: node.position for id, node in session.document.level(session.at).nodes.items()}


def press(canvas: Canvas, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key once the window has taken notice of what went before."""
    QApplication.processEvents()
    QTest.keyClick(canvas, key, keys)


def test_l_tidies_the_selection_and_shift_l_everything(gpt: MainWindow, qtbot: QtBot) -> None:
    session, canvas = gpt.session, gpt.canvas
    first = document_to_data(session.document)
    untouched = places(gpt)
    chosen = ["layer_input", "attn_norm", "attn"]
    session.select(chosen)
    press(canvas, Qt.Key.Key_L)
    assert len(session.history.done) <= 1
    assert {id for id, place in places(gpt).items() if place != untouched[id]} <= set(chosen)
    before = len(session.history.done)
    press(canvas, Qt.Key.Key_L, SHIFT)
    assert len(session.history.done) == before + 1
    assert session.history.done[-1].label == "Tidy"
    assert places(gpt) != untouched
    assert canvas.glide.is_moving
    qtbot.waitUntil(lambda: not canvas.glide.is_moving, timeout=2000)
    shown = canvas.geometry_of.rects[:, :2].tolist()
    assert shown == [list(places(gpt)[id]) for id in canvas.geometry_of.ids]
    press(canvas, Qt.Key.Key_L, SHIFT)
    assert len(session.history.done) == before + 1, "what is tidy stays, and makes no step"
    while session.history.can_undo:
        press(canvas, Qt.Key.Key_Z, CONTROL)
    assert document_to_data(session.document) == first


def test_with_motion_off_everything_is_in_its_place_at_once(gpt: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Motion, "is_on", False)
    press(gpt.canvas, Qt.Key.Key_L, SHIFT)
    assert not gpt.canvas.glide.is_moving
    shown = gpt.canvas.geometry_of.rects[:, :2].tolist()
    assert shown == [list(places(gpt)[id]) for id in gpt.canvas.geometry_of.ids]


def test_motion_is_switched_in_the_menu_and_remembered(gpt: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Motion, "is_on", True)
    gpt.commands["motion"].trigger()
    assert (Motion.is_on, gpt.settings.motion) == (False, False)
    gpt.commands.refresh()
    assert not gpt.commands["motion"].isChecked()
    gpt.commands["motion"].trigger()
    assert (Motion.is_on, gpt.settings.motion) == (True, True)


def test_a_press_ends_the_glide(gpt: MainWindow) -> None:
    press(gpt.canvas, Qt.Key.Key_L, SHIFT)
    assert gpt.canvas.glide.is_moving
    QTest.mouseClick(gpt.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    assert not gpt.canvas.glide.is_moving
    press(gpt.canvas, Qt.Key.Key_Z, CONTROL)
    gpt.session.enter(())
    assert not gpt.canvas.glide.is_moving


def test_q_offers_arrangements_and_arrows_choose_one(gpt: MainWindow) -> None:
    session = gpt.session
    first = places(gpt)
    session.select(["layer_input", "attn", "mlp_norm"])
    press(gpt.canvas, Qt.Key.Key_Q)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    titles = [plain(action.text()) for action in menu.actions() if action.text()]
    assert len(titles) == len([id for id in ARRANGE_MENU if id])
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert len({places(gpt)[id][0] for id in ("layer_input", "attn", "mlp_norm")}) == 1
    assert [step.label for step in session.history.done] == ["Align left"]
    gpt.activateWindow()  # the offscreen platform forgets which window was active before the menu
    press(gpt.canvas, Qt.Key.Key_Z, CONTROL)
    assert places(gpt) == first
    gpt.commands["distribute_across"].trigger()
    assert session.history.done[-1].label == "Distribute across"
    gpt.canvas.glide.stop()


def test_keys_select_what_belongs_together(gpt: MainWindow) -> None:
    session, canvas = gpt.session, gpt.canvas
    everything = frozenset(places(gpt))
    session.select(["attn_add"])
    press(canvas, Qt.Key.Key_BracketLeft)
    assert session.selection == {"layer_input", "attn_norm", "attn", "attn_add"}
    session.select(["attn_add"])
    press(canvas, Qt.Key.Key_BracketRight)
    assert session.selection == everything - {"layer_input", "attn_norm", "attn"}
    session.select(["attn_norm"])
    press(canvas, Qt.Key.Key_G, SHIFT)
    assert session.selection == {"attn_norm", "mlp_norm"}
    press(canvas, Qt.Key.Key_I, CONTROL)
    assert session.selection == everything - {"attn_norm", "mlp_norm"}
    session.select(["attn"])
    press(canvas, Qt.Key.Key_L, CONTROL)
    assert session.selection == everything
    press(canvas, Qt.Key.Key_A, CONTROL | SHIFT)
    assert session.selection == frozenset()
    press(canvas, Qt.Key.Key_A, CONTROL)
    assert session.selection == everything
    assert not session.history.done, "selecting is no step"
