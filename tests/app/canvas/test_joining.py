"""What is selected is connected by one key, without aiming."""

from __future__ import annotations

from graph.commands import AddNode
from graph.document import FROM_WIRE, Node


def test_what_is_selected_is_connected_from_left_to_right(show, hand_on, state_of, undone, pairs):
    canvas = show()
    for wire in list(canvas.session.document.top.wires()):
        canvas.session.select([wire.target])
        canvas.disconnect_selection()
    canvas.session.history.done.clear()
    canvas.session.select(())
    before = state_of(canvas.session)
    canvas.select_all()
    canvas.join_selection()
    assert pairs(canvas) == {("features", "first"), ("first", "second"), ("second", "result")}
    assert canvas.session.report.valid
    assert canvas.session.history.done[-1].label == "Connect 4 nodes"
    undone(canvas, before)


def test_two_that_stand_one_above_the_other_both_go_to_what_is_right_of_them(show, pairs):
    canvas = show()
    for node in (
        Node("a", "GELU", position=(500.0, 160.0)),
        Node("b", "ReLU", position=(500.0, 260.0)),
        Node("sum", "Add", position=(700.0, 200.0)),
    ):
        canvas.session.do(AddNode((), node))
    canvas.session.select(["a", "b", "sum"])
    canvas.join_selection()
    assert {("a", "sum"), ("b", "sum")} <= pairs(canvas)
    assert ("a", "b") not in pairs(canvas)
    canvas.session.select(["first", "a", "b"])
    canvas.join_selection()
    assert ("first", "a") in pairs(canvas)


def test_in_one_column_they_are_connected_downwards(show, pairs):
    canvas = show()
    for place, id in enumerate(("a", "b", "c")):
        canvas.session.do(AddNode((), Node(id, "ReLU", position=(400.0 + 8 * place, 160.0 + 60 * place))))
    canvas.session.select(["c", "a", "b"])
    canvas.join_selection()
    assert {("a", "b"), ("b", "c")} <= pairs(canvas)


def test_the_port_that_fits_best_is_taken(show, refusals):
    canvas = show()
    canvas.session.do(AddNode((), Node("tokens", "TokenInput", {"vocab": 100}, position=(0.0, 200.0))))
    canvas.session.do(AddNode((), Node("attention", "CrossAttention", {"dim": 64}, position=(600.0, 200.0))))
    canvas.session.select(["first", "attention"])
    canvas.join_selection()
    (wire,) = canvas.session.document.top.incoming("attention")
    first_input = next(p for p in canvas.geometry_of.ports_of("attention") if p.is_input)
    assert wire.input == first_input.port
    said = refusals(canvas)
    canvas.session.select(["tokens", "second"])
    canvas.join_selection()
    assert not canvas.session.document.top.outgoing("tokens")
    canvas.session.do(
        AddNode((), Node("free", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(600.0, 400.0)))
    )
    canvas.session.select(["tokens", "free"])
    canvas.join_selection()
    assert len(said) == 2
    assert said[0] == "These are connected already, or have no free ports."
    assert said[1].startswith("Linear, input x: It receives")


def test_what_cannot_be_connected_is_refused_in_words(show, refusals):
    canvas = show()
    canvas.join_selection()
    said = refusals(canvas)
    canvas.session.select(["first"])
    canvas.join_selection()
    canvas.session.select(["features", "first"])
    canvas.join_selection()
    assert said == [
        "Select two blocks or more to connect them.",
        "These are connected already, or have no free ports.",
    ]
    assert not canvas.session.history.done
    for place in range(25):
        canvas.session.do(AddNode((), Node(f"many_{place}", "ReLU", position=(100.0 * place, 400.0))))
    canvas.session.select([f"many_{place}" for place in range(25)])
    canvas.join_selection()
    assert said[2] == "25 blocks are too many to connect without aiming: select at most 24."
