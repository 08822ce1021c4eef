"""Expressions compute, and refuse everything else in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.expressions import ExpressionError, evaluate, names, resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=4*dim", 3072),
        ("dim//num_heads", 64),
        ("=dim/num_heads", 64),
        ("=ceil(8*dim/3/256)*256", 2048),
        ("=2**10", 1024),
        ("=dim if tied else 5", 768),
        ("=min(dim, 100)", 100),
        ("=not tied", False),
        ("=-dim % 7", 2),
    ],
)
def test_arithmetic(text, value):
    result = evaluate(text, {"dim": 768, "num_heads": 12, "tied": True})
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("=9**9**9", "beyond 2⁶³"),
        ("=(9**9)**(9**9)", "beyond 2⁶³"),
        ("=10**18*10**18", "beyond 2⁶³"),
        ("='a'*10**9", "a text cannot be multiplied"),
        ("=[1]*99", "more than arithmetic"),
        ("=__import__('os').getcwd()", "more than arithmetic"),
        ("=open('x')", "cannot be computed"),
        ("=dim.real", "more than arithmetic"),
        ("=lambda: 1", "more than arithmetic"),
        ("=1/0", "divides by zero"),
        ("=(-8)**0.5", "a root of a negative number"),
        ("=", "it is empty"),
        ("=4*", "is no arithmetic"),
        ("=width", "there is no variable 'width'"),
        ("=" + "(" * 400 + "1" + ")" * 99, "is no arithmetic|more than arithmetic"),
        ("=" + "1+" * 300 + "1", "longer than 500"),
        ("=5 if word else 4", "`word` is 'maybe', which is neither true nor false"),
    ],
)
def test_refusals(text, words):
    with pytest.raises(ExpressionError, match=words):
        evaluate(text, {"dim": 768, "word": "maybe"})


def test_variables_may_be_expressions_of_one_another():
    values, faults = resolve({"hidden": "=4*dim", "dim": "=heads*8", "heads": 4})
    assert values == {"heads": 4, "dim": 32, "hidden": 128}
    assert faults == {}


def test_a_circle_of_variables_is_named():
    _, faults = resolve({"a": "=b", "b": "=a"})
    assert "depends on itself" in faults["b"]
    assert faults["a"] == "the variable b cannot be computed"
    assert "depends on itself" in resolve({"a": "=a+1"})[1]["a"]


def test_what_hangs_on_a_faulty_variable_says_so():
    _, faults = resolve({"hidden": "=4*dim", "dim": "=1/0"})
    assert faults == {"dim": "'1/0' divides by zero", "hidden": "the variable dim cannot be computed"}


def test_a_long_chain_of_variables_is_followed_to_its_end():
    chain = {f"v{index}": f"=v{index + 1}+1" for index in range(5000)}
    values, faults = resolve({**chain, "v5000": 0})
    assert values["v0"] == 5000
    assert faults == {}


@pytest.mark.parametrize("order", [(1, True, 1.0), (True, 1, 1.0)])
def test_a_value_keeps_its_type_whatever_was_computed_before(order):
    for number in order:
        value = evaluate("=kept_type", {"kept_type": number})
        assert value == 1
        assert isinstance(value, bool) is isinstance(number, bool)


def test_names():
    assert names("=max(dim, 4*heads)") == {"dim", "heads"}
    assert names("=4*") == frozenset()


@given(st.text(max_size=60))
def test_any_text_gives_a_value_or_one_sentence(text):
    try:
        value = evaluate(text, {"dim": 4})
    except ExpressionError as error:
        assert str(error)
    else:
        assert isinstance(value, int | float | bool | str)
