"""The outline follows the drawing, the selection goes both ways, and it is worked by keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.panels.outline import Outline
from app.panels.tree.model import FACTS_ROLE, OutlineModel
from app.session import Session
from graph import grouping
from graph.commands import AddNode, Connect, SetParam
from graph.document import Document, Node, Wire
from graph.files import document_to_data

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def outline(gpt, shown) -> Outline:
    panel = shown(Outline, 320, 500)
    QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal, panel)
    return panel


def texts(model: QAbstractItemModel, parent: QModelIndex | None = None) -> list[str]:
    parent = parent or QModelIndex()
    return [str(model.index(row, 0, parent).data()) for row in range(model.rowCount(parent))]


def paths(model: OutlineModel, at: tuple[str, ...] = ()) -> list[str]:
    parent = model.index_of(at)
    return [model.path(model.index(row, 0, parent))[-1] for row in range(model.rowCount(parent))]


def test_rows_are_in_the_order_of_the_wires(outline, gpt):
    order = paths(outline.model)
    assert set(order) == set(gpt.document.top.nodes)
    for wire in gpt.document.top.wires():
        assert order.index(wire.source) < order.index(wire.target)
    inside = paths(outline.model, ("decoder",))
    assert set(inside) == set(gpt.document.level(("decoder",)).nodes)


def test_a_row_says_what_the_canvas_shows(outline, gpt):
    model = outline.model
    facts = model.index_of(("decoder", "attn")).data(FACTS_ROLE)
    assert (facts.category, facts.state) == ("Attention", "ok")
    assert facts.shape.startswith("batch")
    assert model.index_of(("decoder",)).data(FACTS_ROLE).times == "× 2"
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    QApplication.processEvents()
    assert model.index_of(("decoder", "attn")).data(FACTS_ROLE).state == "error"
    said = model.index_of(("decoder", "attn")).data(Qt.ItemDataRole.AccessibleTextRole)
    assert gpt.report.node(("decoder", "attn")).issues[0].message in said


def test_edits_move_only_the_rows_they_concern(outline, gpt):
    tree, model = outline.tree, outline.model
    tree.expand(model.index_of(("decoder",)))
    before = paths(model)
    gpt.do(AddNode((), Node("extra", "Linear", {"out_features": 3})))
    QApplication.processEvents()
    assert "extra" in paths(model)
    assert tree.isExpanded(model.index_of(("decoder",))), "a row was added, the others stay as they were"
    gpt.undo()
    QApplication.processEvents()
    assert paths(model) == before
    command, group = grouping.group(gpt.document, ("decoder",), ["attn"])
    gpt.do(command)
    QApplication.processEvents()
    assert group in paths(model, ("decoder",))
    assert "attn" in paths(model, ("decoder", group))
    gpt.undo()
    QApplication.processEvents()
    assert "attn" in paths(model, ("decoder",))


def test_selection_goes_both_ways(outline, gpt):
    tree, model = outline.tree, outline.model
    gpt.show(("decoder", "attn"))
    QApplication.processEvents()
    assert model.path(tree.currentIndex()) == ("decoder", "attn")
    assert tree.isExpanded(model.index_of(("decoder",)))
    revealed = []
    gpt.reveal.connect(lambda path: revealed.append(path))
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Down)
    below = model.path(tree.currentIndex())
    assert gpt.at == ("decoder",)
    assert gpt.selection == {below[-1]}
    assert revealed == [below]
    QTest.keyClick(tree, Qt.Key.Key_Up, SHIFT)
    assert len(gpt.selection) == 2, "Shift takes the neighbour too"
    QTest.keyClick(tree, Qt.Key.Key_Home)
    assert gpt.at == ()
    assert gpt.selection == {paths(model)[0]}
    place = tree.visualRect(model.index_of(("decoder", "attn"))).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert (gpt.at, gpt.selection) == (("decoder",), {"attn"})


def test_enter_opens_a_group_and_delete_takes_away(outline, gpt):
    tree, before = outline.tree, document_to_data(gpt.document)
    tree.setFocus()
    gpt.select(["decoder"])
    QApplication.processEvents()
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert gpt.at == ("decoder",)
    assert tree.isExpanded(outline.model.index_of(("decoder",)))
    gpt.select(["attn"])
    QApplication.processEvents()
    QTest.keyClick(tree, Qt.Key.Key_Delete)
    assert "attn" not in gpt.document.level(("decoder",))
    assert len(gpt.history.done) == 1
    gpt.undo()
    assert document_to_data(gpt.document) == before


def test_f2_renames_in_its_place(outline, gpt):
    tree = outline.tree
    tree.setFocus()
    gpt.select(["decoder"])
    QApplication.processEvents()
    QTest.keyClick(tree, Qt.Key.Key_F2)
    field = tree.viewport().findChild(QLineEdit)
    assert field is not None
    field.selectAll()
    QTest.keyClicks(field, "  Trunk  of it ")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert gpt.document.top.node("decoder").title == "Trunk of it"
    QApplication.processEvents()
    assert outline.model.index_of(("decoder",)).data() == "Trunk of it"
    gpt.undo()
    assert gpt.document.top.node("decoder").title != "Trunk of it"


def test_the_filter_keeps_what_it_speaks_of_and_the_groups_around(outline, gpt):
    field, tree, model = outline.field, outline.tree, outline.model
    field.setFocus()
    QTest.keyClicks(field, "attn")
    assert paths(model) == ["decoder"]
    assert set(paths(model, ("decoder",))) == {id for id in gpt.document.level(("decoder",)).nodes if "attn" in id}
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert tree.hasFocus()
    field.setText("no such node")
    assert model.rowCount() == 0
    assert outline.note.text() == "No node is called so."
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert set(paths(model)) == set(gpt.document.top.nodes)


def test_an_empty_drawing_says_so(outline, workspace):
    workspace.show(Session(Document("empty")))
    QApplication.processEvents()
    assert outline.model.rowCount() == 0
    assert outline.note.text() == "Nothing is drawn yet."


def test_keys_of_the_tree_stay_in_the_tree(outline, gpt):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    for key in (Qt.Key.Key_F2, Qt.Key.Key_Delete):
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
        event.ignore()
        QApplication.sendEvent(outline.tree, event)
        assert event.isAccepted()
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_F2, SHIFT | CONTROL)
    event.ignore()
    QApplication.sendEvent(outline.tree, event)
    assert not event.isAccepted()


def test_a_drawing_of_thousands_is_followed_at_once(shown, workspace):
    document = Document("many")
    AddNode((), Node("source", "FeatureInput", {"dim": 8})).apply(document)
    for place in range(3000):
        AddNode((), Node(f"n{place}", "ReLU", position=(0.0, place * 80.0))).apply(document)
        Connect((), Wire("source", "features", f"n{place}", "x")).apply(document)
    session = Session(document)
    workspace.show(session)
    panel = shown(Outline, 320, 500)
    assert panel.model.rowCount() == 3001
    panel.invalidate()
    panel._refresh_now()
    told = []
    panel.model.dataChanged.connect(lambda first, last: told.append(last.row() - first.row() + 1))
    for signal in (panel.model.rowsInserted, panel.model.rowsRemoved, panel.model.rowsMoved, panel.model.modelReset):
        signal.connect(lambda *_: told.append("rows"))
    session.select(document.top.nodes)
    panel._refresh_now()
    assert panel.tree.selectionModel().selection().count() == 1, "one range, since Qt takes long over many"
    session.do(SetParam((), "n7", "x", 1))
    panel._refresh_now()
    assert told == [1], "no other row has changed"
    assert len(panel.tree.selectionModel().selectedIndexes()) == 3001


def test_the_current_row_can_be_seen(outline, gpt):
    from app import theme

    outline.tree.setFocus()
    gpt.select(["decoder"])
    QApplication.processEvents()
    picture = outline.tree.viewport().grab().toImage()
    rect = outline.tree.visualRect(outline.tree.currentIndex())
    edge = picture.pixelColor(QPoint(rect.left() + 60, rect.top()))
    assert edge.name() == theme.current().accent
