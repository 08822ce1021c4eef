"""Each command undoes itself, refuses the impossible in words, and leaves everything whole when it refuses."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph import clipboard, edits, files, grouping
from graph.commands import (
    UNSET,
    AddNode,
    Connect,
    Disconnect,
    Move,
    RemoveNode,
    Rename,
    Sequence,
    SetDocument,
    SetNode,
    SetParam,
    SetVariable,
)
from graph.document import Document, EditError, Node, Tie, Wire
from graph.history import History

IDS = ("a", "b", "c", "d")
ids = st.sampled_from(IDS)
wires = st.builds(Wire, ids, st.just("y"), ids, st.sampled_from(["x", "z"]), st.integers(0, 1))
COMMANDS = st.one_of(
    ids.map(lambda id: AddNode((), Node(id, "Linear"))),
    ids.map(lambda id: RemoveNode((), id)),
    wires.map(lambda wire: Connect((), wire)),
    wires.map(lambda wire: Disconnect((), wire)),
    st.builds(SetParam, st.just(()), ids, st.sampled_from(["dim", "bias"]), st.one_of(st.integers(), st.just(UNSET))),
    st.builds(lambda id, x: Move((), {id: (x, x)}), ids, st.integers(-50, 50)),
    st.builds(Rename, st.just(()), ids, st.sampled_from([*IDS, "e"])),
    st.builds(SetVariable, st.sampled_from(["dim", "layers"]), st.one_of(st.integers(), st.just(UNSET))),
    st.builds(SetNode, st.just(()), ids, st.just("title"), st.text(max_size=5)),
    st.builds(SetDocument, st.just("seed"), st.integers(0, 9)),
)


def state(document):
    """A document without what may differ: the order in which nodes were added."""
    data = files.document_to_data(document)
    data["level"]["nodes"].sort(key=lambda node: node["id"])
    data["level"]["wires"].sort(key=str)
    data["variables"] = dict(sorted(data.get("variables", {}).items()))
    return data


@settings(max_examples=300, deadline=None)
@given(st.lists(COMMANDS, max_size=30))
def test_undoing_everything_restores_every_step(commands):
    document = Document()
    history = History(document)
    states = [state(document)]
    for command in commands:
        before = state(document)
        try:
            history.do(command)
        except EditError as error:
            assert str(error)
            assert state(document) == before
        else:
            states.append(state(document))
    for expected in reversed(states[:-1]):
        history.undo()
        assert state(document) == expected
    assert history.undo() is None
    for expected in states[1:]:
        history.redo()
        assert state(document) == expected
    assert not history.can_redo


def test_a_sequence_that_fails_half_way_changes_nothing():
    document = Document()
    with pytest.raises(EditError, match="already"):
        document.apply(Sequence((AddNode((), Node("a", "ReLU")), AddNode((), Node("a", "ReLU")))))
    assert not document.top.nodes


def test_one_drag_is_one_step_and_two_drags_are_two():
    document = Document()
    history = History(document)
    history.do(AddNode((), Node("a", "ReLU")))
    for gesture in (object(), object()):
        for x in range(5):
            history.do(Move((), {"a": (x, 0)}), gesture)
    assert len(history.done) == 3
    assert history.undo() == "Move a"
    assert document.top.node("a").position == (4.0, 0.0)
    history.undo()
    assert document.top.node("a").position == (0.0, 0.0)


def test_saving_in_the_middle_of_a_drag_is_remembered():
    document = Document()
    history = History(document)
    history.do(AddNode((), Node("a", "ReLU")))
    gesture = object()
    history.do(Move((), {"a": (1, 1)}), gesture)
    history.mark_saved()
    history.do(Move((), {"a": (2, 2)}), gesture)
    assert not history.is_saved
    history.undo()
    assert history.is_saved
    assert document.top.node("a").position == (1.0, 1.0)


def test_undoing_back_to_the_saved_state_counts_as_saved():
    document = Document()
    history = History(document)
    assert history.is_saved
    history.do(AddNode((), Node("a", "ReLU")))
    history.mark_saved()
    history.do(SetParam((), "a", "x", 1))
    assert not history.is_saved
    history.undo()
    assert history.is_saved


def test_circles_are_refused():
    document = Document()
    for id in "ab":
        document.apply(AddNode((), Node(id, "ReLU")))
    document.apply(Connect((), Wire("a", "y", "b", "x")))
    for wire in (Wire("b", "y", "a", "x"), Wire("a", "y", "a", "x")):
        with pytest.raises(EditError, match="close a circle"):
            document.apply(Connect((), wire))


@pytest.mark.parametrize("id", ["1a", "A", "class", "forward", "a-b", "", "a" * 200, "state_dict"])
def test_ids_that_no_module_could_have_are_refused(id):
    with pytest.raises(EditError):
        Document().apply(AddNode((), Node(id, "ReLU")))


def test_renaming_takes_wires_and_ties_along(tiny):
    document = tiny("gpt")
    undo = document.apply(Rename((), "token_embedding", "embedding"))
    assert document.top.node("head").ties["weight"] == Tie("embedding.weight", "=tied")
    assert Wire("tokens", "tokens", "embedding", "tokens") in document.top.wires()
    document.apply(undo)
    assert document.top.node("head").ties["weight"] == Tie("token_embedding.weight", "=tied")


def test_removing_a_group_and_undoing_brings_its_inside_back(tiny):
    document = tiny("gpt")
    before = state(document)
    undo = document.apply(RemoveNode((), "decoder"))
    assert "decoder" not in document.top
    document.apply(undo)
    assert state(document) == before


def test_connecting_a_taken_port_replaces_the_wire(chain):
    document = chain(("a", "FeatureInput", {}), ("b", "ReLU", {}), ("c", "SiLU", {}))
    history = History(document)
    before = state(document)
    history.do(edits.connect(document, (), "a", "features", "c", "x", many=False))
    assert document.top.incoming("c") == (Wire("a", "features", "c", "x"),)
    history.undo()
    assert state(document) == before


def test_an_input_that_takes_many_keeps_its_wires(chain):
    document = chain(("a", "FeatureInput", {}), ("b", "ReLU", {}), ("c", "Add", {}))
    document.apply(edits.connect(document, (), "a", "features", "c", "x", many=True))
    assert [wire.source for wire in document.top.incoming("c")] == ["b", "a"]


def test_copy_and_paste_make_new_identities(tiny):
    document = tiny("gpt")
    text = clipboard.copy(document, (), ["final_norm", "head"])
    command, ids = clipboard.paste(document, (), text, (500.0, 500.0))
    document.apply(command)
    assert ids == ["final_norm_2", "head_2"]
    assert document.top.node("head_2").uid != document.top.node("head").uid
    assert Wire("final_norm_2", "y", "head_2", "x") in document.top.wires()
    left = min(document.top.node(id).position[0] for id in ids)
    assert left == 500.0


def test_pasting_a_group_makes_new_identities_inside(tiny):
    document = tiny("gpt")
    command, (id,) = clipboard.paste(document, (), clipboard.copy(document, (), ["decoder"]))
    document.apply(command)
    assert document.node((id, "attn")).uid != document.node(("decoder", "attn")).uid
    assert len(document.level((id,)).wires()) == len(document.level(("decoder",)).wires())


def test_what_was_taken_is_pasted_like_its_text(tiny):
    document = tiny("llama")
    ids = [id for id in document.top.nodes if id != "tokens"]
    clip, text = clipboard.take(document, (), ids), clipboard.copy(document, (), ids)
    assert clipboard.text_of(clipboard.read(text)) == text
    group = next(node for node in document.top.nodes.values() if node.is_group)
    document.apply(SetNode((group.id,), next(iter(group.level.nodes)), "title", "Changed meanwhile"))
    pasted = []
    for copied in (clip, text):
        command, fresh = clipboard.paste(document, (), copied, (500.0, 500.0), keep_inputs=True)
        undo = document.apply(command)
        level = document.top
        pasted.append(
            [fresh, [_known(level.nodes[id]) for id in fresh], [w for w in level.wires() if w.target in fresh]]
        )
        document.apply(undo)
    assert pasted[0] == pasted[1]
    assert any(data.get("level") for data in pasted[0][1])


def _known(node):
    """A node without what is its own."""

    def bare(data):
        rest = {key: value for key, value in data.items() if key not in ("uid", "level")}
        if "level" in data:
            nodes = [bare(inner) for inner in data["level"]["nodes"]]
            rest["level"] = {"nodes": nodes, "wires": data["level"]["wires"]}
        return rest

    return bare(files.node_to_data(node))


def test_paste_keeping_inputs(tiny):
    document = tiny("gpt")
    command, _ = clipboard.paste(document, (), clipboard.copy(document, (), ["final_norm"]), keep_inputs=True)
    document.apply(command)
    assert Wire("decoder", "x", "final_norm_2", "x") in document.top.wires()


@pytest.mark.parametrize("text", ["", "hello", "[]", "{}", '{"format": "blockwright-clip", "nodes": 3}', "[" * 100000])
def test_pasting_some_other_text_is_refused_in_words(tiny, text):
    document = tiny("gpt")
    before = state(document)
    with pytest.raises(EditError, match=r"clipboard|copied nodes"):
        clipboard.paste(document, (), text)
    assert state(document) == before


def test_grouping_and_ungrouping_keep_the_model(tiny):
    from graph.plan import plan_document
    from graph.validate import validate

    document = tiny("unet")
    history = History(document)
    before = state(document)
    members = ["encoder_2", "pool_2", "bottleneck"]
    command, id = grouping.group(document, (), members, "Deep")
    history.do(command)
    assert validate(document).valid
    shapes = [str(exit.signal) for exit in plan_document(document).exits]
    command, ids = grouping.ungroup(document, (), id)
    history.do(command)
    assert sorted(ids) == sorted(members)
    assert [str(exit.signal) for exit in plan_document(document).exits] == shapes
    history.undo()
    history.undo()
    assert state(document) == before


def test_a_group_of_one_path_can_be_repeated_at_once(chain):
    from graph.validate import validate

    document = chain(
        ("a", "FeatureInput", {"dim": 8}),
        ("b", "Linear", {"out_features": 8}),
        ("c", "ReLU", {}),
        ("o", "Output", {}),
    )
    command, id = grouping.group(document, (), ["b", "c"])
    document.apply(command)
    document.apply(SetNode((), id, "repeat", 3))
    assert validate(document).valid


def test_grouping_across_a_path_that_comes_back_is_refused(chain):
    document = chain(("a", "FeatureInput", {}), ("b", "ReLU", {}), ("c", "SiLU", {}), ("d", "Tanh", {}))
    with pytest.raises(EditError, match="select c too"):
        grouping.group(document, (), ["b", "d"])


def test_deleting_can_heal(chain):
    document = chain(("a", "FeatureInput", {}), ("b", "ReLU", {}), ("c", "SiLU", {}))
    document.apply(edits.remove(document, (), ["b"], heal=True))
    assert document.top.incoming("c") == (Wire("a", "features", "c", "x"),)


def test_subscribers_hear_every_change():
    document = Document()
    heard = []
    document.changed.connect(lambda change: heard.append((change.command.label, change.revision)))
    undo = document.apply(SetVariable("dim", 3))
    document.apply(undo)
    assert heard == [("Set dim", 1), ("Set dim", 2)]
    assert document.variables == MappingProxyType({})


def test_pasted_nodes_bring_the_variables_that_they_need(tiny):
    """Those inside groups, and what these are made of, in one step; what the document has already stays."""
    text = clipboard.copy(tiny("gpt", kv_heads="=num_heads"), (), ["decoder"])
    other = Document()
    other.apply(SetVariable("hidden", 24))
    before = files.document_to_data(other)
    command, _ = clipboard.paste(other, (), text)
    inverse = other.apply(command)
    assert set(other.variables) == {"layers", "num_heads", "kv_heads", "hidden", "dim"}
    assert other.variables["kv_heads"] == "=num_heads"
    assert other.variables["hidden"] == 24
    other.apply(inverse)
    assert files.document_to_data(other) == before


@pytest.mark.parametrize("variables", [3, {"9": 1}, {"dim": [1]}, {"dim": float("nan")}])
def test_a_clip_with_damaged_variables_is_refused(variables):
    node = {"id": "a", "block": "ReLU"}
    text = json.dumps({"format": clipboard.CLIP, "nodes": [node], "wires": [], "variables": variables})
    with pytest.raises(EditError, match="damaged"):
        clipboard.paste(Document(), (), text)


@pytest.mark.parametrize("name", ["gpt", "unet"])
def test_undo_of_a_deletion_puts_nodes_back_where_they_were_among_the_others(tiny, name):
    document = tiny(name)
    before = files.document_to_data(document)
    ids = list(document.top.nodes)
    for doomed in (ids[:1], ids[1:4], ids[::-2]):
        document.apply(document.apply(edits.remove(document, (), doomed)))
        assert files.document_to_data(document) == before


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_what_was_taken_away_comes_back_in_its_place(name):
    document = Document()
    document.apply(AddNode((), Node("linear", "Linear", MappingProxyType({"a": 1, "b": 2, "c": 3}))))
    for number, letter in enumerate("abc"):
        document.apply(SetVariable(letter, number))
    before = files.to_text(document)
    for command in (SetVariable(name, UNSET), SetParam((), "linear", name, UNSET)):
        undo = document.apply(command)
        after = files.to_text(document)
        redo = document.apply(undo)
        assert files.to_text(document) == before
        document.apply(redo)
        assert files.to_text(document) == after != before
        document.apply(undo)
