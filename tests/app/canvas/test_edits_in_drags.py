"""A key that edits the drawing while something is in the hand ends the drag: nothing of it comes after the edit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from graph import comments
from graph.commands import SetNode

NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
PRESSES = {
    "node": lambda hand: (hand.at("second"), NONE),
    "node pulled out": lambda hand: (hand.at("second"), ALT),
    "wire": lambda hand: (hand.port("second", "y", is_input=False), NONE),
    "end of a wire": lambda hand: (hand.port("second", "x", is_input=True), NONE),
    "band": lambda hand: (QPoint(4, 100), NONE),
    "note": lambda hand: (hand.at(QPointF(360, 310)), NONE),
}


@pytest.mark.parametrize("steps", [0, 3], ids=["pressed", "dragged"])
@pytest.mark.parametrize("edit", ["delete", "nudge", "undo"])
@pytest.mark.parametrize("what", PRESSES)
def test_an_edit_by_key_ends_what_is_in_the_hand(show, hand_on, state_of, what, edit, steps):
    canvas = show()
    session, hand = canvas.session, hand_on(canvas)
    before = state_of(session)
    session.do(comments.change((), [comments.Comment("note", "note", "a note", (300.0, 260.0))], "Add"))
    session.do(SetNode((), "second", "title", "Second"))
    session.select(["second"])
    if what == "note":
        session.select((), [*session.document.top.comments])
    place, keys = PRESSES[what](hand)
    hand.press(place, keys)
    for step in range(1, steps + 1):
        hand.move(place + QPoint(9, 11) * step, keys)
    if edit == "undo":
        session.undo()
        session.undo()
    else:
        hand.key(Qt.Key.Key_Delete if edit == "delete" else Qt.Key.Key_Down)
    count, after = len(session.history.done), state_of(session)
    hand.move(place + QPoint(60, 40), keys)
    hand.release(place + QPoint(60, 40), keys)
    assert canvas.gesture is None
    if canvas.editor is None and canvas.note_editor is None:
        assert (len(session.history.done), state_of(session)) == (count, after)
    while session.history.can_undo:
        session.undo()
    assert state_of(session) == before


def test_the_view_is_not_let_go_of_by_an_edit(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    canvas.session.select(["second"])
    start = canvas.camera.x
    hand.press(QPoint(400, 300), button=Qt.MouseButton.MiddleButton)
    hand.move(QPoint(430, 300))
    hand.key(Qt.Key.Key_Down)
    hand.move(QPoint(460, 300))
    hand.release(QPoint(460, 300))
    assert canvas.camera.x == start + 60
    assert len(canvas.session.history.done) == 1
