from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.properties import Properties
from app.session import Session
from graph import templates


@pytest.fixture
def panel(gpt, shown):
    return shown(Properties, 332, 860)


@pytest.fixture
def page(panel):
    return panel.document_page


def type_over(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_variables_are_shown_with_what_they_count(page):
    rows = page.table.rows
    assert list(rows) == ["dim", "layers", "num_heads", "kv_heads", "hidden", "vocab", "context", "tied"]
    assert rows["dim"].editor.field.trailing == "features per token"
    assert (rows["hidden"].editor.field.text(), rows["hidden"].editor.field.trailing) == ("=4*dim", "= 128")
    assert all(row.isVisible() for row in rows.values())


def test_a_variable_is_typed_in_one_step(page, gpt, qtbot):
    before = len(gpt.history.done)
    type_over(qtbot, page.table.rows["dim"].editor.field, "64")
    assert gpt.document.variables["dim"] == 64
    assert len(gpt.history.done) == before + 1
    qtbot.waitUntil(lambda: page.table.rows["hidden"].editor.field.trailing == "= 256")


def test_a_truth_value_is_ticked(page, gpt, qtbot):
    qtbot.mouseClick(page.table.rows["tied"].editor.box, Qt.MouseButton.LeftButton)
    assert gpt.document.variables["tied"] is False


def test_a_variable_cannot_mention_itself(page, gpt, qtbot):
    type_over(qtbot, page.table.rows["hidden"].editor.field, "=2*hidden")
    assert gpt.document.variables["hidden"] == "=4*dim"
    assert page.table.rows["hidden"].fault.text() == "There is no variable 'hidden'."


def test_a_variable_is_added_with_two_fields(page, gpt, qtbot):
    table = page.table
    qtbot.mouseClick(table.add_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(table.name_field, "width")
    qtbot.keyClick(table.name_field, Qt.Key.Key_Return)
    qtbot.keyClicks(table.value_field, "=2*dim")
    qtbot.keyClick(table.value_field, Qt.Key.Key_Return)
    assert gpt.document.variables["width"] == "=2*dim"
    qtbot.waitUntil(lambda: "width" in table.rows)
    assert table.rows["width"].editor.field.trailing == "= 64"
    assert table.add_button.isVisible() and not table.new_line.isVisible()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("2wide", "1", "A name is letters, digits and _ and begins with a letter."),
        ("dim", "1", "There is a variable dim already."),
        ("width", "=other", "There is no variable 'other'."),
    ],
)
def test_a_variable_that_will_not_do_is_refused_in_place(page, gpt, qtbot, name, value, sentence):
    table = page.table
    qtbot.mouseClick(table.add_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(table.name_field, name)
    qtbot.keyClicks(table.value_field, value)
    qtbot.keyClick(table.value_field, Qt.Key.Key_Return)
    assert table.fault.text() == sentence
    assert set(gpt.document.variables) == set(page.table.rows)
    qtbot.keyClick(table.value_field, Qt.Key.Key_Escape)
    assert not table.new_line.isVisible()


def test_a_variable_is_removed_and_its_users_complain(page, gpt, qtbot):
    line = page.table._lines["context"]
    remove = line.layout().itemAt(1).widget()
    assert remove.accessibleName() == "Remove context"
    qtbot.mouseClick(remove, Qt.MouseButton.LeftButton)
    assert "context" not in gpt.document.variables
    assert not gpt.report.valid
    qtbot.waitUntil(lambda: "context" not in page.table.rows)


def test_title_and_seed(page, gpt, qtbot):
    type_over(qtbot, page.head.title, "shakespeare")
    assert gpt.document.title == "shakespeare"
    type_over(qtbot, page.form.rows["seed"].editor.field, "7")
    assert gpt.document.seed == 7
    qtbot.waitUntil(lambda: page.form.rows["seed"].setting.raw == 7)
    page.form.rows["seed"].menu().actions()[0].trigger()
    assert gpt.document.seed == 0


def test_requirements_are_told(workspace, shown):
    workspace.show(Session(templates.find("unet").build({"channels": 8, "depth": 2})))
    panel = shown(Properties, 332, 860)
    page = panel.document_page
    text = page.requirement_list.text()
    assert "height must be divisible by 4" in text
    assert "width must be divisible by 4" in text


def test_an_empty_drawing_says_so(workspace, shown):
    panel = shown(Properties, 332, 860)
    page = panel.document_page
    assert page.head.summary.text() == "Nothing is drawn yet."
    assert not page.requirements.isVisible()
    assert not page.cost.isVisible()


def test_whole_costs(page, gpt, engine, estimation, until):
    engine.answers["estimate"] = estimation
    until(lambda: bool(page.cost_figures.figures))
    figures = {figure.name: (figure.value, figure.hint) for figure in page.cost_figures.figures}
    assert figures["parameters"] == ("12 K", "12\u2009000; 20\u2009000 with shared ones counted at each use")
    assert figures["memory to run"][0] == "5 MiB"
