"""Random work with mouse and keys in a window: the document stays whole, and undo leads back to the start.

Every gesture of the canvas is among the steps, each made of the events that a hand makes: wires laid, pulled off, led,
broken, cut, bent and dropped on nothing; nodes dragged, pulled out, put into wires, typed over, switched off and
collapsed; groups made, entered, left, expanded, repeated and taken from "My blocks"; frames and notes; copies with and
without wires; everything that arranges and selects; and steps back and forth in between.
"""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

from app.actions.arranging import ARRANGE_MENU
from app.actions.table import ACTIONS
from app.canvas.geometry import LevelGeometry
from app.canvas.labels import linked_nodes
from app.folders import library_folder
from graph import files, library, templates
from graph.files import document_from_data, document_to_data
from graph.validate import validate

NONE, SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
SEQUENCES, PARTS, LENGTH = 1000, 20, 12
SMALL = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}

KEYED = tuple(
    action.id
    for action in ACTIONS
    if action.on_canvas and action.shortcuts and ("bookmark" not in action.id or action.id.endswith("_1"))
)
"""Whatever has keys on the canvas is pressed; what has none is looked for by its name, as users without a mouse do."""
NAMED = ("tag_red", "tag_none", "residual", "long_skip", "enter", "leave", *(id for id in ARRANGE_MENU if id))
OWN_KEYS = ("Left", "Right", "Up", "Down", "Return", "U", "Escape", "1", "Period", "Tab", "Backtab", "Space")
WITHOUT_CANVAS = ("group", "ungroup", "rename")
WORDS = ("", "3", "relu", "norm", "=2*4", "Linear", "mine", "no such thing")
BLOCKS = ("Linear", "ReLU", "Add", "Conv2d", "MultiHeadAttention", "mine")


def thrown(dice: random.Random) -> tuple[Any, ...]:
    """A step as the dice have it: a name, and what the step of that name takes."""

    def place() -> tuple[int, int]:
        """Hundredths of the width and height of the canvas."""
        return dice.randrange(100), dice.randrange(100)

    def any_of(*of: Any) -> Any:
        return dice.choice(of)

    def number() -> int:
        return dice.randrange(60)

    answer = (any_of(*WORDS), dice.randrange(5))
    steps = {
        "drag": lambda: (place(), place(), any_of(NONE, SHIFT, CTRL, ALT)),
        "pan": lambda: (place(), place()),
        "drag node": lambda: (number(), place(), any_of(NONE, SHIFT, CTRL, ALT)),
        "drag node to wire": lambda: (number(), number(), any_of(NONE, ALT)),
        "drag comment": lambda: (number(), place(), any_of(False, True)),
        "wire": lambda: (number(), number(), number(), any_of(False, True)),
        "wire to nothing": lambda: (number(), number(), place(), *answer),
        "lead": lambda: (number(), number(), number()),
        "break wires": lambda: (number(), number()),
        "cancel": lambda: (place(), place(), any_of(NONE, CTRL, ALT)),
        "stroke": lambda: (place(), place(), any_of(SHIFT, CTRL, NONE)),
        "click wire": lambda: (number(), any_of("Delete", "double")),
        "drop": lambda: (place(), any_of(*BLOCKS)),
        "drop on wire": lambda: (number(), any_of("ReLU", "mine"), any_of(NONE, ALT)),
        "drop file": lambda: (place(),),
        "click node": lambda: (number(), any_of(NONE, SHIFT, CTRL)),
        "double click": lambda: (number(), dice.randrange(10), answer[0]),
        "double click place": lambda: (place(), *answer),
        "own key": lambda: (any_of(*OWN_KEYS), any_of(NONE, SHIFT, ALT), *answer),
        "key": lambda: (any_of(*KEYED, *WITHOUT_CANVAS), *answer, number() - 15),
        "command": lambda: (any_of(*NAMED), number() - 15),
        "wheel": lambda: (place(), any_of(-480, -120, 120, 480), any_of(NONE, SHIFT, CTRL)),
        "back and forth": lambda: (any_of("undo", "redo"), dice.randrange(1, 4)),
    }
    weights = [8 if name == "key" else 3 if name in ("click node", "command") else 1 for name in steps]
    (name,) = dice.choices(list(steps), weights)
    return name, *steps[name]()


def in_order(session: Any) -> Any:
    def put(level: dict[str, Any]) -> None:
        level["nodes"].sort(key=lambda node: node["id"])
        level["wires"].sort()
        for node in level["nodes"]:
            if "level" in node:
                put(node["level"])

    data = json.loads(json.dumps(document_to_data(session.document)))
    put(data["level"])
    return data


def check(canvas: Any) -> None:
    """What holds after every step: nothing is in the hand, and the canvas shows what the document says."""
    session = canvas.session
    assert not canvas.looks.lifted and not canvas.looks.struck and canvas.looks.fits is None
    assert canvas.gesture is None
    assert canvas.looks.selected == session.selection
    anew = LevelGeometry()
    linked = linked_nodes(session.report, session.at)
    anew.update(session.document.level(session.at), session.report.level(session.at), linked)
    assert canvas.geometry_of.ids == anew.ids
    assert (canvas.geometry_of.rects == anew.rects).all()
    assert canvas.geometry_of.wires == anew.wires
    assert canvas.geometry_of.ports == anew.ports


@pytest.fixture
def drawn(quiet_window, tmp_path):
    """A window with a block of one's own and a drawing to drop."""
    gpt = templates.find("gpt").build(SMALL)
    folder = library_folder()
    folder.mkdir(parents=True, exist_ok=True)
    files.save(library.drawing_of(gpt, ("decoder",), "Mine"), folder / "mine.json")
    files.save(templates.find("unet").build({"depth": 1}), tmp_path / "dropped.json")
    window = quiet_window()
    window.library.read()
    return SimpleNamespace(window=window, file=tmp_path / "dropped.json")


def test_every_gesture_is_among_the_steps():
    """Whatever keys the table gives to the canvas, and whatever a hand can do there: no row is left out."""
    assert {*KEYED} >= {
        "cut", "paste", "duplicate", "paste_wired", "duplicate_wired", "delete", "delete_heal", "join", "disconnect",
        "pull_out", "add_dot", "mute", "collapse", "frame", "note", "repeat", "share_weights", "tidy", "tidy_all",
        "arrange", "wire_to", "wire_from",
    }  # fmt: skip
    assert {action.id for action in ACTIONS} >= {*NAMED, *WITHOUT_CANVAS}


@pytest.mark.exhaustive
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_is_done_can_be_undone(drawn, user_of, part):
    for seed in range(part, SEQUENCES, PARTS):
        dice = random.Random(seed)
        done: list[tuple[Any, ...]] = []
        name = dice.choice(["gpt", "unet"])
        drawn.window.filing.new_from_template(name, SMALL if name == "gpt" else {"depth": 2})
        QApplication.processEvents()
        try:
            work(drawn, user_of, dice, done)
        except BaseException as fault:
            fault.add_note(f"Sequence {seed} on {name}: {done}")
            raise


def work(drawn: Any, user_of: Any, dice: random.Random, done: list[tuple[Any, ...]]) -> None:
    """Do a dozen things, then all of them back, then all of them forth."""
    window, canvas, session = drawn.window, drawn.window.canvas, drawn.window.session
    user = user_of(window, drawn.file)
    start = in_order(session)
    for _ in range(LENGTH):
        done.append(thrown(dice))
        user.act(done[-1])
        assert window.session is session, "it is another drawing"
        check(canvas)
    canvas.repaint()
    end = in_order(session)
    assert in_order(type(session)(document_from_data(document_to_data(session.document)))) == end
    assert [str(i) for i in validate(session.document).issues] == [str(i) for i in session.report.issues]
    count = len(session.history.done)
    user.act(("back and forth", "undo", count))
    assert not session.history.can_undo
    assert in_order(session) == start
    user.act(("back and forth", "redo", count))
    assert len(session.history.done) == count
    assert in_order(session) == end
    session.history.mark_saved()
    window.filing.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # processEvents alone never does it here
