"""A newcomer draws a U-Net of three levels from an empty canvas: mouse and a few letters, no menu, few gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph.compile import compile_plan
from graph.passes import run_passes
from graph.plan import plan_document

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from tests.app.conftest import Hand

STEP, DROP = 240.0, 200.0


class Newcomer:
    """Knows three things: Tab searches, a wire dropped on nothing asks what to put there, a port leads to a port.

    A gesture is one thing that a hand does: a drag, a click, or a few letters with Return.
    """

    def __init__(self, window: MainWindow, hand: Hand) -> None:
        self.window, self.hand = window, hand
        self.canvas = window.canvas
        self.gestures = 0

    def point(self, x: float, y: float) -> QPointF:
        return self.canvas.map_from_scene(QPointF(x, y))

    def begin(self, letters: str, x: float, y: float) -> str:
        """Tab at the pointer, and letters."""
        QTest.mouseMove(self.canvas, self.point(x, y).toPoint())
        QTest.keyClick(self.canvas, Qt.Key.Key_Tab)
        self.gestures += 1
        return self._choose(letters)

    def pull(self, node: str, letters: str, x: float, y: float, output: str = "") -> str:
        """A wire from a node to an empty place, and letters for what goes there."""
        output = output or next(iter(self._report(node).output_ports))
        self.hand.drag(
            self.canvas, self.hand.port(self.canvas, node, output, is_input=False), self.point(x, y).toPoint()
        )
        self.gestures += 1
        return self._choose(letters)

    def wire(self, source: str, target: str, order: int = 0) -> None:
        """A wire from port to port."""
        self.hand.wire(self.canvas, source, target, order=order)
        self.gestures += 1

    def look(self) -> None:
        """See everything."""
        QTest.keyClick(self.canvas, Qt.Key.Key_Home)
        QApplication.processEvents()
        self.gestures += 1

    def _report(self, node: str):
        return self.window.session.report.node((node,))

    def _choose(self, letters: str) -> str:
        popup = self.window.finder.popup
        assert popup.isVisible()
        QTest.keyClicks(popup.field, letters)
        QTest.keyClick(popup.field, Qt.Key.Key_Return)
        QApplication.processEvents()
        self.gestures += 1
        (id,) = self.window.session.selection
        return id


@pytest.fixture
def newcomer(window: MainWindow, hand: Hand) -> Newcomer:
    window.filing.new_empty()
    QApplication.processEvents()
    someone = Newcomer(window, hand)
    someone.canvas.zoom_out()
    someone.canvas.zoom_out()
    someone.canvas.setFocus()
    return someone


def test_a_unet_of_three_levels_in_under_sixty_gestures(newcomer: Newcomer) -> None:
    do = newcomer
    area = do.canvas.map_to_scene(QPointF(do.canvas.rect().topLeft())) + QPointF(60, 60)
    left, top = area.x(), area.y()
    last = do.begin("image", left, top)
    levels = []
    x = left
    for level in range(3):
        x += STEP if level == 0 else 0
        encoder = do.pull(last, "residual basic", x, top + DROP * level)
        levels.append(encoder)
        last = do.pull(encoder, "max pool 2d", x, top + DROP * level + 110)
        x += STEP if level == 2 else 40
    last = do.pull(last, "residual basic", x, top + DROP * 3)
    for level in reversed(range(3)):
        up = do.pull(last, "deconvolution 2d", x + 180, top + DROP * level + 110)
        join = do.pull(up, "concat", x + 180, top + DROP * level)
        do.wire(levels[level], join, order=1)
        last = do.pull(join, "residual basic", x + 400, top + DROP * level)
        x += 240
    head = do.pull(last, "conv 2d", x + 420, top)
    do.pull(head, "output", x + 640, top)
    assert do.gestures < 60, do.gestures
    session = do.window.session
    assert [str(issue) for issue in session.report.issues if issue.severity == "error"] == []
    plan, _ = run_passes(plan_document(session.document))
    assert len([step for _, step in plan.walk() if step.block.__name__ == "Concat"]) == 3
    assert {str(need.size): need.divisor for need in plan.requirements if need.divisor > 1} == {"height": 8, "width": 8}
    result = compile_plan(plan)(torch.rand(2, 3, 24, 40))
    assert result.shape == (2, 64, 24, 40)
    while session.undo() is not None:
        pass
    assert not session.document.top.nodes
