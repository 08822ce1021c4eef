"""The pages of a frame and of a note."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.properties import Properties
from graph import comments
from graph.comments import Comment
from graph.files import document_to_data

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(gpt, shown):
    return shown(Properties, 332, 700)


@pytest.fixture
def written(gpt):
    """The session with a frame around the first blocks and a note below."""
    x, y = gpt.document.node(("tokens",)).position
    frame = Comment("frame", "frame", "Embeddings", (x - 40.0, y - 60.0), (520.0, 400.0))
    gpt.do(comments.change((), [frame, Comment("note", "note", "tied", (0.0, 900.0))], "Add"))
    return gpt


def test_a_frame_is_called_otherwise_in_one_step(panel, written, qtbot):
    written.select((), ["frame"])
    qtbot.waitUntil(lambda: panel.page is panel.comment_page)
    before, head = document_to_data(written.document), panel.comment_page.head
    assert head.title.text() == "Embeddings" and "inside, which move with it" in head.summary.text()
    steps = len(written.history.done)
    head.title.setFocus()
    head.title.selectAll()
    qtbot.keyClicks(head.title, "Where words begin")
    assert written.document.top.comments["frame"].text == "Where words begin"
    assert len(written.history.done) == steps + 1
    assert written.undo() == "Write the frame"
    assert document_to_data(written.document) == before
    qtbot.waitUntil(lambda: head.title.text() == "Embeddings")


def test_what_a_frame_carries_is_selected(panel, written, qtbot):
    written.select((), ["frame"])
    qtbot.waitUntil(lambda: panel.page is panel.comment_page)
    qtbot.mouseClick(panel.comment_page.contents, LEFT)
    assert "tokens" in written.selection and "head" not in written.selection and not written.comments
    written.do(comments.change((), [written.document.top.comments["frame"].moved(0.0, 5000.0)], "Move"))
    written.select((), ["frame"])
    qtbot.waitUntil(lambda: not panel.comment_page.contents.isEnabled())
    assert panel.comment_page.head.summary.text() == "Nothing lies inside; what does moves with it."


def test_a_note_is_written_in_one_step_and_grows(panel, written, qtbot):
    written.select((), ["note"])
    qtbot.waitUntil(lambda: panel.page is panel.comment_page)
    page, before, steps = panel.comment_page, document_to_data(written.document), len(written.history.done)
    assert page.text.toPlainText() == "tied" and page.heading.text() == "Note"
    assert not page.head.isVisible() and not page.contents.isVisible()
    page.text.setFocus()
    page.text.selectAll()
    qtbot.keyClicks(page.text, "one")
    for _ in range(8):
        qtbot.keyClick(page.text, Qt.Key.Key_Return)
        qtbot.keyClick(page.text, Qt.Key.Key_Return)
        qtbot.keyClicks(page.text, "more")
    note = written.document.top.comments["note"]
    assert note.text.startswith("one\n\nmore") and note.size[1] > 120, "it has room for its words"
    assert len(written.history.done) == steps + 1
    assert written.undo() == "Write the note"
    assert document_to_data(written.document) == before
    qtbot.waitUntil(lambda: page.text.toPlainText() == "tied")


def test_escape_leaves_a_note_as_it_was(panel, written, qtbot):
    written.select((), ["note"])
    qtbot.waitUntil(lambda: panel.page is panel.comment_page)
    page, before = panel.comment_page, document_to_data(written.document)
    page.text.setFocus()
    qtbot.keyClicks(page.text, "not ")
    assert written.document.top.comments["note"].text == "not tied"
    qtbot.keyClick(page.text, Qt.Key.Key_Escape)
    assert document_to_data(written.document) == before
    assert page.text.toPlainText() == "tied"


def test_a_frame_and_a_note_are_coloured(panel, written, qtbot):
    for id in ("frame", "note"):
        written.select((), [id])
        qtbot.waitUntil(lambda id=id: panel.page is panel.comment_page and panel.comment_page.id == id)
        before, swatches = document_to_data(written.document), panel.comment_page.marks.swatches
        qtbot.mouseClick(swatches.buttons["orange"], LEFT)
        assert written.document.top.comments[id].colour == "orange"
        qtbot.waitUntil(lambda swatches=swatches: swatches.buttons["orange"].isChecked())
        written.undo()
        assert document_to_data(written.document) == before


def test_a_deleted_frame_leads_back_to_the_document(panel, written, qtbot):
    written.select((), ["frame"])
    qtbot.waitUntil(lambda: panel.page is panel.comment_page)
    written.do(comments.remove(written.document.top, (), ["frame"]))
    qtbot.waitUntil(lambda: panel.page is panel.document_page)
