"""The panels with the real engine in its process: a tiny GPT is run and looked into."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app import theme
from app.panels.activations import Activations
from app.panels.attention_maps import AttentionMaps
from app.panels.code import Code
from app.panels.memory import Memory
from app.panels.properties import Properties
from app.session import Session
from app.workspace import Workspace
from exporters.jobs import JOBS
from graph import templates
from graph.commands import SetVariable
from graph.engine import Engine

LONG = 120_000


@pytest.fixture(scope="module")
def real_engine():
    with Engine(JOBS, "cpu", spare=False) as engine:
        yield engine


@pytest.fixture
def workspace(qapp, real_engine):
    theme.apply("dark")
    workspace = Workspace(real_engine)
    values = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 256, "context": 64}
    workspace.show(Session(templates.find("gpt").build(values)))
    return workspace


def test_a_run_is_seen_in_every_panel(workspace, shown, until, qtbot):
    session = workspace.session
    activations, attention, memory, code = (shown(cls) for cls in (Activations, AttentionMaps, Memory, Code))
    properties = shown(Properties, 332, 800)
    qtbot.mouseClick(activations.empty.button, Qt.MouseButton.LeftButton)
    until(lambda: workspace.run_state.state != "running", LONG)
    assert workspace.run_state.state == "done", workspace.run_state.text

    session.show(("decoder", "attn"))
    until(lambda: activations.view.data is not None and activations.address == "decoder.0/attn", LONG)
    until(lambda: attention._map is not None and memory._shown is not None and bool(code.text), LONG)
    until(lambda: bool(properties.node_page.cost_figures.figures), LONG)

    assert activations.view.data["shape"] == [1, 41, 32]
    qtbot.wait(50)  # the layout settles
    qtbot.mouseMove(activations.view.map.viewport(), activations.view.map.center_of(5, 7))
    assert activations.view.under.text().startswith("[0, 5, 7]  ")

    assert list(attention.map.matrix.rows[:6]) == ["T", "o", "␣", "b", "e", ","]
    assert attention.size.text() == "41 × 41 tokens"
    figures = {figure.name: figure.value for figure in attention.figures.figures}
    assert float(figures["self-check"]) < 1e-5
    qtbot.mouseClick(attention.grid.viewport(), Qt.MouseButton.LeftButton, pos=attention.grid.tile_at(1, 1).center())
    until(lambda: attention._map["addresses"] == ["decoder.1/attn"] and attention._map["heads"] == [1], LONG)

    assert memory.total.text().endswith("KiB")
    assert [figure.name for figure in memory.measured.figures] == ["peak", "parameters", "activations"]
    compile(code.text, "model.py", "exec")
    assert "class Model" in code.text
    assert properties.node_page.kernel.trailing.text().startswith(f"{figures['kernel']}, exact to ")

    session.do(SetVariable("num_heads", 4))
    until(lambda: "before the last edit" in activations.note.text(), LONG)
    until(lambda: "num_heads=4" in code.text.replace(" ", ""), LONG)


def test_channels_of_a_picture(workspace, shown, until, qtbot):
    values = {"channels": 4, "depth": 2, "image_size": 16}
    workspace.show(Session(templates.find("unet").build(values)))
    activations, attention = shown(Activations), shown(AttentionMaps)
    workspace.run()
    until(lambda: workspace.run_state.state != "running", LONG)
    assert workspace.run_state.state == "done", workspace.run_state.text
    workspace.session.show(("encoder_1", "conv_1"))
    until(lambda: activations.view.channels == 4, LONG)
    qtbot.mouseMove(activations.view.map.viewport(), activations.view.map.center_of(2, 3))
    assert activations.view.under.text().startswith("[0, 0, 2, 3]  ")
    qtbot.mouseClick(activations.view.what.button("slice"), Qt.MouseButton.LeftButton)
    until(lambda: activations.view.channels == 0, LONG)
    assert [picker.name for picker in activations.view.pickers[:2] if picker.isVisible()] == ["out channels"]
    assert attention.empty.sentence.text().startswith("Nothing in this drawing attends")


def test_a_size_that_breaks_a_requirement_is_told(workspace, shown, until, qtbot):
    memory = shown(Memory)
    until(lambda: memory._shown is not None, LONG)
    field = memory.asking.fields["seq"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "65")
    until(lambda: memory.asking.fault.isVisible(), LONG)
    assert memory.asking.fault.text().startswith("Seq is 65, and it must be at most 64")


def test_the_attention_card_shows_what_the_engine_foresees(workspace, shown, until, qtbot):
    memory = shown(Memory)
    until(lambda: memory._shown is not None, LONG)
    qtbot.mouseClick(memory.asking.view.button("attention"), Qt.MouseButton.LeftButton)
    rows = memory.attention.table.rows
    assert [rows.text(row, "scores") for row in range(2)] == ["32 KiB", "64 KiB"]  # 2 heads of 64 × 64
    assert rows.text(0, "node") == "decoder/attn × 2" and rows.text(0, "blocks") == "1 × 1 of 1562"
    memory.asking.fast.setFocus()
    memory.asking.fast.selectAll()
    qtbot.keyClicks(memory.asking.fast, "640")
    until(lambda: rows.text(0, "blocks") == "7 × 7 of 10", LONG)
    memory.asking.fast.selectAll()
    qtbot.keyClicks(memory.asking.fast, "63")
    until(lambda: memory.asking.fault.isVisible(), LONG)
    assert memory.asking.fault.text() == "A fast memory of 63 numbers holds no row of q, k, v and y: 64 are needed."
