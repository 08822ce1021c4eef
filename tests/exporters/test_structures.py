"""Groups, rounds, ties between inputs and outputs, and hostile names: both exports reproduce every way of drawing."""

from __future__ import annotations

import pytest

from exporters.base import find
from exporters.pytorch_code import source
from graph.commands import SetNode
from graph.rewiring import lay_dots


def shared_rounds(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    loop = pen.group("loop", title="Loop", repeat=3, shared=True)
    loop.add("start", "GroupInput", port="x")
    loop.add("lin", "Linear", "start", in_features=6, out_features=6)
    loop.add("act", "Tanh", "lin")
    loop.add("end", "GroupOutput", "act", port="x")
    pen.wire("x", "loop", "x")
    pen.add("y", "Output", "loop")


def gathered_rounds(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    layers = pen.group("layers", title="Layer", repeat=3)
    layers.add("start", "GroupInput", port="x")
    layers.add("lin", "Linear", "start", in_features=6, out_features=6)
    layers.add("act", "Tanh", "lin")
    layers.add("end", "GroupOutput", "act", port="x", order=0)
    for order, rounds in enumerate(("sum", "stack", "last"), start=1):
        layers.add(f"{rounds}_end", "GroupOutput", "lin", port=f"{rounds}_of", rounds=rounds, order=order)
    pen.wire("x", "layers", "x")
    for order, port in enumerate(("x", "sum_of", "stack_of", "last_of")):
        pen.add(f"result_{port}", "Output", f"layers.{port}", order=order)


def backwards_rounds(pen) -> None:
    gathered_rounds(pen)
    SetNode((), "layers", "backwards", True).apply(pen.document)


def varying_backwards(pen) -> None:
    varying_rounds(pen)
    SetNode((), "layers", "backwards", True).apply(pen.document)


def stacked_alone(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    heads = pen.group("heads", title="Head", repeat=3)
    heads.add("start", "GroupInput", port="x")
    heads.add("lin", "Linear", "start", in_features=6, out_features=4)
    heads.add("end", "GroupOutput", "lin", port="all_of", rounds="stack")
    pen.wire("x", "heads", "x")
    pen.add("y", "Output", "heads.all_of")


def varying_rounds(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    layers = pen.group("layers", title="Layer", repeat=3)
    layers.add("start", "GroupInput", port="x")
    layers.add("norm", "LayerNorm", "start", dim=6, eps="=0.001*(layer+1)")
    layers.add("ff", "FeedForward", "norm", dim=6, hidden="=4+layer")
    layers.add("add", "Add", "start", "ff")
    layers.add("end", "GroupOutput", "add", port="x")
    pen.wire("x", "layers", "x")
    pen.add("y", "Output", "layers")


def rounds_of_two_kinds(pen) -> None:
    """The first round has a dropout of 0, which a pass leaves out."""
    pen.add("x", "FeatureInput", dim=6)
    layers = pen.group("layers", title="Layer", repeat=3)
    layers.add("start", "GroupInput", port="x")
    layers.add("drop", "Dropout", "start", p="=layer*0.1")
    layers.add("lin", "Linear", "drop", in_features=6, out_features=6)
    layers.add("end", "GroupOutput", "lin", port="x")
    pen.wire("x", "layers", "x")
    pen.add("y", "Output", "layers")


def groups_in_groups(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    pen.add("visible", "MaskInput", axes="batch 1 1 seq", order=1)
    outer = pen.group("outer", title="Stage", repeat=2)
    outer.add("start", "GroupInput", port="x", order=0)
    outer.add("mask_in", "GroupInput", port="mask", order=1)
    inner = outer.group("inner", title="Layer", repeat=2)
    inner.add("start", "GroupInput", port="x", order=0)
    inner.add("mask_in", "GroupInput", port="mask", order=1)
    inner.add("attn", "MultiHeadAttention", "start", "mask=mask_in", dim=6, num_heads=2, dropout="=layer*0.1")
    inner.add("add", "Add", "start", "attn")
    inner.add("end", "GroupOutput", "add", port="x")
    outer.wire("start", "inner", "x")
    outer.wire("mask_in", "inner", "mask")
    outer.add("norm", "RMSNorm", "inner", dim=6)
    outer.add("end", "GroupOutput", "norm", port="x")
    pen.wire("x", "outer", "x")
    pen.wire("visible", "outer", "mask")
    pen.add("y", "Output", "outer")


def alike_groups(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    last = "x"
    for place in range(3):
        stage = pen.group(f"stage_{place}", title=f"Stage {place}")
        stage.add("start", "GroupInput", port="x")
        stage.add("one", "Linear", "start", in_features=6 + place, out_features=7 + place)
        stage.add("act", "SiLU", "one")
        tail = stage.group("tail", title="Tail", repeat=2)
        tail.add("start", "GroupInput", port="x")
        tail.add("lin", "Linear", "start", in_features=7 + place, out_features=7 + place, bias=False)
        tail.add("end", "GroupOutput", "lin", port="x")
        stage.wire("act", "tail", "x")
        stage.add("end", "GroupOutput", "tail", port="x")
        pen.wire(last, f"stage_{place}", "x")
        last = f"stage_{place}"
    pen.add("y", "Output", last)


def one_round(pen) -> None:
    pen.add("x", "FeatureInput", dim=6)
    layers = pen.group("layers", title="Layer", repeat="=1*1")
    layers.add("start", "GroupInput", port="x")
    layers.add("lin", "Linear", "start", in_features=6, out_features=6)
    layers.add("end", "GroupOutput", "lin", port="x")
    layers.add("sum_end", "GroupOutput", "lin", port="all_of", rounds="sum", order=1)
    pen.wire("x", "layers", "x")
    pen.add("y", "Output", "layers")
    pen.add("z", "Output", "layers.all_of", order=1)


def straight_through(pen) -> None:
    """Outputs that are the input itself, twice, and one that is computed."""
    pen.add("x", "FeatureInput", dim=6)
    pen.add("same", "Output", "x")
    pen.add("again", "Output", "x", order=1)
    pen.add("relu", "ReLU", "x")
    pen.add("computed", "Output", "relu", order=2)


def hostile_names(pen) -> None:
    """Titles that would end a docstring, ids that mean something in Python."""
    pen.document.title = '"""\nimport os; os.abort()\n"""  \\ \u202e Ünïcode \U0001f642 \x00 {title} %s'
    pen.add("input", "FeatureInput", dim=6, title='"; raise SystemExit #')
    pen.add("torch", "Linear", "input", in_features=6, out_features=6, title="a\nb")
    pen.add("functional", "ReLU", "torch")
    pen.add("model", "Linear", "functional", in_features=6, out_features=6)
    group = pen.group("print", title='"""x\n class 7')
    group.add("start", "GroupInput", port="torch")
    group.add("nn", "Linear", "start", in_features=6, out_features=6)
    group.add("end", "GroupOutput", "nn", port="functional")
    pen.wire("model", "print", "torch")
    pen.add("layer", "Rearrange", "print.functional", pattern="b s d -> b (s d)")
    pen.add("math", "Output", "layer")


def dotted(pen) -> None:
    """Every wire of nested groups runs through a dot, one straight from an input to an output too."""
    groups_in_groups(pen)
    pen.add("same", "Output", "x", order=1)
    levels = [(), *(path for path, node in pen.document.walk() if node.level is not None)]
    for at in levels:
        wires = pen.document.level(at).wires()
        pen.document.apply(lay_dots(pen.document, at, dict.fromkeys(wires, (0.0, 0.0)))[0])


STRUCTURES = (
    shared_rounds,
    gathered_rounds,
    backwards_rounds,
    varying_backwards,
    stacked_alone,
    varying_rounds,
    rounds_of_two_kinds,
    groups_in_groups,
    alike_groups,
    one_round,
    straight_through,
    dotted,
    hostile_names,
)
IN_THE_GATE = (gathered_rounds, groups_in_groups, straight_through, dotted, hostile_names)


def every_structure():
    return [
        pytest.param(draw, id=draw.__name__, marks=() if draw in IN_THE_GATE else pytest.mark.exhaustive)
        for draw in STRUCTURES
    ]


@pytest.mark.parametrize("draw", STRUCTURES, ids=lambda draw: draw.__name__)
def test_code_gives_the_same_bits(draw, pen, make_example, run_code):
    draw(pen)
    example = make_example(pen.document)
    run_code(example).assert_same_bits()


@pytest.mark.parametrize("draw", every_structure())
def test_onnx_gives_the_same_numbers(draw, pen, make_example, tmp_path):
    draw(pen)
    example = make_example(pen.document)
    result = find("onnx").write(example.model, example.plan, tmp_path / "model.onnx")
    assert result["opset"] == 23 and not result["warnings"]
    assert result["max_abs_error"] < 1e-4 and len(result["sizes_checked"]) >= 4


def test_backwards_is_a_reversed_loop(pen, make_example):
    varying_backwards(pen)
    assert "for layer in reversed(self.layers):" in source(make_example(pen.document).plan)


def test_dots_leave_no_trace_in_the_code(pen, make_example):
    groups_in_groups(pen)
    pen.add("same", "Output", "x", order=1)
    plain = source(make_example(pen.document).plan)
    for at in [(), *(path for path, node in pen.document.walk() if node.level is not None)]:
        wires = pen.document.level(at).wires()
        pen.document.apply(lay_dots(pen.document, at, dict.fromkeys(wires, (0.0, 0.0)))[0])
    assert source(make_example(pen.document).plan) == plain


def test_rounds_are_a_loop(pen, make_example):
    varying_rounds(pen)
    code = source(make_example(pen.document).plan)
    assert code.count("class Layer(nn.Module):") == 1
    assert "for layer in self.layers:" in code
    assert "Layer(eps=eps, hidden=hidden) for eps, hidden in ((0.001, 4), (0.002, 5), (0.003, 6))" in code


def test_shared_rounds_are_one_module_called_again(pen, make_example):
    shared_rounds(pen)
    code = source(make_example(pen.document).plan)
    assert "self.loop = Loop()" in code and "for _ in range(3):" in code


def test_groups_that_differ_in_numbers_share_a_class(pen, make_example):
    alike_groups(pen)
    code = source(make_example(pen.document).plan)
    assert code.count("class Stage") == 1 and code.count("class Tail") == 1
    assert "self.stage_1 = Stage(in_features=7, out_features=8)" in code


def test_names_inject_nothing(pen, make_example):
    hostile_names(pen)
    code = source(make_example(pen.document).plan)
    lines = code.splitlines()
    assert lines[0].startswith('"""') and lines[0].count('"""') == 1, "the docstring is not closed by the title"
    assert not any(line.strip().startswith(("import os", "os.", "raise SystemExit", "class 7")) for line in lines)
    assert all(sign.isprintable() or sign == "\n" for sign in code)
