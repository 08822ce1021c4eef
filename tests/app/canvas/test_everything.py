"""What is done to all nodes at once: the benchmark does what it says, and a copy stays as it was when it was made."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from app.canvas import copying
from benchmarks import everything
from graph.commands import SetNode
from graph.files import to_text


def test_the_benchmark_leaves_the_drawing_as_it_was():
    drawing = everything.Drawing(60)
    before = to_text(drawing.session.document)
    for make in everything.EDITS.values():
        drawing.measure(make)
        assert to_text(drawing.session.document) == before
        assert drawing.session.history.undone
    rows = list(everything.run(20, 40, 1))
    assert len(rows) == 2 * len(everything.EDITS)
    assert all(row["value"] > 0 for row in rows)


def test_a_group_is_pasted_as_it_was_when_it_was_copied(show):
    canvas = show("gpt", dim=32, layers=2, num_heads=2, vocab=64, context=32)
    session = canvas.session
    group = next(node for node in session.document.top.nodes.values() if node.is_group)
    inner = next(iter(group.level.nodes))
    title = group.level.nodes[inner].title
    session.select([group.id])
    canvas.copy()
    session.do(SetNode((group.id,), inner, "title", "Changed meanwhile"))
    canvas.paste()
    (copy,) = session.selection
    assert copy != group.id
    assert session.document.level((copy,)).nodes[inner].title == title
    assert session.document.level((group.id,)).nodes[inner].title == "Changed meanwhile"


def test_what_lies_in_the_clipboard_is_pasted_whoever_put_it_there(show):
    canvas = show()
    session = canvas.session
    first, second = list(session.document.top.nodes)[:2]
    session.select([first])
    canvas.copy()
    mine = QGuiApplication.clipboard().text()
    assert list(copying._copied) == [mine]
    session.select([second])
    canvas.copy()
    other = QGuiApplication.clipboard().text()
    assert list(copying._copied) == [other]
    QGuiApplication.clipboard().setText(mine)  # as another window would: it is read
    canvas.paste()
    (copy,) = session.selection
    nodes = session.document.top.nodes
    assert nodes[copy].block == nodes[first].block
    assert nodes[copy].uid not in (nodes[first].uid, nodes[second].uid)
    canvas.paste()
    (again,) = session.selection
    assert nodes[again].uid != nodes[copy].uid
