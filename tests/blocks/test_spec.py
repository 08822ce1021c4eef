"""Declarations: each mistake is told when the class is defined, in a sentence that says what to write."""

from __future__ import annotations

import pkgutil
import re
import sys
import types
from typing import Annotated, Any

import pytest
from torch import Tensor, nn

import blocks
from blocks import catalogue, find
from blocks.dimensions import named
from blocks.shapes import Needs
from blocks.spec import CATEGORIES, Block, Choice, Flag, Number, Param, Port, Ratio, Size, Text


def declare(name: str = "Sample", **members: Any) -> type[Block]:
    """Define a block that is right but for the members given."""
    body = {
        "__doc__": "Do something.\n\nMore on it.",
        "__module__": __name__,
        "inputs": {"x": "batch dim"},
        "outputs": {"y": "batch dim"},
        "forward": lambda self, x: x,
    }
    category = members.pop("category", "Linear")
    return type(nn.Module)(name, (Block,), body | members, category=category)


def with_params(hints: dict[str, Any], defaults: dict[str, Any], positional: bool = False):
    """An `__init__` with the given annotations and defaults."""
    import inspect

    def init(self, **given):
        Block.__init__(self)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if positional else inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, kind, default=defaults.get(name, inspect.Parameter.empty)) for name in hints]
    init.__signature__ = inspect.Signature(parameters)
    init.__annotations__ = hints
    return init


SIZE = Annotated[int, Size("features")]


def test_a_right_declaration():
    block = declare(__init__=with_params({"dim": SIZE}, {"dim": 8}), shown=("dim",))
    assert block.title == "Sample"
    assert block.category == "Linear"
    assert block.summary() == "Do something."
    assert block.params() == (Param("dim", int, 8, Size("features")),)
    assert block.inputs["x"] == Port("batch dim", dtype="float")
    assert block.outputs["y"] == Port("batch dim")
    assert block.words() == {"dim": "features"}
    shapes = {"x": (named("batch"), 8)}
    assert block.infer(shapes, {"dim": 8}, Needs()) == {"y": (named("batch"), 8)}
    assert block.ports({})[0] == block.inputs
    assert list(block.conflicts({})) == [] and block.cached_values({}) == {} and block.is_identity({}) is False
    assert block(dim=8).training


@pytest.mark.parametrize(
    "name, title",
    [("FeedForward", "Feed forward"), ("Add", "Add"), ("RMSNorm", "RMS norm")],
)
def test_titles_are_read_off_the_name(name, title):
    assert declare(name).title == title


def test_a_shared_base_is_no_block():
    class Shared(Block):
        pass

    assert Shared.category == ""
    block = declare()
    again = type(nn.Module)("Child", (block,), {"__doc__": "A child.", "__module__": __name__}, category="Linear")
    assert again.title == "Child" and again.was == ()


def optional_without_default(self, x, mask):
    return x


def many_as_one(self, x):
    return x


@pytest.mark.parametrize(
    "members, message",
    [
        ({"__doc__": ""}, "Sample: the docstring is missing; its first line is the tooltip"),
        (
            {"category": "Sources", "__module__": "blocks.linear.sample"},
            "Sample: it lives in blocks/linear, so its category is 'Linear', not 'Sources'",
        ),
        ({"inputs": {"no name": "batch"}}, "Sample: port name 'no name' is no Python name"),
        ({"inputs": {"x": 3}}, "Sample, port x: 3 is neither a pattern nor a Port"),
        ({"inputs": {"x": "a-b"}}, "Sample, port x: 'a-b' in the pattern 'a-b' is no axis name, number or '...'"),
        ({"outputs": {"y": Port("...", many=True)}}, "Sample, port y: only inputs are optional or take many wires"),
        ({"outputs": {"y": Port("...", optional=True)}}, "Sample, port y: only inputs are optional or take many"),
        ({"shown": ("dim",)}, "Sample: it shows 'dim', which is no parameter of it"),
        ({"forward": lambda self, z: z}, "Sample: forward takes ['z'], but its ports are ['x']"),
        ({"forward": lambda self: None}, "Sample: forward takes [], but its ports are ['x']"),
        (
            {"inputs": {"x": Port("...", many=True)}, "forward": many_as_one},
            "Sample: port x takes many wires, so forward takes *x",
        ),
        (
            {"inputs": {"x": "...", "mask": Port("...", optional=True)}, "forward": optional_without_default},
            "Sample: port mask is optional, so forward gives it the default None",
        ),
        (
            {"__init__": with_params({"dim": SIZE}, {"dim": 8}, positional=True)},
            "Sample, parameter dim: parameters are keyword-only; put a * before them",
        ),
        (
            {"__init__": with_params({"dim": SIZE}, {})},
            "Sample, parameter dim: a default is missing; dropping a block must always work",
        ),
        (
            {"__init__": with_params({"dim": int}, {"dim": 8})},
            "Sample, parameter dim: write Annotated[type, rule]; the rule gives the form and the limits",
        ),
        (
            {"__init__": with_params({"dim": Annotated[int, "features"]}, {"dim": 8})},
            "Sample, parameter dim: it needs exactly one rule such as Size or Choice",
        ),
        (
            {"__init__": with_params({"dim": Annotated[int, Size("a"), Size("b")]}, {"dim": 8})},
            "Sample, parameter dim: it needs exactly one rule such as Size or Choice",
        ),
        (
            {"__init__": with_params({"dim": Annotated[list, Size("a")]}, {"dim": 8})},
            "Sample, parameter dim: its type is int, float, bool or str, perhaps with None; not <class 'list'>",
        ),
        (
            {"__init__": with_params({"dim": Annotated[int | str, Size("a")]}, {"dim": 8})},
            "Sample, parameter dim: its type is int, float, bool or str, perhaps with None; not int | str",
        ),
        (
            {"__init__": with_params({"dim": SIZE}, {"dim": 0})},
            "Sample, parameter dim: the default must be at least 1; it is 0",
        ),
        (
            {"__init__": with_params({"dim": SIZE}, {"dim": None})},
            "Sample, parameter dim: the default must be set",
        ),
        (
            {"__init__": with_params({"rank": Annotated[int, Size("ranks", from_wire=True)]}, {"rank": 8})},
            "Sample, parameter rank: it is to be read off a wire, but no input has such an axis",
        ),
    ],
)
def test_mistakes_are_told(members, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        declare(**members)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"kind": "sound"}, "kind 'sound' is not one of"),
        ({"dtype": "complex"}, "dtype 'complex' is not one of"),
        ({"pattern": "... a ..."}, "has '...' more than once"),
    ],
)
def test_ports_are_checked(given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Port(**{"pattern": "batch"} | given)


def test_the_cache_of_decoding_is_no_port():
    def forward(self, x: Tensor, *, cache: Any = None) -> Tensor:
        return x

    assert list(declare(forward=forward).inputs) == ["x"]


def test_many_wires_are_bound_one_by_one():
    def forward(self, *x):
        return x[0]

    block = declare(inputs={"x": Port("batch dim", many=True)}, forward=forward)
    shapes = {"x": ((named("batch"), 3), (named("batch"), 3))}
    assert block.infer(shapes, {}, Needs()) == {"y": (named("batch"), 3)}


def test_optional_inputs_may_stay_away():
    def forward(self, x, mask=None):
        return x

    block = declare(inputs={"x": "batch dim", "mask": Port("batch", dtype="bool", optional=True)}, forward=forward)
    assert block.infer({"x": (3, 4)}, {}, Needs()) == {"y": (3, 4)}
    assert block.infer({"x": (3, 4), "mask": (3,)}, {}, Needs()) == {"y": (3, 4)}


@pytest.mark.parametrize(
    "rule, good, bad, fault",
    [
        (Size("n"), 1, 0, "must be at least 1; it is 0"),
        (Size("n", high=9), 9, 10, "must be at most 9; it is 10"),
        (Size("n"), 1, 2**31, "must be at most 2147483647; it is 2147483648"),
        (Size("n"), 7, True, "must be a whole number, not True"),
        (Size("n"), 7, 2.0, "must be a whole number, not 2.0"),
        (Number("n", low=0.5), 0.5, 0.25, "must be at least 0.5; it is 0.25"),
        (Number("n", high=2), 2, 3, "must be at most 2; it is 3"),
        (Number("n"), -1e9, float("nan"), "must be a number, not nan"),
        (Number("n"), 3, "3", "must be a number, not '3'"),
        (Number("n"), 3, False, "must be a number, not False"),
        (Ratio("n"), 0.0, 1.0, "must be from 0 up to, not including, 1; it is 1"),
        (Ratio("n"), 0.999, -0.5, "must be from 0 up to, not including, 1; it is -0.5"),
        (Ratio("n"), 0, "none", "must be a number, not 'none'"),
        (Choice("n", ("a", "b")), "b", "c", "must be one of a, b, not 'c'"),
        (Choice("n", ("a", "b")), "a", ["a"], "must be one of a, b, not ['a']"),
        (Flag("n"), True, 1, "must be true or false, not 1"),
        (Text("n", "[a-z]+", "small letters"), "abc", "aBc", "must be small letters, not 'aBc'"),
        (Text("n"), "", 7, "must be a text, not 7"),
        (Text("n"), "x" * 1000, "x" * 1001, "must be shorter than 1,000 characters"),
    ],
)
def test_rules_say_why_not(rule, good, bad, fault):
    assert rule.fault(good) is None
    assert rule.fault(bad) == fault
    assert rule.doc == "n"
    assert Param("p", int, good, rule, optional=True).fault(None) is None
    assert Param("p", int, good, rule).fault(None) == "must be set"


def test_the_catalogue_is_in_the_order_of_the_palette():
    order = list(CATEGORIES.values())
    ranks = [(order.index(block.category), block.title) for block in catalogue().values()]
    assert ranks == sorted(ranks)
    assert all(name == block.__name__ for name, block in catalogue().items())
    titles = [block.title for block in catalogue().values()]
    assert len(set(titles)) == len(titles)


def test_two_blocks_of_one_name_are_an_error(monkeypatch):
    infos = []
    for name in ("one", "two"):
        module = types.ModuleType(f"blocks.linear.{name}")
        module.Twin = declare("Twin", __module__=module.__name__)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        infos.append(pkgutil.ModuleInfo(None, module.__name__, False))
    monkeypatch.setattr(blocks.pkgutil, "walk_packages", lambda path, prefix: infos[:1])
    assert list(catalogue.__wrapped__()) == ["Twin"]
    monkeypatch.setattr(blocks.pkgutil, "walk_packages", lambda path, prefix: infos)
    with pytest.raises(TypeError, match="two blocks are called Twin: blocks.linear.one and blocks.linear.two"):
        catalogue.__wrapped__()


def test_find_by_name_and_by_old_name(monkeypatch):
    assert find("Linear") is catalogue()["Linear"]
    assert find("NoSuchBlock") is None
    block = declare("Renamed", was=("Former",))
    monkeypatch.setattr(blocks, "catalogue", lambda: {"Renamed": block})
    blocks._old_names.cache_clear()
    try:
        assert find("Former") is block
        clashing = declare("Other", was=("Renamed",))
        monkeypatch.setattr(blocks, "catalogue", lambda: {"Renamed": block, "Other": clashing})
        blocks._old_names.cache_clear()
        with pytest.raises(TypeError, match="Other was called Renamed, but that name is taken"):
            find("Former")
    finally:
        blocks._old_names.cache_clear()
