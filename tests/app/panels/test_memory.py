from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.memory import Memory
from graph.commands import SetParam


@pytest.fixture
def panel(gpt, engine, shown, until, estimation):
    engine.answers["estimate"] = estimation
    made = shown(Memory)
    until(lambda: made._shown is not None)
    return made


def kinds(panel):
    return {figure.name: figure.value for figure in panel.figures.figures}


def type_over(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_memory_by_kind(panel):
    assert panel.total.text() == "5 MiB"
    assert panel.where.text() == "at the peak, in Unembedding on the way forward"
    assert kinds(panel) == {"parameters": "4 MiB", "activations": "1 MiB", "KV cache, decoding": "64 KiB"}
    assert [part.name for part in panel.bar.parts] == ["parameters", "activations"]
    assert panel.device.text() == "1 GiB are free on CPU"


def test_training_needs_more(panel, engine, qtbot, until):
    qtbot.mouseClick(panel.mode.button("training"), Qt.MouseButton.LeftButton)
    until(lambda: panel.total.text() == "17 MiB")
    assert engine.last("estimate") == {"training": True}
    assert kinds(panel)["optimizer"] == "8 MiB"


def test_sizes_are_a_what_if(panel, engine, gpt, qtbot, until):
    before = gpt.document.revision
    type_over(qtbot, panel.fields["batch"], "16")
    until(lambda: panel.total.text() == "20 MiB")
    assert engine.last("estimate") == {"sizes": {"batch": 16}}
    assert gpt.document.revision == before
    assert panel.reset.isVisible()
    qtbot.mouseClick(panel.reset, Qt.MouseButton.LeftButton)
    until(lambda: panel.total.text() == "5 MiB")
    assert panel.fields["batch"].text() == "1"


def test_a_size_that_is_none_is_marked(panel, engine, qtbot):
    asked = engine.count("estimate")
    type_over(qtbot, panel.fields["seq"], "long")
    assert panel.fields["seq"].property("state") == "error"
    qtbot.wait(20)
    assert engine.count("estimate") == asked


def test_arrow_keys_step_a_size(panel, engine, qtbot, until):
    panel.fields["batch"].setFocus()
    qtbot.keyClick(panel.fields["batch"], Qt.Key.Key_Up)
    until(lambda: engine.last("estimate") == {"sizes": {"batch": 2}})


def test_the_number_type_is_chosen(panel, engine, qtbot, until):
    panel.kind.setFocus()
    qtbot.keyClicks(panel.kind, "b")
    until(lambda: engine.last("estimate") == {"dtype": "bfloat16"})


def test_an_impossible_size_is_a_sentence_and_the_old_figures_stay(panel, engine, qtbot, until):
    engine.answers["estimate"] = ValueError("seq is 65, and it must be at most 64.")
    type_over(qtbot, panel.fields["seq"], "65")
    until(lambda: panel.fault.isVisible())
    assert panel.fault.text() == "seq is 65, and it must be at most 64."
    assert panel.total.text() == "5 MiB"


def test_what_does_not_fit_is_said(gpt, engine, shown, until, estimation):
    engine.answers["estimate"] = lambda options: estimation(options) | {"available": 4 << 20}
    panel = shown(Memory)
    until(lambda: panel._shown is not None)
    assert panel.device.text() == "This does not fit: 4 MiB are free on CPU."
    assert panel.device.property("role") == "error"
    assert panel.bar.limit == 4 << 20


def test_measured_after_a_run(panel, engine, workspace, until, run_reading):
    assert panel.measured_note.text() == "Nothing has run yet."
    engine.answers["run"] = run_reading
    workspace.run()
    until(lambda: bool(panel.measured.figures))
    assert [(figure.name, figure.value) for figure in panel.measured.figures] == [
        ("peak", "3 MiB"), ("parameters", "2 MiB"), ("activations", "1 MiB"),
    ]  # fmt: skip
    assert panel.measured_note.text() == "by the last run, at 1 × 8"


def test_the_largest_blocks(panel, qtbot):
    assert [(bar.name, bar.value) for bar in panel.largest.bars] == [
        ("decoder/attn × 2", "33 KiB"), ("head", "33 KiB"),
    ]  # fmt: skip
    qtbot.mouseClick(panel.by.button("activations"), Qt.MouseButton.LeftButton)
    assert [(bar.name, bar.value) for bar in panel.largest.bars] == [
        ("decoder/attn × 2", "1 MiB"), ("head", "1 KiB"),
    ]  # fmt: skip


def test_a_drawing_with_errors_cannot_be_predicted(gpt, engine, shown):
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    panel = shown(Memory)
    assert panel.is_empty
    assert panel.empty.sentence.text().startswith("Nothing can be predicted yet. Multi-head attention, input x. It rec")
    assert engine.count("estimate") == 0
