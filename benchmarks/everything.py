"""What is done to all nodes of a flat drawing at once costs no more than what each of them costs.

Of each edit the time at 8,000 nodes over that at 2,000, in one run: four where it goes by nodes, sixteen where each
node looks at all others. An edit is what a session does of it: command, history, report; then the geometry.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import blocks
from app.canvas.geometry import LevelGeometry
from app.session import Session
from benchmarks.canvas import network
from graph import clipboard, edits, grouping, marking
from graph.commands import Command, Move

FEW, MANY = 2000, 8000
GOAL = 8.0
ROUNDS = 3

Make = Callable[[Session], Command]


def run(few: int = FEW, many: int = MANY, rounds: int = ROUNDS) -> Iterator[dict[str, Any]]:
    small, large = Drawing(few), Drawing(many)
    for what, make in EDITS.items():
        times = [[drawing.measure(make) for drawing in (small, large)] for _ in range(rounds)]
        for place, name in enumerate((what, f"undo: {what}")):
            short, long = (min(pair[size][place] for pair in times) for size in (0, 1))
            yield {
                "what": name,
                "nodes": many,
                "ms": round(long * 1e3, 1),
                "value": long / short,
                "unit": "×",
                "goal": GOAL,
            }


class Drawing:
    """A drawing that is as it was after each edit."""

    def __init__(self, count: int) -> None:
        self.session = Session(network(count))
        self._geometry = LevelGeometry()
        self._follow()

    def measure(self, make: Make) -> tuple[float, float]:
        """The seconds that an edit and its undo take of the processor, which others may keep busy too."""
        session = self.session
        gc.collect()
        start = time.thread_time()
        if not session.do(make(session)):
            raise AssertionError("the edit was refused")
        self._follow()
        done = time.thread_time()
        gc.collect()
        back = time.thread_time()
        session.undo()
        self._follow()
        return done - start, time.thread_time() - back

    def _follow(self) -> None:
        self._geometry.update(self.session.document.top, self.session.report.top)


def _move(session: Session) -> Command:
    nodes = session.document.top.nodes.items()
    return Move((), {id: (node.position[0] + 4, node.position[1]) for id, node in nodes})


def _duplicate(session: Session) -> Command:
    document = session.document
    return clipboard.paste(document, (), clipboard.take(document, (), document.top.nodes))[0]


def _paste(session: Session) -> Command:
    document = session.document
    return clipboard.paste(document, (), clipboard.copy(document, (), document.top.nodes))[0]


def _delete(session: Session) -> Command:
    return edits.remove(session.document, (), session.document.top.nodes)


def _delete_half(session: Session) -> Command:
    return edits.remove(session.document, (), list(session.document.top.nodes)[::2], heal=True)


def _group(session: Session) -> Command:
    known = ((id, blocks.find(node.block)) for id, node in session.document.top.nodes.items())
    inner = [id for id, block in known if block is not None and block.role == "module"]
    return grouping.group(session.document, (), inner)[0]


def _mute(session: Session) -> Command:
    return marking.switch(session.document, (), session.document.top.nodes)


EDITS: dict[str, Make] = {
    "move all": _move,
    "duplicate all": _duplicate,
    "paste all from a text": _paste,
    "delete all": _delete,
    "delete every other one": _delete_half,
    "group all": _group,
    "switch all off": _mute,
}
