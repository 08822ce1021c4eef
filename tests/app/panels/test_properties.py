from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.properties import Properties
from graph.commands import SetParam
from graph.document import FROM_WIRE

ATTENTION = ("decoder", "attn")


@pytest.fixture
def panel(gpt, shown):
    return shown(Properties, 332, 860)


def row(panel, name):
    return panel.node_page.form.rows[name]


def type_over(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def params(session, path=ATTENTION):
    return session.document.node(path).params


def test_the_selected_node_is_shown(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    page = panel.node_page
    assert page.head.title.text() == "Multi-head attention"
    assert (
        page.head.summary.text() == "Let every position gather what it needs from the others, in several heads at once."
    )
    assert list(page.form.params)[:3] == ["dim", "num_heads", "kv_heads"]
    figures = {figure.name: figure.value for figure in page.shape_figures.figures}
    assert (figures["x"], figures["mask"], figures["→ y"]) == ("batch × seq × 32", "not wired", "batch × seq × 32")


def test_what_is_as_usual_waits_behind_a_button(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.node_page.form is not None and row(panel, "dim").isVisible())
    form = panel.node_page.form
    assert row(panel, "init_std").isVisible()  # it is set
    assert "rope_theta" not in form.rows
    hidden = len(form.params) - len(form.rows)
    assert form.more.text() == f"{hidden} more parameters"
    qtbot.mouseClick(form.more, Qt.MouseButton.LeftButton)
    assert list(form.params) == sorted(form.rows, key=lambda name: form.rows[name].y())
    type_over(qtbot, row(panel, "rope_theta").editor.field, "500")
    qtbot.waitUntil(lambda: row(panel, "rope_theta").setting.value == 500.0)
    qtbot.mouseClick(form.more, Qt.MouseButton.LeftButton)
    assert row(panel, "rope_theta").isVisible()
    assert form.more.text() == f"{hidden - 1} more parameters"


def test_typing_is_one_step(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.node_page.form is not None)
    before = len(gpt.history.done)
    type_over(qtbot, row(panel, "num_heads").editor.field, "16")
    assert params(gpt)["num_heads"] == 16
    assert len(gpt.history.done) == before + 1
    gpt.undo()
    assert params(gpt)["num_heads"] == "=num_heads"


def test_what_will_not_do_stays_with_its_sentence(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.node_page.form is not None)
    field = row(panel, "num_heads").editor.field
    type_over(qtbot, field, "0")
    assert params(gpt)["num_heads"] == "=num_heads"
    assert row(panel, "num_heads").fault.text() == "It must be at least 1; it is 0."
    gpt.do(SetParam(("decoder",), "mlp_norm", "eps", 0.1))  # some other edit
    gpt.select(["mlp"])
    qtbot.waitUntil(lambda: panel.node_page.path == ("decoder", "mlp"))
    gpt.select(["attn"])
    qtbot.waitUntil(lambda: panel.node_page.path == ATTENTION)
    assert row(panel, "num_heads").editor.field.text() == "0"
    qtbot.waitUntil(lambda: row(panel, "num_heads").fault.isVisible())
    qtbot.keyClick(row(panel, "num_heads").editor.field, Qt.Key.Key_Escape)
    assert row(panel, "num_heads").editor.field.text() == "=num_heads"
    assert not row(panel, "num_heads").fault.isVisible()


def test_a_draft_belongs_to_its_node_where_two_share_a_form(panel, gpt, qtbot):
    first, second = ("decoder", "attn_norm"), ("decoder", "mlp_norm")
    gpt.show(first)
    qtbot.waitUntil(lambda: panel.node_page.form is not None)
    form = panel.node_page.form
    type_over(qtbot, row(panel, "eps").editor.field, "-1")
    assert row(panel, "eps").fault.text() == "It must be at least 0; it is -1."
    gpt.show(second)
    qtbot.waitUntil(lambda: panel.node_page.path == second)
    assert panel.node_page.form is form
    assert row(panel, "eps").editor.field.text() == "1e-05"
    assert not row(panel, "eps").fault.isVisible()
    gpt.show(first)
    qtbot.waitUntil(lambda: panel.node_page.path == first)
    assert row(panel, "eps").editor.field.text() == "-1"
    assert "eps" not in params(gpt, first)


def test_an_expression_shows_what_it_is(panel, gpt, qtbot):
    gpt.show(("decoder", "mlp"))
    qtbot.waitUntil(lambda: panel.node_page.form is not None)
    field = row(panel, "hidden").editor.field
    assert (field.text(), field.trailing) == ("=hidden", "= 128")
    type_over(qtbot, field, "=6*dim")
    qtbot.waitUntil(lambda: field.trailing == "= 192")
    assert params(gpt, ("decoder", "mlp"))["hidden"] == "=6*dim"
    type_over(qtbot, field, "=6*dimension")
    assert row(panel, "hidden").fault.text() == "There is no variable 'dimension'."


def test_a_parameter_off_the_wire_can_be_set_and_released(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.node_page.form is not None)
    line = row(panel, "dim")
    assert (line.editor.field.text(), line.editor.field.trailing) == ("32", "from Layer norm")
    qtbot.mouseClick(line.button, Qt.MouseButton.LeftButton)
    assert params(gpt)["dim"] == 32
    qtbot.waitUntil(lambda: line.editor.field.trailing == "features per token")
    qtbot.mouseClick(line.button, Qt.MouseButton.LeftButton)
    assert params(gpt)["dim"] == FROM_WIRE
    qtbot.waitUntil(lambda: line.editor.field.trailing == "from Layer norm")


def test_an_issue_is_shown_with_its_repair(panel, gpt, qtbot):
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.node_page.card.isVisible())
    card = panel.node_page.card
    assert card.where.text() == "Multi-head attention, input x"
    assert card.message.text() == "It receives 32 features per token from Layer norm, but its dim is 48."
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    assert params(gpt)["dim"] == 32
    qtbot.waitUntil(lambda: not card.isVisible())


def test_a_conflict_is_shown_at_its_field(panel, gpt, qtbot):
    gpt.do(SetParam(("decoder",), "attn", "num_heads", 5))
    gpt.do(SetParam(("decoder",), "attn", "kv_heads", None))
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.node_page.form is not None and row(panel, "num_heads").fault.isVisible())
    line = row(panel, "num_heads")
    assert "5 heads" in line.fault.text()
    assert line.repair.isVisible()
    qtbot.mouseClick(line.repair, Qt.MouseButton.LeftButton)
    assert 32 % params(gpt)["num_heads"] == 0


def test_the_title_is_typed_over_in_one_step(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    title = panel.node_page.head.title
    type_over(qtbot, title, "Looking back")
    assert gpt.document.node(ATTENTION).title == "Looking back"
    qtbot.waitUntil(lambda: panel.node_page.head.summary.text().startswith("Multi-head attention. Let every"))
    assert gpt.undo() == "Set title of attn"
    assert gpt.document.node(ATTENTION).title == ""
    qtbot.waitUntil(lambda: title.text() == "Multi-head attention")


def test_the_help_page_opens(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    head = panel.node_page.head
    assert not head.help.isVisible()
    qtbot.mouseClick(head.button, Qt.MouseButton.LeftButton)
    assert head.help.isVisible()
    assert "grouped-query attention" in head.help.text.text()


def test_a_node_is_renamed_in_code_and_stays_selected(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    field = panel.node_page.id_field
    type_over(qtbot, field, "looking")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert gpt.focus == ("decoder", "looking")
    said = []
    gpt.refused.connect(said.append)
    type_over(qtbot, field, "class")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert gpt.focus == ("decoder", "looking")
    assert field.text() == "looking"
    assert len(said) == 1 and "'class'" in said[0]


def test_a_group_is_repeated_and_shares_its_weights(panel, gpt, qtbot):
    gpt.show(("decoder",))
    qtbot.waitUntil(lambda: panel.node_page.form is not None)
    repeat = row(panel, "repeat").editor.field
    assert (repeat.text(), repeat.trailing) == ("=layers", "= 2")
    type_over(qtbot, repeat, "3")
    assert gpt.document.node(("decoder",)).repeat == 3
    combo = row(panel, "weights").editor.combo
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert gpt.document.node(("decoder",)).shared is True
    combo = row(panel, "rounds").editor.combo
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert gpt.document.node(("decoder",)).backwards is True
    names = [figure.name for figure in panel.node_page.shape_figures.figures]
    assert names == ["x", "→ x"]


def test_costs_come_from_the_estimate(panel, gpt, qtbot, engine, until, estimation):
    engine.answers["estimate"] = estimation
    gpt.show(ATTENTION)
    until(lambda: bool(panel.node_page.cost_figures.figures))
    figures = {figure.name: figure.value for figure in panel.node_page.cost_figures.figures}
    assert figures["parameters"] == "4\u2009224"
    assert figures["FLOPs at 1 × 64"] == "2.5 M"
    assert figures["KV cache, 64 tokens"] == "32 KiB"
    assert figures["score matrix, if it were built"] == "32 KiB"
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    qtbot.waitUntil(lambda: not panel.node_page.cost.isVisible())


def test_the_kernel_is_told_after_a_run(panel, gpt, engine, workspace, until, run_reading):
    gpt.show(ATTENTION)
    until(lambda: panel.page is panel.node_page)
    assert not panel.node_page.kernel.isVisible()
    engine.answers["run"] = run_reading
    workspace.run()
    until(lambda: panel.node_page.kernel.isVisible())
    assert panel.node_page.kernel.trailing.text() == "flash"


def test_several_nodes_are_set_in_one_step(panel, gpt, qtbot):
    gpt.enter(("decoder",))
    gpt.select(["attn_norm", "mlp_norm"])
    qtbot.waitUntil(lambda: panel.page is panel.many_page)
    page = panel.many_page
    assert (page.heading.text(), page.summary.text()) == ("2 selected", "2 Layer norm")
    before = len(gpt.history.done)
    type_over(qtbot, page.form.rows["eps"].editor.field, "0.25")
    assert {params(gpt, ("decoder", id))["eps"] for id in ("attn_norm", "mlp_norm")} == {0.25}
    assert len(gpt.history.done) == before + 1
    gpt.undo()
    assert all("eps" not in params(gpt, ("decoder", id)) for id in ("attn_norm", "mlp_norm"))


def test_values_that_differ_are_left_until_they_are_set(panel, gpt, qtbot):
    gpt.do(SetParam(("decoder",), "mlp_norm", "bias", False))
    gpt.enter(("decoder",))
    gpt.select(["attn_norm", "mlp_norm"])
    qtbot.waitUntil(lambda: panel.page is panel.many_page)
    box = panel.many_page.form.rows["bias"].editor.box
    assert box.checkState() == Qt.CheckState.PartiallyChecked
    assert params(gpt, ("decoder", "mlp_norm"))["bias"] is False
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    assert len({params(gpt, ("decoder", id))["bias"] for id in ("attn_norm", "mlp_norm")}) == 1


def test_only_what_nodes_have_in_common_is_shown(panel, gpt, qtbot):
    gpt.enter(("decoder",))
    gpt.select(["attn", "mlp"])
    qtbot.waitUntil(lambda: panel.page is panel.many_page)
    assert "dim" in panel.many_page.form.params
    assert "num_heads" not in panel.many_page.form.params
    assert panel.many_page.summary.text() == "Multi-head attention, Feed-forward"


def test_a_deleted_selection_leads_back_to_the_document(panel, gpt, qtbot):
    from graph import edits

    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    gpt.do(edits.remove(gpt.document, ("decoder",), ["attn"]))
    qtbot.waitUntil(lambda: panel.page is panel.document_page)


def test_a_group_counts_the_blocks_that_one_drew(panel, gpt, qtbot):
    gpt.show(("decoder",))
    qtbot.waitUntil(lambda: panel.page is panel.node_page and panel.node_page.path == ("decoder",))
    assert len(gpt.document.node(("decoder",)).level.nodes) == 8
    assert panel.node_page.head.summary.text() == "A group of 6 blocks."
