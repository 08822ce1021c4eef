"""Two open drawings: no panel shows the readings of the other one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.activations import Activations
from app.panels.attention_maps import AttentionMaps
from app.panels.memory import Memory
from app.session import Session
from graph import templates
from graph.commands import SetVariable


@pytest.fixture
def other():
    return Session(templates.find("gpt").build({"dim": 64, "layers": 1, "num_heads": 2, "vocab": 256, "context": 64}))


def test_readings_stay_with_their_session(
    gpt, other, engine, workspace, shown, until, run_reading, inspection, attention, estimation
):
    engine.answers |= {"run": run_reading, "inspect": inspection, "attention": attention, "estimate": estimation}
    activations, maps, memory = shown(Activations), shown(AttentionMaps), shown(Memory)
    workspace.run()
    until(lambda: activations.view.data is not None and maps._map is not None and bool(memory.measured.figures))

    del engine.answers["run"]
    workspace.show(other)
    until(lambda: activations.is_empty and maps.is_empty)
    until(lambda: memory.measured_note.text() == "Nothing has run yet.")
    workspace.run()
    until(lambda: activations.empty.sentence.text() == "Running…")
    assert maps.is_empty

    workspace.show(gpt)
    until(lambda: not activations.is_empty and not maps.is_empty)
    until(lambda: activations.view.data is not None and maps._map is not None)


def test_who_comes_back_to_an_edited_drawing_is_offered_a_run(
    gpt, other, engine, workspace, shown, until, run_reading, attention, qtbot
):
    engine.answers |= {"run": run_reading, "attention": attention}
    maps = shown(AttentionMaps)
    workspace.run()
    until(lambda: maps._map is not None)
    gpt.do(SetVariable("dim", 64))
    workspace.show(other)
    until(lambda: maps.is_empty)
    workspace.show(gpt)
    qtbot.wait(50)
    assert maps.is_empty
    assert maps.empty.sentence.text() == "Run the drawing to see what every head looks at."
    qtbot.mouseClick(maps.empty.button, Qt.MouseButton.LeftButton)
    until(lambda: not maps.is_empty and maps._map is not None)


def test_a_failed_run_keeps_the_last_reading_in_sight(gpt, engine, workspace, shown, until, run_reading, inspection):
    engine.answers |= {"run": run_reading, "inspect": inspection}
    panel = shown(Activations)
    workspace.run()
    until(lambda: panel.view.data is not None)
    asked = engine.count("inspect")
    engine.answers["run"] = ValueError("It does not fit into memory.")
    workspace.run()
    until(lambda: panel.note.text() == "It does not fit into memory.")
    assert not panel.is_empty
    gpt.show(("decoder", "mlp"))
    until(lambda: panel.heading.text() == "Feed-forward")
    assert engine.count("inspect") == asked
