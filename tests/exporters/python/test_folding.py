"""Simplifying a function under what is known of its arguments keeps what it computes."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from exporters.python import facts
from exporters.python.facts import ANY, OBJECT, SOME, fact
from exporters.python.folding import fold
from exporters.python.sources import Source
from exporters.python.writing import function
from exporters.pytorch_code import source
from graph.passes import run_passes
from graph.plan import plan_document


def folded(text: str, **known) -> str:
    text = textwrap.dedent(text).strip()
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    module = Source("m", text.splitlines(), {}, {})
    body = function(fold(node, module, known).node, module)[1:]
    return textwrap.dedent("\n".join(body))


def test_facts_tell_types_apart():
    assert facts.exactly(True) != facts.exactly(1)
    assert facts.truth(fact([0.5, 3])) is True and facts.truth(fact([0])) is False
    assert facts.truth(fact([0, 1])) is None and facts.truth(ANY) is None and facts.truth(SOME) is None
    assert facts.is_none(fact([None])) is True and facts.is_none(SOME) is False
    assert facts.is_none(fact([None, 3])) is None and facts.is_none(ANY) is None
    assert facts.equals(fact(["a"]), "b") is False and facts.equals(fact(["a", "b"]), "b") is None
    assert facts.single(fact([3])) is None, "sizes stay parameters"
    constant = facts.single(fact([3], exact=True))
    assert constant is not None and constant.value == 3
    assert fact([1, 2]) == fact([7]), "another size is no news"
    assert facts.atom(object(), exact=False) == OBJECT


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("def f(x, a):\n    if a:\n        x = x + 1\n    return x", {"a": [True]}, "x = x + 1\nreturn x"),
        ("def f(x, a):\n    if a:\n        x = x + 1\n    return x", {"a": [False]}, "return x"),
        ("def f(x, a):\n    if a:\n        return 1\n    return x", {"a": [True]}, "return 1"),
        (
            "def f(x, a):\n    if a == 'one':\n        return 1\n    if a == 'two':\n        return 2\n    raise x",
            {"a": ["two"]},
            "return 2",
        ),
        ("def f(x, a):\n    a = a or 4 * x\n    return a", {"a": [None]}, "a = 4 * x\nreturn a"),
        ("def f(x, a):\n    a = a or 4 * x\n    return a", {"a": [7]}, "return a"),
        ("def f(x, a):\n    a = a or 4 * x\n    return a", {"a": [7, None]}, "a = a or 4 * x\nreturn a"),
        ("def f(x, a):\n    return x if a is None else a", {"a": [None]}, "return x"),
        ("def f(x, a):\n    return x if a is not None else a", {"a": [3]}, "return x"),
        ("def f(x, a):\n    return not a and x", {"a": [False]}, "return x"),
        ("def f(x, a):\n    y = a\n    y = x if a is None else a & x\n    return y", {"a": [None]}, "y = x\nreturn y"),
        (
            "def f(x, a):\n    if x:\n        a = 3\n    return a",
            {"a": [None]},
            "if x:\n    a = 3\nreturn a",
        ),
        (
            "def f(x, a):\n    for a in x:\n        x = a if a is None else x\n    return x",
            {"a": [None]},
            "for a in x:\n    x = a if a is None else x\nreturn x",
        ),
        ("def f(x, a):\n    return [a for a in x if a is None]", {"a": [None]}, "return [a for a in x if a is None]"),
        ("def f(x, a):\n    return sum(a is None for y in x)", {"a": [None]}, "return sum((True for y in x))"),
        (
            "def f(x, a):\n    if x:\n        x = 1\n    elif a:\n        x = 2\n    else:\n        x = 3\n    return",
            {"a": [False]},
            "if x:\n    x = 1\nelse:\n    x = 3",
        ),
        (
            "def f(x, a):\n    while x:\n        if a:\n            break\n        x = x - 1\n    return x",
            {"a": [True]},
            "while x:\n    break\nreturn x",
        ),
        (
            "def f(x, a):\n    with x:\n        if a is None:\n            pass\n        return x",
            {"a": [None]},
            "with x:\n    pass\n    return x",
        ),
    ],
)
def test_branches_that_are_certain_go(text, known, expected):
    assert folded(text, **{name: fact(values) for name, values in known.items()}) == expected


def test_a_value_that_may_have_changed_is_not_certain():
    text = """
    def f(x, a):
        try:
            a = x()
        except ValueError:
            pass
        return 1 if a is None else 2
    """
    assert "return 1 if a is None else 2" in folded(text, a=fact([None]))


def test_comments_stay_with_their_statements():
    text = """
    def f(x, a):
        # why it is so
        x = x + 1  # at once
        if a:
            # never
            x = 0

        # and the end
        return x
    """
    text = textwrap.dedent(text).strip()
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    from exporters.python.sources import _comments

    source = Source("m", text.splitlines(), {}, {}, dict(_comments(text)))
    lines = function(fold(node, source, {"a": fact([False])}).node, source)
    assert lines == [
        "def f(x, a):",
        "    # why it is so",
        "    x = x + 1  # at once",
        "",
        "    # and the end",
        "    return x",
    ]


def test_the_original_is_not_touched():
    text = inspect.getsource(fold)
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    before = ast.dump(node)
    fold(node, Source("m", text.splitlines(), {}, {}), {"exact": fact([True]), "attributes": fact([None])})
    assert ast.dump(node) == before


class TestBlocksInsideBlocks:
    """What an inner block is never given, its class in the file does not ask for."""

    @pytest.fixture
    def code(self, pen):
        def write(block: str, *sources: str, **params) -> str:
            pen.add("x", "FeatureInput", dim=16)
            pen.add("context", "FeatureInput", dim=16, axes="batch source_seq", order=1)
            pen.add("it", block, "x", *sources, **params)
            pen.add("y", "Output", "it")
            return source(run_passes(plan_document(pen.document))[0])

        return write

    def test_inputs_without_a_wire_are_gone_inside_too(self, code):
        text = code("ModernDecoderBlock", num_heads=4)
        for word in ("prefix", "positions=", " mask", "score_bias", "reach", "and True"):
            assert word not in text, word

    def test_inputs_with_a_wire_stay(self, code):
        text = code("ConditionedTransformerBlock", "context", num_heads=4)
        assert "context" in text
        assert "prefix" not in text
