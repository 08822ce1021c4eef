"""Find a node and walk through what was found; numbered bookmarks; both by keys in the whole window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph.files import document_to_data, from_text, to_text

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.main_window import MainWindow

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(widget: Canvas, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key once the window has taken notice of what went before."""
    QApplication.processEvents()
    QTest.keyClick(widget, key, keys)
    QApplication.processEvents()


def where(window: MainWindow) -> tuple[object, ...]:
    canvas = window.canvas
    return window.session.at, window.session.selection, canvas.camera.zoom, canvas.camera.x, canvas.camera.y


def test_arrows_walk_through_what_is_found_and_esc_returns(gpt: MainWindow) -> None:
    session, canvas, popup = gpt.session, gpt.canvas, gpt.finder.popup
    session.select(["head"])
    canvas.zoom_in()
    before = where(gpt)
    press(canvas, Qt.Key.Key_F, CONTROL)
    assert popup.isVisible()
    QTest.keyClicks(popup.field, "norm")
    assert where(gpt) == before, "typing alone goes nowhere"
    titles = [(entry.title, entry.detail) for entry in popup.model.entries]
    assert ("Layer norm", "Decoder layer") in titles
    assert ("Final norm", "") in titles
    seen = []
    for _ in range(2):
        press(popup.field, Qt.Key.Key_Down)
        seen.append(session.focus)
    assert popup.isVisible()
    assert len(set(seen)) == 2
    assert ("decoder", "attn_norm") in seen or ("decoder", "mlp_norm") in seen
    press(popup.field, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert where(gpt) == before
    assert canvas.hasFocus()
    assert not session.history.done


def test_enter_goes_there_and_into_the_group(gpt: MainWindow) -> None:
    session, canvas, popup = gpt.session, gpt.canvas, gpt.finder.popup
    press(canvas, Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(popup.field, "num_heads=2")
    press(popup.field, Qt.Key.Key_Return)
    assert not popup.isVisible()
    assert session.at == ("decoder",)
    assert session.selection == {"attn"}
    shown = canvas.camera.rect_to_screen(*canvas.geometry_of.bounds(["attn"]))
    assert abs(shown.center().x() - canvas.width() / 2) < 3
    assert abs(shown.center().y() - canvas.height() / 2) < 3
    assert canvas.hasFocus()


def test_what_is_not_found_says_so(gpt: MainWindow) -> None:
    popup = gpt.finder.popup
    press(gpt.canvas, Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(popup.field, "num_heads=77")
    assert [entry.title for entry in popup.model.entries] == ["No node fits"]
    press(popup.field, Qt.Key.Key_Return)
    press(popup.field, Qt.Key.Key_Escape)
    assert gpt.session.at == ()


def test_bookmarks_are_set_and_gone_to_by_keys(gpt: MainWindow) -> None:
    session, canvas = gpt.session, gpt.canvas
    first = document_to_data(session.document)
    canvas.zoom_in()
    press(canvas, Qt.Key.Key_1, CONTROL | SHIFT)
    outside = where(gpt)
    session.enter(("decoder",))
    canvas.zoom_out()
    canvas.scroll_view(57, -31)
    press(canvas, Qt.Key.Key_2, CONTROL | SHIFT)
    inside = where(gpt)
    assert [step.label for step in session.history.done] == ["Set bookmark 1", "Set bookmark 2"]
    canvas.fit_all()
    press(canvas, Qt.Key.Key_1, SHIFT)
    assert where(gpt) == outside
    canvas.fit_all()
    press(canvas, Qt.Key.Key_2, SHIFT)
    assert where(gpt) == inside
    assert gpt.commands["bookmark_2"].text() == "Go to bookmark 2: Decoder layer"
    assert "bookmarks" in document_to_data(from_text(to_text(session.document)))
    for _ in range(2):
        press(canvas, Qt.Key.Key_Z, CONTROL)
    assert document_to_data(session.document) == first


def test_a_bookmark_that_is_not_set_or_whose_group_is_gone_says_so(gpt: MainWindow) -> None:
    session, canvas = gpt.session, gpt.canvas
    said = []
    session.refused.connect(said.append)
    press(canvas, Qt.Key.Key_5, SHIFT)
    session.enter(("decoder",))
    press(canvas, Qt.Key.Key_5, CONTROL | SHIFT)
    session.enter(())
    session.select(["decoder"])
    press(canvas, Qt.Key.Key_Delete)
    press(canvas, Qt.Key.Key_5, SHIFT)
    assert said == [
        "There is no bookmark 5 yet; Ctrl+Shift+5 sets it here.",
        "The group of bookmark 5 is not there any more.",
    ]
