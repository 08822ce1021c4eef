"""A large level is worked out beside the window, and what is out of date by then is not taken."""

from __future__ import annotations

from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.canvas import arranging
from graph.commands import AddNode, Move, SetVariable
from graph.document import Document, Node
from graph.tidying import Task


@pytest.fixture
def large(show, monkeypatch):
    monkeypatch.setattr(arranging, "MANY", 10)
    document = Document("large")
    for count in range(30):
        AddNode((), Node(f"n{count}", "ReLU", position=(3.0 * count, 5.0))).apply(document)
    return show(document)


def test_the_window_goes_on_while_a_large_level_is_tidied(large, qtbot, state_of):
    before = state_of(large.session)
    large.arranging.tidy_all()
    assert large.arranging.is_busy
    assert state_of(large.session) == before
    qtbot.waitUntil(lambda: not large.arranging.is_busy, timeout=5000)
    assert [step.label for step in large.session.history.done] == ["Tidy"]
    large.glide.stop()
    large.session.undo()
    assert state_of(large.session) == before


def test_what_changes_meanwhile_wins(large, qtbot):
    said = []
    large.session.refused.connect(said.append)
    large.arranging.tidy_all()
    large.session.do(SetVariable("dim", 8))
    qtbot.waitUntil(lambda: not large.arranging.is_busy, timeout=5000)
    assert [step.label for step in large.session.history.done] == ["Set dim"]
    assert said == ["The drawing has changed while it was being tidied; tidy it once more."]


def test_an_empty_level_says_so(show):
    canvas = show(Document())
    said = []
    canvas.session.refused.connect(said.append)
    canvas.arranging.tidy()
    assert said == ["There is nothing here to tidy."]


@pytest.fixture
def slow(gpt, monkeypatch):
    """A window in which tidying goes on until it is let go."""
    go_on, command = Event(), Task.command
    monkeypatch.setattr(arranging, "MANY", 1)
    monkeypatch.setattr(Task, "command", lambda task: go_on.wait(20) and command(task))
    gpt.session.do(Move((), {"head": (2000.0, 900.0)}))
    yield gpt, go_on
    go_on.set()


def told(window):
    return [banner for banner in window.banners.shown if banner.text.startswith("Tidying")]


@pytest.mark.parametrize("way", ["Stop", "Escape", "close"])
def test_what_takes_long_says_so_and_can_be_stopped(slow, qtbot, way):
    window, go_on = slow
    session, steps = window.session, len(window.session.history.done)
    QTest.keyClick(window.canvas, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert not told(window), "short work is never told of"
    qtbot.waitUntil(lambda: bool(told(window)))
    (banner,) = told(window)
    assert banner.text == f"Tidying {len(session.document.top.nodes)} nodes …"
    worker = window.canvas.arranging
    if way == "Stop":
        QTest.mouseClick(banner.buttons[0], Qt.MouseButton.LeftButton)
    elif way == "Escape":
        QTest.keyClick(window.canvas, Qt.Key.Key_Escape)
    else:
        session.history.mark_saved()
        window.filing.close()
    assert not told(window)
    assert way == "close" or not worker.is_busy
    go_on.set()
    QTest.qWait(100)
    assert len(session.history.done) == steps


def test_what_was_told_goes_when_it_is_done(slow, qtbot):
    window, go_on = slow
    QTest.keyClick(window.canvas, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: bool(told(window)))
    go_on.set()
    qtbot.waitUntil(lambda: not window.canvas.arranging.is_busy)
    assert not told(window)
    assert window.session.history.done[-1].label == "Tidy"
    QApplication.processEvents()
