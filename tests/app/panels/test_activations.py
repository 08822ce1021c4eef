from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.panels.activations import Activations
from graph.commands import Move, SetVariable


@pytest.fixture
def panel(gpt, engine, workspace, shown, until, run_reading, inspection):
    engine.answers |= {"run": run_reading, "inspect": inspection}
    made = shown(Activations)
    workspace.run()
    until(lambda: made.view.data is not None)
    return made


def click_row(qtbot, panel, address):
    table = panel.table
    table.show_address(panel.table.rows.addresses[0])
    index = table._proxy.mapFromSource(table.rows.index(table.rows.addresses.index(address), 0))
    table.scrollTo(index)
    place = table.visualRect(index).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_before_a_run_it_offers_one(gpt, engine, workspace, shown, qtbot, run_reading, until):
    panel = shown(Activations)
    assert panel.is_empty
    assert panel.empty.sentence.text() == "Run the drawing to see what comes out of every block."
    qtbot.mouseClick(panel.empty.button, Qt.MouseButton.LeftButton)
    assert engine.count("run") == 1
    until(lambda: panel.empty.sentence.text() == "Running…")
    engine.answers["run"] = run_reading
    until(lambda: not panel.is_empty)


def test_a_failed_run_says_why(gpt, engine, workspace, shown, until):
    panel = shown(Activations)
    engine.answers["run"] = ValueError("It does not fit into memory.")
    workspace.run()
    until(lambda: panel.empty.sentence.text() == "It does not fit into memory.")
    assert panel.empty.button.text() == "Run again"


def test_every_value_is_a_row(panel):
    assert panel.table.rows.addresses[2] == "decoder.0/attn"
    row = [panel.table.rows.text(2, name) for name in ("shape", "mean", "std", "min", "max", "zeros", "time")]
    assert row == ["1 × 8 × 32", "0.0100", "0.980", "−2.50", "2.25", "25 %", "2.5 ms"]
    assert panel.note.text() == "batch 1 × seq 8, 12.3 ms"


def test_a_row_selects_the_node(panel, gpt, qtbot):
    click_row(qtbot, panel, "decoder.1/mlp")
    assert gpt.focus == ("decoder", "mlp")
    qtbot.waitUntil(lambda: panel.heading.text() == "Feed-forward")
    assert panel.address == "decoder.1/mlp"


def test_the_selection_leads_to_the_row_of_the_same_round(panel, gpt, qtbot):
    click_row(qtbot, panel, "decoder.1/mlp")
    gpt.show(("decoder", "attn"))
    qtbot.waitUntil(lambda: panel.table.current == "decoder.1/attn")
    gpt.show(("head",))
    qtbot.waitUntil(lambda: panel.table.current == "head")


def test_arrow_keys_walk_the_table(panel, gpt, qtbot):
    gpt.show(("decoder", "attn"))
    qtbot.waitUntil(lambda: panel.table.current == "decoder.0/attn")
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert gpt.focus == ("decoder", "mlp")


def test_search_keeps_the_rows_that_match(panel, gpt, qtbot):
    panel.search.setFocus()
    qtbot.keyClicks(panel.search, "feed")
    model = panel.table.model()
    found = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert found == ["decoder.0/mlp", "decoder.1/mlp"]
    assert gpt.focus is None
    qtbot.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.search.text() == ""


def test_the_picture_is_asked_for_and_read_under_the_pointer(panel, engine, gpt, qtbot, until):
    gpt.show(("decoder", "attn"))
    until(lambda: engine.last("inspect")["node"] == "decoder.0/attn" and not panel.inspection.busy)
    qtbot.mouseMove(panel.view.map.viewport(), panel.view.map.center_of(3, 5))
    assert panel.view.under.text() == "[0, 3, 5]  101.00"


def test_the_batch_is_picked(panel, engine, qtbot, until):
    picker = panel.view.pickers[0]
    assert picker.isVisible() and picker.name == "batch"
    picker.setFocus()
    qtbot.keyClick(picker, Qt.Key.Key_Up)
    until(lambda: engine.last("inspect").get("index") == [1] and not panel.inspection.busy)
    qtbot.mouseMove(panel.view.map.viewport(), panel.view.map.center_of(0, 2))
    assert panel.view.under.text() == "[1, 0, 2]  1002.0"
    qtbot.keyClicks(picker, "7")
    assert picker.property("state") == "error"


def test_a_mean_of_a_block_is_asked_for_exactly(panel, engine, gpt, qtbot, until, inspection):
    engine.answers["inspect"] = lambda options: (
        {**inspection(options), "block": [4, 2]} if options["what"] != "value" else inspection(options)
    )
    gpt.show(("decoder", "mlp"))
    until(lambda: panel.view.data is not None and panel.view.data["block"] == [4, 2])
    qtbot.mouseMove(panel.view.map.viewport(), panel.view.map.center_of(1, 2))
    assert panel.view.under.text() == "[0, 4, 4]  ≈ 34.0, mean of 4 × 2"
    until(lambda: panel.view.under.text() == "[0, 4, 4]  0.12500")
    assert engine.last("inspect")["index"] == [0, 4, 4]


def test_channels_lie_side_by_side(panel, engine, gpt, qtbot, until, values):
    sheet = np.zeros((9, 14), np.float32)  # 2 × 3 tiles of 4 × 4, the last one empty
    for channel in range(5):
        row, column = divmod(channel, 3)
        sheet[row * 5 : row * 5 + 4, column * 5 : column * 5 + 4] = 10 * channel + np.arange(16).reshape(4, 4) / 100
    data = {
        "image": (sheet * 5).astype(np.uint8), "values": sheet, "low": 0.0, "high": 41.0, "block": [1, 1],
        "index": [0], "shape": [1, 5, 4, 4], "tile": [4, 4], "grid": [2, 3], "node": "position",
    }  # fmt: skip
    engine.answers["inspect"] = data
    gpt.show(("position",))
    until(lambda: panel.view.data is not None and "grid" in panel.view.data)
    assert panel.view.what.choice == "channels"
    columns = panel.view._columns
    line, place = divmod(3, columns)
    qtbot.mouseMove(panel.view.map.viewport(), panel.view.map.center_of(line * 5 + 1, place * 5 + 2))
    assert panel.view.under.text() == "[0, 3, 1, 2]  30.060"
    assert panel.view._place(4, 0) is None  # the gap


def test_slice_and_channels_are_chosen(panel, engine, gpt, qtbot, until, inspection):
    engine.answers["inspect"] = lambda options: inspection({**options, "shape": [2, 3, 8, 32]})
    gpt.show(("position",))
    until(lambda: panel.view.data is not None and len(panel.view.data["shape"]) == 4)
    qtbot.waitUntil(panel.view.what.isVisible)
    qtbot.mouseClick(panel.view.what.button("channels"), Qt.MouseButton.LeftButton)
    until(lambda: engine.last("inspect")["what"] == "channels")
    qtbot.mouseClick(panel.view.what.button("slice"), Qt.MouseButton.LeftButton)
    assert panel._what["position"] == ("slice", [0, 0])


def test_nan_is_flagged(gpt, engine, workspace, shown, until, run_reading, inspection, values):
    run_reading["activations"]["head"] = {
        "title": "Unembedding",
        "block": "Linear",
        **values([1, 8, 256], nan=3, inf=1),
    }
    bad = np.zeros((8, 32), np.uint8)
    bad[2, 3] = 1
    engine.answers |= {"run": run_reading, "inspect": lambda options: {**inspection(options), "bad": bad}}
    panel = shown(Activations)
    workspace.run()
    gpt.show(("head",))
    until(lambda: panel.view.data is not None and panel.address == "head")
    figures = {figure.name: (figure.value, figure.tone) for figure in panel.figures.figures}
    assert (figures["NaN"], figures["Inf"]) == (("3", "error"), ("1", "error"))
    assert panel.view.bad.text() == "1 of 256 are NaN or Inf"
    image = panel.view.map.grab().toImage()
    ratio = image.width() / panel.view.map.width()
    place = panel.view.map.center_of(2, 3)
    assert image.pixelColor(round(place.x() * ratio), round(place.y() * ratio)).name() == "#f47d79"


def test_after_an_edit_it_says_that_it_is_old(panel, gpt, engine, until, workspace, qtbot):
    gpt.do(Move((), {"head": (9.0, 9.0)}))
    qtbot.wait(10)
    assert "12.3 ms" in panel.note.text()
    asked = engine.count("inspect")
    gpt.do(SetVariable("dim", 64))
    qtbot.waitUntil(lambda: panel.note.text() == "from the run before the last edit")
    gpt.show(("decoder", "mlp"))
    qtbot.wait(50)
    assert engine.count("inspect") == asked
    assert panel.view.data is None and panel.view.map.words == "Run again to see it."
    gpt.undo()
    qtbot.waitUntil(lambda: "12.3 ms" in panel.note.text())


def test_the_table_stays_while_it_runs_again(panel, gpt, engine, workspace, until, qtbot):
    del engine.answers["run"]
    workspace.run()
    qtbot.waitUntil(lambda: panel.note.text() == "running…")
    assert not panel.is_empty
    assert panel.table.rows.rowCount() == len(panel.table.rows.addresses) > 5


def test_columns_give_way(panel):
    header = panel.table.horizontalHeader()
    panel.table.resize(1000, 200)
    assert not any(panel.table.isColumnHidden(place) for place in range(header.count()))
    panel.table.resize(360, 200)
    assert panel.table.isColumnHidden(4) and not panel.table.isColumnHidden(0)


def test_sorting_by_time(panel, qtbot):
    header = panel.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(7) + 20, 8)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    model = panel.table.model()
    assert model.index(0, 0).data() == "head"
