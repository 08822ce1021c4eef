from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.access.voice import VOICE
from app.panels.attention_maps import AttentionMaps
from app.panels.inside.heads import looker, looks_at, readable, token_labels, whole_map
from graph.commands import SetVariable


@pytest.fixture
def panel(gpt, engine, workspace, shown, until, run_reading, attention):
    engine.answers |= {"run": run_reading, "attention": attention}
    made = shown(AttentionMaps)
    workspace.run()
    until(lambda: made._map is not None)
    return made


def point(qtbot, panel, row, column):
    qtbot.mouseMove(panel.map.viewport(), panel.map.center_of(row, column))


def test_before_a_run_it_offers_one(gpt, shown, engine, qtbot):
    panel = shown(AttentionMaps)
    assert panel.empty.sentence.text() == "Run the drawing to see what every head looks at."
    qtbot.mouseClick(panel.empty.button, Qt.MouseButton.LeftButton)
    assert engine.count("run") == 1


def test_a_model_without_attention_says_so(gpt, engine, workspace, shown, until, run_reading):
    engine.answers["run"] = {**run_reading, "kernels": {}}
    panel = shown(AttentionMaps)
    workspace.run()
    until(lambda: panel.empty.sentence.text().startswith("Nothing in this drawing attends"))
    assert not panel.empty.button.isVisible()


def test_all_heads_are_asked_for_in_one_picture(panel, engine):
    asked = next(request.options for request in engine.asked if request.job == "attention")
    assert (asked["node"], asked["atlas"]) == ("decoder/attn", True)
    assert list(panel.grid.atlas.layers) == ["0", "1"]
    assert (panel.heading.text(), panel.size.text()) == ("Layer 0, head 0", "8 × 8 tokens")


def test_a_click_chooses_a_head(panel, engine, qtbot, until):
    qtbot.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=panel.grid.tile_at(1, 0).center())
    assert panel.heading.text() == "Layer 1, head 0"
    until(lambda: engine.last("attention").get("head") == 0 and engine.last("attention")["node"] == "decoder.1/attn")


def test_arrow_keys_choose_a_head(panel, engine, qtbot, until):
    panel.grid.setFocus()
    qtbot.keyClick(panel.grid, Qt.Key.Key_Right)
    qtbot.keyClick(panel.grid, Qt.Key.Key_Down)
    assert panel.place == (1, 1)
    until(lambda: engine.last("attention").get("head") == 1)


def test_the_row_under_the_pointer_is_what_looks(panel, qtbot):
    assert panel.looks.text() == "“r” looks at"
    assert panel.map.lit_row == 7
    point(qtbot, panel, 2, 1)
    assert panel.looks.text() == "“␣” looks at"
    assert [(bar.name, bar.value) for bar in panel.bars.bars] == [("␣", "0.667"), ("t", "0.167"), ("o", "0.167")]
    assert panel.map.toolTip() == "␣ → o: 0.1667"
    assert panel.size.text() == "␣ → o  0.1667"
    assert panel.legend.pointed == pytest.approx(1 / 6)
    qtbot.mouseClick(panel.map.viewport(), Qt.MouseButton.LeftButton, pos=panel.map.center_of(3, 0))
    qtbot.mouseMove(panel.map.viewport(), QPoint(4, 4))  # on a label
    assert panel.looks.text() == "“b” looks at"
    assert panel.size.text() == "8 × 8 tokens" and panel.legend.pointed is None


def test_what_keys_come_to_is_said(panel, qtbot):
    said = []
    VOICE.said.connect(said.append)
    panel.grid.setFocus()
    qtbot.keyClick(panel.grid, Qt.Key.Key_Right)
    assert said == ["Layer 0, head 1"]
    panel.map.setFocus()
    said.clear()
    qtbot.keyClick(panel.map, Qt.Key.Key_Up)
    VOICE.said.disconnect(said.append)
    assert said == [panel.map.toolTip()] and ": 0." in said[0]


def test_keys_walk_the_map(panel, qtbot):
    panel.map.setFocus()
    qtbot.keyClick(panel.map, Qt.Key.Key_Up)
    qtbot.keyClick(panel.map, Qt.Key.Key_Up)
    assert panel.looks.text() == "“o” looks at"
    qtbot.keyClick(panel.map, Qt.Key.Key_Return)
    assert panel.row == 6


def test_figures_of_the_whole_map(panel):
    assert {figure.name: figure.value for figure in panel.figures.figures} == {
        "entropy": "1.00 bit",
        "on the first token": "31 %",
        "on the previous": "22 %",
        "mean distance": "2.6",
        "kernel": "flash",
        "self-check": "3.6e-7",
    }


def test_the_selected_attention_comes_forward(gpt, engine, workspace, shown, until, run_reading, attention, qtbot):
    run_reading["kernels"] = {"other": "math", **run_reading["kernels"]}
    engine.answers |= {"run": run_reading, "attention": attention}
    panel = shown(AttentionMaps)
    workspace.run()
    until(lambda: panel._map is not None)
    assert panel.node == "other"
    assert panel.chooser.isVisible()
    gpt.show(("decoder", "attn"))
    qtbot.waitUntil(lambda: panel.chooser.currentData() == "decoder/attn")
    panel.chooser.setFocus()
    qtbot.keyClick(panel.chooser, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: panel.node == "other" and panel.chooser.currentData() == "other")


def test_of_a_block_that_attends_twice_both_are_offered(
    gpt, engine, workspace, shown, until, run_reading, attention, qtbot
):
    """The parts stand under the title of the block; where it is selected one of them comes forward."""
    parts = {f"decoder.{layer}/mlp/{part}": "flash" for layer in (0, 1) for part in ("attn", "cross")}
    run_reading["kernels"] |= parts
    engine.answers |= {"run": run_reading, "attention": attention}
    panel = shown(AttentionMaps)
    workspace.run()
    until(lambda: panel._map is not None)
    offered = [panel.chooser.itemText(place) for place in range(panel.chooser.count())]
    assert offered[1:] == ["Feed-forward  decoder/mlp/attn", "Feed-forward  decoder/mlp/cross"]
    gpt.show(("decoder", "mlp"))
    qtbot.waitUntil(lambda: panel.node == "decoder/mlp/attn")
    panel.chooser.setFocus()
    qtbot.keyClick(panel.chooser, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: panel.node == "decoder/mlp/cross" and panel.chooser.currentIndex() == 2)
    gpt.show(("decoder",))
    qtbot.wait(50)
    assert panel.node == "decoder/mlp/cross", "it lies in what is selected"


def test_between_two_sequences_there_are_two_sets_of_labels(
    gpt, engine, workspace, shown, until, run_reading, attention
):
    def cross(options):
        data = attention(options)
        if not options.get("atlas"):
            data["maps"] = data["maps"][..., :4]
        nothing = np.full((1, 1), np.nan)
        return data | {
            "key": 4, "key_labels": ["ein", "Satz", "auf", "Deutsch"], "previous": nothing, "distance": nothing
        }  # fmt: skip

    engine.answers |= {"run": run_reading, "attention": cross}
    panel = shown(AttentionMaps)
    workspace.run()
    until(lambda: panel._map is not None)
    assert list(panel.map.matrix.columns) == ["ein", "Satz", "auf", "Deutsch"]
    assert list(panel.map.matrix.rows)[:3] == ["t", "o", "␣"]
    assert [figure.name for figure in panel.figures.figures] == [
        "entropy",
        "on the first token",
        "kernel",
        "self-check",
    ]


def test_after_an_edit_it_says_that_it_is_old(panel, gpt, qtbot, engine):
    asked = engine.count("attention")
    gpt.do(SetVariable("dim", 64))
    qtbot.waitUntil(lambda: "from the run before the last edit" in panel.caption.text())
    qtbot.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=panel.grid.tile_at(1, 1).center())
    qtbot.wait(60)
    assert engine.count("attention") == asked


def test_samples_of_a_batch_are_picked(gpt, engine, workspace, shown, until, run_reading, attention, qtbot):
    run_reading["sizes"] = {"batch": 3, "seq": 8}
    engine.answers |= {"run": run_reading, "attention": attention}
    panel = shown(AttentionMaps)
    workspace.run()
    until(lambda: panel._map is not None)
    panel.sample.setFocus()
    qtbot.keyClick(panel.sample, Qt.Key.Key_Up)
    until(lambda: engine.last("attention")["batch"] == 1)


def test_parts_give_way(panel):
    panel.resize(800, 260)
    assert not panel._figures_part.isVisible() and panel._bars_part.isVisible()
    panel.resize(600, 260)
    assert not panel._bars_part.isVisible() and panel.map.isVisible()
    panel.resize(320, 400)
    parts = (panel.grid, panel._map_part, panel._bars_part, panel._figures_part)
    assert all(part.isVisible() for part in parts)  # one below the other
    tops = [part.mapTo(panel, QPoint()).y() for part in parts]
    assert tops == sorted(set(tops))


def test_labels():
    assert token_labels([" to", "be", ",", " "], 4, 1) == ["to", "be", ",", "␣"]
    assert token_labels(list("to be or"), 8, 4) == ["to␣b", "e␣or"]
    assert token_labels(["never", "more", "again", "and"], 4, 4) == ["never more …"]
    assert token_labels([], 6, 4) == ["0", "4"]
    assert readable("\n") == "⏎"
    assert looker([], 1, 7, 4) == "Places 4 – 6 look at"
    assert looker([], 2, 7, 1) == "Place 2 looks at"


def test_bars_share_a_round_scale():
    bars = looks_at(np.array([0.1, 0.15, 0.0]), ["a", "b", "c"])
    assert [bar.name for bar in bars] == ["b", "a"]
    assert [bar.share for bar in bars] == pytest.approx([0.75, 0.5])


def test_a_map_without_a_sequence_has_no_distances():
    data = {"entropy": [[0.0]], "first": [[0.5]], "previous": [[np.nan]], "distance": [[np.nan]], "kernel": "math"}
    assert [figure.name for figure in whole_map(data)] == ["entropy", "on the first place", "kernel"]
