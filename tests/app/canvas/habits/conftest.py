"""The drawing that each habit begins with, and what sees that undo leads back to it.

A habit is a function whose docstring names it. It works at the table: features → first → second → result, and a loose
block below; it asserts what the document is like afterwards. Then Ctrl+Z leads back to the start in the steps that it
says, and Ctrl+Shift+Z forth again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.session import Session
from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, Node, Wire


class Table:
    """The drawing before a user, and what is read off it."""

    def __init__(self, window: Any, hand: Any) -> None:
        self.steps, self.is_round_trip = 1, False
        self.window, self.hand = window, hand
        self.canvas, self.session = window.canvas, window.session

    @property
    def level(self) -> Any:
        return self.session.document.level(self.session.at)

    @property
    def wires(self) -> set[tuple[str, str]]:
        return {(wire.source, wire.target) for wire in self.level.wires()}

    def blocks(self) -> list[str]:
        return sorted(node.block for node in self.level.nodes.values())

    def key(self, keys: str) -> None:
        self.window.activateWindow()  # the offscreen platform forgets which window was active before a menu
        QTest.keySequence(self.canvas, keys)
        QApplication.processEvents()

    def pick(self, *ids: str) -> None:
        for place, id in enumerate(ids):
            self.hand.click(id, Qt.KeyboardModifier.ShiftModifier if place else Qt.KeyboardModifier.NoModifier)

    def find(self, letters: str) -> None:
        popup = self.window.finder.popup
        assert popup.isVisible()
        QTest.keyClicks(popup.field, letters)
        QTest.keyClick(popup.field, Qt.Key.Key_Return)
        QApplication.processEvents()

    def middle(self, source: str, target: str) -> QPointF:
        geometry = self.canvas.geometry_of
        geometry.settle(seconds=60)
        row = next(row for row, w in enumerate(geometry.wires) if (w.source, w.target) == (source, target))
        x, y, _ = geometry.middles[row].tolist()
        return QPointF(x, y)

    def across(self, source: str, target: str) -> tuple[QPointF, QPointF]:
        place = self.middle(source, target)
        return place - QPointF(0, 90), place + QPointF(0, 90)


def draw(session: Session) -> None:
    """The drawing that each habit begins with."""
    for node in (
        Node("features", "FeatureInput", {"dim": 32}, position=(0.0, 0.0)),
        Node("first", "Linear", {"in_features": FROM_WIRE, "out_features": 64}, position=(240.0, 0.0)),
        Node("second", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(560.0, 0.0)),
        Node("result", "Output", position=(840.0, 0.0)),
        Node("loose", "GELU", position=(240.0, 240.0)),
    ):
        session.do(AddNode((), node))
    for source, output, target in (
        ("features", "features", "first"),
        ("first", "y", "second"),
        ("second", "y", "result"),
    ):
        session.do(Connect((), Wire(source, output, target, "x")))
    session.history.done.clear()


@pytest.fixture
def keep(
    quiet_window: Callable[[], Any], hand_on: Any, state_of: Any
) -> Callable[[Iterable[Callable[[Table], None]]], None]:
    """Carries out habits, one after the other in one window, each in a drawing of its own."""

    def keep(habits: Iterable[Callable[[Table], None]]) -> None:
        window = quiet_window()
        for do in habits:
            window.filing.new_empty()
            session = window.session
            draw(session)
            window.canvas.fit_all()
            window.canvas.zoom_reset()
            QApplication.processEvents()
            window.activateWindow()
            table = Table(window, hand_on(window.canvas))
            try:
                before = state_of(session)
                do(table)
                assert len(session.history.done) == table.steps, [entry.label for entry in session.history.done]
                after = state_of(session)
                assert (after != before) == (table.steps > 0 and not table.is_round_trip)
                for _ in range(table.steps):
                    table.key("Ctrl+Z")
                assert not session.history.can_undo
                assert state_of(session) == before
                for _ in range(table.steps):
                    table.key("Ctrl+Shift+Z")
                assert state_of(session) == after
            except BaseException as fault:
                fault.add_note(f"The habit: {do.__doc__}")
                raise
            session.history.mark_saved()
            window.filing.close()

    return keep
