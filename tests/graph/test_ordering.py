"""What a level knows without looking for it equals what looking finds: paths, circles, and the order of nodes."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from graph.commands import AddNode, Connect, Disconnect, RemoveNode, Sequence
from graph.document import Document, EditError, Node, Wire
from graph.history import History
from graph.records import changed


def _random_edit(document, rng, count):
    ids = list(document.top.nodes)
    what = rng.choice((0, 0, 0, 1, 2, 3, *[4] * 12)) if len(ids) < 40 else 2
    if what == 0 or len(ids) < 4:
        return AddNode((), Node(f"n{count}", "Add"))
    if what == 1:
        return RemoveNode((), rng.choice(ids))
    if what == 2:
        return Sequence(tuple(RemoveNode((), id) for id in rng.sample(ids, len(ids) // 3)))
    wires = document.top.wires()
    if what == 3 and wires:
        return Disconnect((), rng.choice(wires))
    source, target = rng.sample(ids, 2)
    return Connect((), Wire(source, "y", target, "x", count))


@pytest.mark.parametrize("seed", range(12))
def test_paths_and_the_order_of_nodes_through_random_edits(seed):
    rng, document = random.Random(seed), Document()
    level, history, orders = document.top, History(document), [[]]
    refused = 0
    for count in range(400):
        if rng.random() < 0.15:
            while history.can_undo and rng.random() < 0.6:
                history.undo()
                orders.pop()
            assert list(level.nodes) == orders[-1]
            continue
        edit = _random_edit(document, rng, count)
        closes = isinstance(edit, Connect) and nx.has_path(level.net, edit.wire.target, edit.wire.source)
        try:
            history.do(edit)
        except EditError:
            assert closes
            refused += 1
            continue
        assert not closes
        orders.append(list(level.nodes))
        assert nx.is_directed_acyclic_graph(level.net)
        for start, goal in [(rng.choice(orders[-1]), rng.choice(orders[-1])) for _ in range(8)]:
            assert level.reaches(start, goal) == nx.has_path(level.net, start, goal)
        assert {wire for id in level.nodes for wire in level.outgoing(id)} == set(level.wires())
    assert refused > 5


def test_a_circle_that_was_drawn_all_the_same_does_no_harm():
    document = Document()
    for id in "abc":
        AddNode((), Node(id, "Add")).apply(document)
    level = document.top
    assert not level.reaches("a", "b")
    for source, target in ("ab", "bc", "ca"):
        level._connect(Wire(source, "y", target, "x"))
    assert level.reaches("a", "c") and level.reaches("c", "b")
    level._disconnect(Wire("c", "y", "a", "x"))
    assert level.reaches("a", "c") and not level.reaches("c", "b")


def test_ids_that_are_made_at_once_are_those_made_one_by_one():
    document = Document()
    for id in ("linear", "linear_2", "linear_4", "a_2"):
        AddNode((), Node(id, "Linear")).apply(document)
    wishes = ["linear", "Linear", "a", "linear_2", "a", "", "2 d", "linear", "for", "a 2"]
    taken: set[str] = set()
    for wish in wishes:
        taken.add(document.fresh_id((), wish, taken))
    assert sorted(document.fresh_ids((), wishes)) == sorted(taken)
    assert document.fresh_ids((), wishes)[:4] == ["linear_3", "linear_5", "a", "linear_2_2"]


def test_a_changed_record_is_what_replace_gives():
    node = Node("a", "Linear", {"in_features": 3})
    other = changed(node, title="Wide", muted=True)
    assert (other.title, other.muted, other.params, other.uid) == ("Wide", True, node.params, node.uid)
    assert (node.title, node.muted) == ("", False)
    with pytest.raises(TypeError, match="colours"):
        changed(node, colours="red")
