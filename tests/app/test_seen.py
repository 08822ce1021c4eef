"""What one steers by is seen: tabs have their height, and the place of the keys is always marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from app.widgets.field import Field
from graph.commands import AddNode, Connect, Move
from graph.document import FROM_WIRE, Node, Wire

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from tests.app.conftest import Hand

GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


def test_the_readings_have_tabs_from_the_first_drawing_on(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    readings = window.docks.group_of("memory")
    assert readings is not None
    tabs = readings.bar
    assert tabs.isVisible() and tabs.height() >= tabs.tabRect(0).height() > 0


def press(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    target = QApplication.focusWidget()
    assert target is not None
    QTest.keyClick(target, key, held)
    QApplication.processEvents()


def test_closing_the_last_drawing_gives_the_keys_to_a_card(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    window.session.history.mark_saved()
    QApplication.processEvents()
    press(Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert window.canvas is None
    assert QApplication.focusWidget() is window.gallery.chosen


def test_a_complaint_goes_when_it_is_mended(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    window.session.select(["head"])
    QApplication.processEvents()
    press(Qt.Key.Key_M)
    press(Qt.Key.Key_F5)
    assert [banner.tone for banner in window.banners.shown] == ["error"]
    window.session.undo()
    assert window.banners.shown == []


def test_a_run_without_an_output_offers_one(window: MainWindow, hand: Hand) -> None:
    window.filing.new_empty()
    session = window.session
    session.do(AddNode((), Node("a", "FeatureInput")))
    session.do(AddNode((), Node("l", "Linear", {"in_features": FROM_WIRE})))
    session.do(Connect((), Wire("a", "features", "l", "x")))
    QApplication.processEvents()
    press(Qt.Key.Key_F5)
    (banner,) = window.banners.shown
    assert banner.text == "Nothing reaches an output, but a model needs at least one Output block."
    (button,) = banner.buttons
    assert button.text() == "Add an Output behind Linear"
    hand.click(button)
    assert session.report.valid
    assert window.banners.shown == []
    session.undo()
    assert set(session.document.top.nodes) == {"a", "l"}


def test_undo_in_a_field_undoes_the_drawing_where_nothing_was_typed(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    session = window.session
    session.show(("final_norm",))
    QTest.qWait(50)
    page = next(panel for panel in window.docks.panels if panel.name == "properties")
    field = next(f for f in page.findChildren(Field) if f.accessibleName() == "Name in code")
    session.do(Move((), {"final_norm": (0.0, 400.0)}))
    QApplication.processEvents()
    steps = len(session.history.done)
    field.setFocus()
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(session.history.done) == steps - 1
    session.redo()
    QTest.keyClicks(field, "x")
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == "final_norm" and len(session.history.done) == steps


def test_f6_reaches_a_message(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    did = []
    window.banners.say("Something to know.", ("Do it", lambda: did.append(1)))
    QApplication.processEvents()
    assert window.canvas is not None
    window.canvas.setFocus()
    press(Qt.Key.Key_F6)
    focus = QApplication.focusWidget()
    assert focus is not None and focus.accessibleName() == "Do it"
    press(Qt.Key.Key_Space)
    assert did == [1] and window.banners.shown == []
    assert window.canvas.hasFocus(), "the keys go back to the canvas"


def test_enter_on_a_preset_draws_it(window: MainWindow) -> None:
    window.gallery.choose("gpt")
    QApplication.processEvents()
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Left)
    press(Qt.Key.Key_Return)
    assert window.canvas is not None and window.session.document.variables["dim"] == 64


def test_presets_are_chosen_by_arrows(window: MainWindow) -> None:
    setup = window.gallery.setup
    window.gallery.choose("gpt")
    QApplication.processEvents()
    press(Qt.Key.Key_Tab)
    chosen = QApplication.focusWidget()
    assert chosen is not None and chosen.property("preset") == "small"
    interface = QAccessible.queryAccessibleInterface(chosen)
    assert interface.role() == QAccessible.Role.RadioButton and interface.state().checked
    press(Qt.Key.Key_Right)
    assert setup.fields["dim"].text() == "1024"
    assert QApplication.focusWidget().property("preset") == "medium"
    press(Qt.Key.Key_Tab)
    QTest.keyClicks(setup.fields["dim"], "7")
    assert not any(b.isChecked() for b in setup.findChildren(QPushButton) if b.property("preset"))


def test_the_first_steps_are_gone_through_by_enter_and_left_by_escape(window: MainWindow) -> None:
    window.gallery.choose("xor")
    window.tour.start()
    QApplication.processEvents()
    for step in (0, 1, 2):
        assert window.tour.step == step
        callout = window.tour.callout
        assert callout is not None and QApplication.focusWidget() is callout.next
        press(Qt.Key.Key_Return)
        QTest.qWait(20)
    assert window.tour.step == 3
    assert window.canvas is not None
    window.canvas.setFocus()
    press(Qt.Key.Key_Escape)
    assert not window.tour.is_shown, "also while the keyboard is elsewhere"
