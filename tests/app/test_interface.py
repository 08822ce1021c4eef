"""The interface of a group: ports added, renamed, reordered and removed, the wires outside follow, one step each."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.session import Session
from graph import clipboard, edits, grouping, interface
from graph.commands import AddNode, Connect, Move, RemoveNode, SetParam
from graph.document import Document, EditError, Node, Wire
from graph.files import document_to_data
from graph.layout import measure
from graph.validate import group_ports, validate


@pytest.fixture
def session() -> Session:
    """Features → group (first → second) → result, the group called inner."""
    document = Document("grouped")
    nodes = (
        Node("features", "FeatureInput", {"dim": 8}),
        Node("first", "Linear", {"in_features": {"from": "wire"}, "out_features": 8}, position=(240.0, 0.0)),
        Node("second", "GELU", position=(480.0, 0.0)),
        Node("result", "Output", position=(720.0, 0.0)),
    )
    for node in nodes:
        AddNode((), node).apply(document)
    for wire in (("features", "features", "first"), ("first", "y", "second"), ("second", "y", "result")):
        Connect((), Wire(*wire, "x")).apply(document)
    command, group = grouping.group(document, (), ["first", "second"], "Inner")
    command.apply(document)
    assert group == "inner"
    return Session(document)


def ports(session: Session) -> tuple[list[str], list[str]]:
    inputs, outputs = group_ports(session.document.level(("inner",)))
    return list(inputs), list(outputs)


def outside(session: Session) -> set[tuple[str, str, str, str]]:
    return {(wire.source, wire.output, wire.target, wire.input) for wire in session.document.top.wires()}


WIRED = {("features", "features", "inner", "x"), ("inner", "x", "result", "x")}


def test_a_renamed_port_takes_its_wires_along(session: Session) -> None:
    before = document_to_data(session.document)
    assert session.do(interface.rename_port(session.document, ("inner",), "input", "x", "hidden"))
    assert session.do(interface.rename_port(session.document, ("inner",), "output", "x", "result"))
    assert ports(session) == (["hidden"], ["result"])
    assert outside(session) == {("features", "features", "inner", "hidden"), ("inner", "result", "result", "x")}
    assert validate(session.document).valid
    session.undo()
    session.undo()
    assert document_to_data(session.document) == before


def test_a_port_that_is_renamed_from_inside_does_too(session: Session) -> None:
    before = document_to_data(session.document)
    entry = group_ports(session.document.level(("inner",)))[0]["x"]
    assert session.do(SetParam(("inner",), entry, "port", "hidden"))
    assert ("features", "features", "inner", "hidden") in outside(session)
    assert len(session.history.done) == 1
    session.undo()
    assert document_to_data(session.document) == before


def test_typing_a_name_is_one_step(session: Session) -> None:
    before = document_to_data(session.document)
    entry = group_ports(session.document.level(("inner",)))[0]["x"]
    gesture = object()
    for text in ("m", "ma", "mas", "mask"):
        assert session.do(SetParam(("inner",), entry, "port", text), gesture)
    assert ("features", "features", "inner", "mask") in outside(session)
    assert len(session.history.done) == 1
    session.undo()
    assert document_to_data(session.document) == before


def test_a_port_that_is_deleted_inside_leaves_no_wire_outside(session: Session) -> None:
    before = document_to_data(session.document)
    level = session.document.level(("inner",))
    assert session.do(edits.remove(session.document, ("inner",), [group_ports(level)[0]["x"]]))
    assert outside(session) == {("inner", "x", "result", "x")}
    session.undo()
    assert {tuple(w) for w in document_to_data(session.document)["level"]["wires"]} == {
        tuple(w) for w in before["level"]["wires"]
    }
    assert session.document.node(("inner",)).level.wires()
    assert session.do(interface.remove_port(session.document, ("inner",), "output", "x"))
    assert outside(session) == {("features", "features", "inner", "x")}
    session.undo()
    assert outside(session) == WIRED


def test_ports_are_added_and_reordered(session: Session) -> None:
    for wish in ("", "mask", ""):
        command, name = interface.add_port(session.document, ("inner",), "input", wish)
        assert session.do(command)
    assert (ports(session)[0], name) == (["x", "x2", "mask", "x3"], "x3")
    assert outside(session) == WIRED
    assert session.do(interface.move_port(session.document, ("inner",), "input", "mask", -1))
    assert ports(session)[0] == ["x", "mask", "x2", "x3"]
    assert interface.move_port(session.document, ("inner",), "input", "x", -1) is None
    places = [node.position for node in session.document.level(("inner",)).nodes.values()]
    assert len(places) == len(set(places)), "none lies on another"
    for _ in range(4):
        session.undo()
    assert ports(session)[0] == ["x"]


@pytest.mark.parametrize("name", ["Mask", "two words", "class", "", "1st", "x2"])
def test_names_that_will_not_do_are_refused(session: Session, name: str) -> None:
    command, _ = interface.add_port(session.document, ("inner",), "input")
    session.do(command)
    with pytest.raises(EditError):
        interface.rename_port(session.document, ("inner",), "input", "x", name)
    said: list[str] = []
    session.refused.connect(lambda sentence: said.append(sentence))
    entry = group_ports(session.document.level(("inner",)))[0]["x"]
    assert not session.do(SetParam(("inner",), entry, "port", name))
    assert len(said) == 1
    assert outside(session) == WIRED


def test_a_group_that_is_deleted_with_a_port_is_deleted_once(session: Session) -> None:
    assert session.do(RemoveNode((), "inner"))
    assert outside(session) == set()
    session.undo()
    assert outside(session) == WIRED


@pytest.mark.parametrize(
    ("arriving", "leaving", "into", "out"),
    [
        ([("a", "y", "x")], [("c", "y")], ["x"], ["x"]),
        ([("a", "y", "x"), ("m", "mask", "mask")], [("c", "y")], ["x", "mask"], ["x"]),
        ([("a", "y", "x"), ("b", "y", "x")], [("c", "y")], ["x", "x2"], ["y"]),
        ([("a", "y", "query"), ("b", "y", "key")], [("c", "y"), ("d", "weights")], ["query", "key"], ["y", "weights"]),
        ([("t", "tokens", "x")], [("c", "y"), ("d", "y")], ["tokens"], ["y", "y2"]),
        ([], [("c", "y")], [], ["y"]),
    ],
)
def test_ports_of_a_new_group_have_names_that_say_something(arriving, leaving, into, out) -> None:
    inputs, outputs = interface.border_names(
        [Wire(source, output, "inner", input) for source, output, input in arriving],
        [Wire(source, output, "outer", "x") for source, output in leaving],
    )
    assert (list(inputs.values()), list(outputs.values())) == (into, out)


def test_what_was_grouped_lies_where_it_was_when_it_is_ungrouped(session: Session) -> None:
    command, ids = grouping.ungroup(session.document, (), "inner")
    assert session.do(command)
    assert [session.document.node((id,)).position for id in ids] == [(240.0, 0.0), (480.0, 0.0)]


def test_neighbours_make_room_for_what_comes_out(session: Session) -> None:
    session.do(Move((), {"result": (520.0, 0.0), "inner": (300.0, 0.0), "features": (60.0, 0.0)}))
    before = document_to_data(session.document)
    command, ids = grouping.ungroup(session.document, (), "inner")
    assert session.do(command)
    nodes = {id: session.document.node((id,)) for id in (*ids, "result", "features")}
    areas = {id: (n.position[0], n.position[0] + measure(n).width) for id, n in nodes.items()}
    order = sorted(areas.values())
    assert all(left[1] < right[0] for left, right in pairwise(order)), areas
    assert nodes["features"].position == (60.0, 0.0), "what is before it stays"
    assert validate(session.document).valid
    session.undo()
    assert document_to_data(session.document) == before


def test_ties_follow_into_a_group_and_out_of_it() -> None:
    from graph.templates import find

    session = Session(find("gpt").build({"layers": 1}))
    before = document_to_data(session.document)
    tied = next(path for path, node in session.document.walk() if node.ties)
    assert session.document.node(tied).ties["weight"].to == "token_embedding.weight"
    command, group = grouping.group(session.document, (), ["token_embedding", "position"], "Front")
    assert session.do(command)
    assert session.document.node(tied).ties["weight"].to == f"{group}.token_embedding.weight"
    assert not session.report.issues
    command, _ = grouping.ungroup(session.document, (), group)
    assert session.do(command)
    assert session.document.node(tied).ties["weight"].to == "token_embedding.weight"
    session.undo()
    session.undo()
    after = document_to_data(session.document)
    assert {n["id"]: n for n in after["level"]["nodes"]} == {n["id"]: n for n in before["level"]["nodes"]}


def test_a_port_that_is_pasted_gets_a_name_of_its_own(session: Session) -> None:
    entry = group_ports(session.document.level(("inner",)))[0]["x"]
    text = clipboard.copy(session.document, ("inner",), [entry])
    for _ in range(2):
        command, _ = clipboard.paste(session.document, ("inner",), text)
        assert session.do(command)
    assert set(ports(session)[0]) == {"x", "x2", "x3"}
