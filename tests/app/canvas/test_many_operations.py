"""100,000 node operations in one process: nothing crashes, nothing is left behind, and undo leads back to the start."""

from __future__ import annotations

import functools
import gc
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

import blocks
from app.canvas.ink import faces
from app.canvas.view import Canvas
from app.session import Session
from graph import clipboard, edits, grouping, layout, marking
from graph.commands import AddNode, Command, Disconnect, Move, SetNode, SetParam
from graph.document import Document, EditError
from graph.validate import Validator, validate

OPERATIONS = 100_000
STRETCH = 500
"""Operations forth before as many back: less than the history keeps, so that the start can be reached."""
FEWEST, MOST = 10, 40
"""Nodes of the level between which the drawing is held; so a round costs what the last one did."""
PAINTED = 25
"""Operations between two frames."""
CHECKS = 25
"""How often it is looked at what is left, evenly spread."""
FEW = 5
"""Counts of which the least is taken, after as many of warming up: caches fill and are emptied again."""
LARGE = 64
"""From this bound on a cache is one of many small things, and not the place of the one thing that there is."""
BLOCKS = ("Linear", "ReLU", "LayerNorm", "Add", "Concat", "Dropout", "MultiHeadAttention", "Reroute")


class Worker:
    """Makes up one operation after the other, as the seed has it."""

    def __init__(self, session: Session, seed: int) -> None:
        self.session = session
        self.dice = random.Random(seed)
        self.done: dict[str, int] = {}
        self.choices: tuple[tuple[Callable[[], Command], int], ...] = (
            (self.add, 4), (self.remove, 3), (self.connect, 6), (self.disconnect, 2), (self.set_parameter, 4),
            (self.move, 6), (self.mute, 2), (self.collapse, 1), (self.colour, 1), (self.title, 1), (self.group, 1),
            (self.ungroup, 1), (self.paste, 1), (self.repeat, 1),
        )  # fmt: skip

    def operate(self) -> bool:
        """Do something; false where the edit is impossible as the drawing stands."""
        makes, weights = zip(*self.choices, strict=True)
        make = self.dice.choices(makes, weights)[0]
        count = len(self.level.nodes)
        if count <= FEWEST:
            make = self.add
        elif count >= MOST:
            make = self.remove
        try:
            command = make()
        except (EditError, IndexError):  # it closes a circle, or there is nothing of the kind
            return False
        if not self.session.do(command):
            return False
        self.done[make.__name__] = self.done.get(make.__name__, 0) + 1
        return True

    @property
    def level(self) -> Any:
        return self.session.document.top

    def any(self) -> str:
        return self.dice.choice(list(self.level.nodes))

    def several(self) -> list[str]:
        ids = list(self.level.nodes)
        return self.dice.sample(ids, min(len(ids), self.dice.randint(1, 4)))

    def spot(self) -> tuple[float, float]:
        return self.dice.randrange(0, 1600, 4), self.dice.randrange(0, 900, 4)

    def add(self) -> Command:
        block = blocks.find(self.dice.choice(BLOCKS))
        assert block is not None
        return AddNode((), edits.new_node(self.session.document, (), block, self.spot()))

    def remove(self) -> Command:
        return edits.remove(self.session.document, (), self.several(), heal=self.dice.random() < 0.5)

    def connect(self) -> Command:
        source, target = self.any(), self.any()
        nodes = self.session.report.level(()).nodes
        outputs, inputs = nodes[source].output_ports, nodes[target].input_ports
        output, input = self.dice.choice(list(outputs)), self.dice.choice(list(inputs))
        return edits.connect(self.session.document, (), source, output, target, input, many=inputs[input].many)

    def disconnect(self) -> Command:
        return Disconnect((), self.dice.choice(list(self.level.wires())))

    def set_parameter(self) -> Command:
        linear = self.dice.choice([id for id, node in self.level.nodes.items() if node.block == "Linear"])
        return SetParam((), linear, "out_features", self.dice.choice([8, 64, 96, "=2*4", 0]))

    def move(self) -> Command:
        return Move((), {id: self.spot() for id in self.several()})

    def mute(self) -> Command:
        return marking.switch(self.session.document, (), self.several())

    def collapse(self) -> Command:
        return marking.collapse(self.session.document, (), self.several())

    def colour(self) -> Command:
        return marking.tag(self.session.document, (), self.several(), self.dice.choice(["red", "blue", ""]))

    def title(self) -> Command:
        return SetNode((), self.any(), "title", self.dice.choice(["", "Here", "A name that is longer than others"]))

    def group(self) -> Command:
        return grouping.group(self.session.document, (), self.several())[0]

    def ungroup(self) -> Command:
        return grouping.ungroup(self.session.document, (), self.dice.choice(self.groups()))[0]

    def repeat(self) -> Command:
        return SetNode((), self.dice.choice(self.groups()), "repeat", self.dice.choice([1, 1, 3]))

    def paste(self) -> Command:
        text = clipboard.copy(self.session.document, (), self.several())
        return clipboard.paste(self.session.document, (), text, self.spot(), keep_inputs=True)[0]

    def groups(self) -> list[str]:
        return [id for id, node in self.level.nodes.items() if node.is_group]


def resident() -> int:
    """MiB that the process holds in memory; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def standing(canvas: Canvas) -> tuple[dict[str, int], int]:
    """How many there are of what an edit must not leave behind, and how many objects of all kinds.

    Caches with a bound of their own are emptied before: they fill for as long as there is something new to paint.
    """
    for one in gc.get_objects():
        if type(one) is functools._lru_cache_wrapper and (one.cache_parameters()["maxsize"] or 0) >= LARGE:
            one.cache_clear()
    for face in vars(faces()).values():
        face._set.clear()
    layout._known.clear()
    gc.collect()
    found = Counter(type(one) for one in gc.get_objects())
    kinds = {QTimer: "timers", Document: "documents", Session: "sessions", Validator: "validators", Canvas: "canvases"}
    counts = {name: found[kind] for kind, name in kinds.items()} | {
        "threads": threading.active_count(),
        "widgets": len(QApplication.allWidgets()),
        "parts of the canvas": len(canvas.findChildren(QObject)),
    }
    return counts, found.total()


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
def test_a_hundred_thousand_operations_leave_nothing_behind(show, state_of):
    canvas = show("gpt")
    session = canvas.session
    worker = Worker(session, seed=4)
    start = state_of(session)
    count, held = 0, []
    while count < OPERATIONS:
        forth = 0
        while forth < STRETCH:
            forth += worker.operate()
            if forth % PAINTED == 0:
                canvas.repaint()
                QApplication.processEvents()
        assert len(session.history.done) == STRETCH
        end = state_of(session)
        back = 0
        while session.undo() is not None:
            back += 1
            if back % PAINTED == 0:
                canvas.repaint()
                QApplication.processEvents()
        assert back == STRETCH
        assert state_of(session) == start
        count += forth + back
        if count % (OPERATIONS // CHECKS) == 0:
            session.go_to(STRETCH)
            assert state_of(session) == end
            assert [str(i) for i in validate(session.document).issues] == [str(i) for i in session.report.issues]
            assert canvas.geometry_of.ids == list(session.document.top.nodes)
            session.go_to(0)
            session.do(worker.move())  # an edit lets go of all that could be done again
            session.undo()
            held.append((*standing(canvas), resident()))
    assert set(worker.done) == {make.__name__ for make, _ in worker.choices}, "some operation never came about"
    counts, objects, memory = zip(*held, strict=True)
    assert all(count == counts[0] for count in counts)
    warm, last = slice(FEW, 2 * FEW), slice(-FEW, None)
    # One object kept for each operation would be 60,000 more and above.
    assert min(objects[last]) - min(objects[warm]) < OPERATIONS // 20, list(objects)
    assert min(memory[last]) - min(memory[warm]) < 24, list(memory)
