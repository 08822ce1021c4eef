from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.inside.attention_card import COLUMNS
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
    qtbot.mouseClick(panel.asking.mode.button("training"), Qt.MouseButton.LeftButton)
    until(lambda: panel.total.text() == "17 MiB")
    assert engine.last("estimate") == {"training": True}
    assert kinds(panel)["optimizer"] == "8 MiB"


def test_sizes_are_a_what_if(panel, engine, gpt, qtbot, until):
    before = gpt.document.revision
    type_over(qtbot, panel.asking.fields["batch"], "16")
    until(lambda: panel.total.text() == "20 MiB")
    assert engine.last("estimate") == {"sizes": {"batch": 16}}
    assert gpt.document.revision == before
    assert panel.asking.reset.isVisible()
    qtbot.mouseClick(panel.asking.reset, Qt.MouseButton.LeftButton)
    until(lambda: panel.total.text() == "5 MiB")
    assert panel.asking.fields["batch"].text() == "1"


def test_a_size_that_is_none_is_marked(panel, engine, qtbot):
    asked = engine.count("estimate")
    type_over(qtbot, panel.asking.fields["seq"], "long")
    assert panel.asking.fields["seq"].property("state") == "error"
    qtbot.wait(20)
    assert engine.count("estimate") == asked


def test_arrow_keys_step_a_size(panel, engine, qtbot, until):
    panel.asking.fields["batch"].setFocus()
    qtbot.keyClick(panel.asking.fields["batch"], Qt.Key.Key_Up)
    until(lambda: engine.last("estimate") == {"sizes": {"batch": 2}})


def test_the_number_type_is_chosen(panel, engine, qtbot, until):
    panel.asking.kind.setFocus()
    qtbot.keyClicks(panel.asking.kind, "b")
    until(lambda: engine.last("estimate") == {"dtype": "bfloat16"})


def test_an_impossible_size_is_a_sentence_and_the_old_figures_stay(panel, engine, qtbot, until):
    engine.answers["estimate"] = ValueError("seq is 65, and it must be at most 64.")
    type_over(qtbot, panel.asking.fields["seq"], "65")
    until(lambda: panel.asking.fault.isVisible())
    assert panel.asking.fault.text() == "seq is 65, and it must be at most 64."
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


@pytest.fixture
def card(panel, qtbot):
    qtbot.mouseClick(panel.asking.view.button("attention"), Qt.MouseButton.LeftButton)
    assert panel.attention.isVisible() and not panel.bar.isVisible()
    return panel.attention


def cells(card, row):
    return [card.table.rows.text(row, name) for name in COLUMNS]


def click_row(qtbot, card, row):
    place = card.table.visualRect(card.table.model().index(row, 0)).center()
    qtbot.mouseClick(card.table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_what_each_attention_costs(card):
    assert card.total.text() == "82 KiB moved"
    assert card.words.text() == "in 3 calls of attention, fused; 354 KiB if the scores (68 KiB) were built"
    assert cells(card, 0) == [
        "decoder/attn × 2", "32 KiB", "512 B", "32 KiB", "160 KiB", "5.0 ×", "16 KiB", "1 × 1 of 1562",
    ]  # fmt: skip
    assert cells(card, 2) == ["all 3 calls", "68 KiB", "1.5 KiB", "82 KiB", "354 KiB", "4.3 ×", "32 KiB", ""]
    hint = card.table.rows.hint(0, "unfused").replace("\u2009", "")
    assert hint == "40960 numbers, 163840 bytes\n22528 read, 18432 written"
    words = card.table.rows.hint(0, "node").split("\n")
    assert words[1:3] == [
        "1 × 2 heads, 64 queries × 64 keys, 16 features",
        "called 2 times; the figures are of one call",
    ]
    assert words[3:5] == ["score matrix: 32 KiB", "fused keeps: 512 B"] and len(words) == 10
    for name in COLUMNS:
        assert card.table.rows.hint(0, name), name


def test_a_click_on_a_row_selects_the_node(card, gpt, qtbot):
    click_row(qtbot, card, 0)
    assert (gpt.at, gpt.selection) == (("decoder",), {"attn"})
    click_row(qtbot, card, 2)  # the sum is no node
    assert gpt.focus == ("decoder", "attn")
    card.table.setCurrentIndex(card.table.model().index(1, 0))
    qtbot.keyClick(card.table, Qt.Key.Key_Return)
    assert (gpt.at, gpt.selection) == ((), {"head"})


def test_the_selected_node_is_marked(card, panel, gpt, qtbot):
    gpt.show(("decoder", "attn"))
    qtbot.waitUntil(lambda: card.table.selectionModel().isRowSelected(0))
    gpt.show(("decoder", "mlp"))
    qtbot.waitUntil(lambda: not card.table.selectionModel().hasSelection())


def test_less_fast_memory_moves_more(card, panel, engine, qtbot, until):
    type_over(qtbot, panel.asking.fast, "256")
    until(lambda: card.total.text() != "82 KiB moved")
    assert engine.last("estimate") == {"sram": 256}
    assert cells(card, 0)[-1] == "16 × 16 of 4"
    assert "A100 49152" in panel.asking.fast.toolTip().replace("\u2009", "")
    type_over(qtbot, panel.asking.fast, "much")
    assert panel.asking.fast.property("state") == "error"
    asked = engine.count("estimate")
    qtbot.wait(20)
    assert engine.count("estimate") == asked
    qtbot.keyClick(panel.asking.fast, Qt.Key.Key_Up)
    until(lambda: engine.last("estimate") == {"sram": 1256})
    assert panel.asking.fast.text() == "1256" and panel.asking.fast.property("state") == ""


def test_a_fast_memory_that_holds_nothing_is_a_sentence(card, panel, engine, qtbot, until):
    engine.answers["estimate"] = ValueError("A fast memory of 8 numbers holds no row.")
    type_over(qtbot, panel.asking.fast, "8")
    until(lambda: panel.asking.fault.isVisible())
    assert panel.asking.fault.text() == "A fast memory of 8 numbers holds no row."
    assert card.total.text() == "82 KiB moved"


def test_columns_give_way(card, panel, qtbot):
    shown = [name for place, name in enumerate(COLUMNS) if not card.table.isColumnHidden(place)]
    assert shown == list(COLUMNS)
    panel.resize(700, 260)
    qtbot.wait(1)
    shown = [name for place, name in enumerate(COLUMNS) if not card.table.isColumnHidden(place)]
    assert shown == ["node", "scores", "moved", "unfused"][: len(shown)] and len(shown) >= 3
    panel.resize(440, 260)
    qtbot.wait(1)
    assert not card.table.isColumnHidden(COLUMNS.index("moved"))
    wide = sum(
        card.table.columnWidth(place) for place, name in enumerate(COLUMNS) if not card.table.isColumnHidden(place)
    )
    assert wide <= card.table.viewport().width() + 1


def test_what_keeps_nothing_has_no_column_for_it(gpt, engine, shown, until, estimation, qtbot):
    def nothing(options):
        data = estimation(options)
        for entry in (*data["attention"]["nodes"], data["attention"]["total"]):
            entry["kv_cache"] = {"elements": 0, "bytes": 0}
        return data

    engine.answers["estimate"] = nothing
    panel = shown(Memory)
    until(lambda: panel._shown is not None)
    qtbot.mouseClick(panel.asking.view.button("attention"), Qt.MouseButton.LeftButton)
    hidden = [name for place, name in enumerate(COLUMNS) if panel.attention.table.isColumnHidden(place)]
    assert hidden == ["cache"]


def test_a_drawing_without_attention_says_so(gpt, engine, shown, until, estimation, qtbot):
    def nothing(options):
        data = estimation(options)
        return data | {"attention": data["attention"] | {"nodes": [], "calls": 0}}

    engine.answers["estimate"] = nothing
    panel = shown(Memory)
    until(lambda: panel._shown is not None)
    qtbot.mouseClick(panel.asking.view.button("attention"), Qt.MouseButton.LeftButton)
    assert panel.attention.is_empty
    assert panel.attention.empty.sentence.text() == "Nothing in this drawing attends, so no scores are made."
    qtbot.mouseClick(panel.attention.empty.button, Qt.MouseButton.LeftButton)
    assert panel.asking.view.choice == "kinds" and panel.bar.isVisible()
