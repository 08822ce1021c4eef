"""The history: which state is on disk, however one comes back to it."""

from __future__ import annotations

from graph.commands import SetDocument
from graph.document import Document
from graph.files import document_to_data
from graph.history import History
from graph.replacing import Replace
from graph.templates import find


def test_the_saved_state_is_known_through_undo_and_redo() -> None:
    document = Document()
    history = History(document)
    for seed in (1, 2, 3):
        history.do(SetDocument("seed", seed))
    history.mark_saved()
    assert history.saved_place == 3
    history.undo()
    assert not history.is_saved
    assert history.saved_place == 3
    history.redo()
    assert history.is_saved, "coming back by redo is coming back"
    history.undo()
    history.do(SetDocument("seed", 9))
    assert history.saved_place is None, "another way was taken"
    assert not history.is_saved


def test_what_is_forgotten_is_not_taken_for_the_saved_state() -> None:
    document = Document()
    history = History(document, limit=2)
    for seed in (1, 2, 3):
        history.do(SetDocument("seed", seed))
    while history.can_undo:
        history.undo()
    assert document.seed == 1
    assert not history.is_saved


def test_a_document_in_the_place_of_another_is_one_step() -> None:
    document, other = find("mlp").build(), find("xor").build()
    before, after = document_to_data(document), document_to_data(other)
    history = History(document)
    history.do(Replace(other))
    assert document_to_data(document) == after
    history.undo()
    assert document_to_data(document) == before
    history.redo()
    assert document_to_data(document) == after
