"""Numbers that leave certain remainders: met by others, searched for nearby, and told in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocks.remainders import ANY, Remainders

EVEN, ODD = Remainders(2), Remainders(2, (1,))


@st.composite
def some(draw):
    divisor = draw(st.integers(1, 24))
    allowed = draw(st.sets(st.integers(0, divisor - 1), min_size=1))
    return Remainders(divisor, tuple(sorted(allowed)))


@given(some(), some())
def test_what_is_in_both_is_in_each(left, right):
    both = left & right
    for size in range(left.divisor * right.divisor):
        assert (both is not None and size in both) == (size in left and size in right)
    assert both == right & left


@given(some(), st.integers(1, 500))
def test_the_nearest_are_found(rest, size):
    fitting = [number for number in range(-100, 700) if number in rest]
    assert rest.upwards(size) == min(number for number in fitting if number >= size)
    assert rest.downwards(size) == max(number for number in fitting if number <= size)
    positive = [number for number in fitting if number > 0]
    assert abs(rest.nearest(size) - size) == min(abs(number - size) for number in positive)


def test_chinese_remainders():
    assert Remainders(3, (2,)) & Remainders(5, (3,)) & Remainders(7, (2,)) == Remainders(105, (23,))
    assert Remainders(4) & Remainders(6) == Remainders(12)
    assert Remainders(4, (1,)) & Remainders(6, (3,)) == Remainders(12, (9,))
    assert EVEN & ODD is None
    assert Remainders(4, (1, 2)) & ODD == Remainders(4, (1,))
    assert ANY & ODD == ODD & ANY == ODD


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (EVEN, "be divisible by 2"),
        (Remainders(16), "be divisible by 16"),
        (ODD, "be odd"),
        (Remainders(4, (1,)), "leave 1 when divided by 4"),
        (Remainders(5, (1, 3)), "leave 1 or 3 when divided by 5"),
        (Remainders(4, (0, 1, 2)), "not leave 3 when divided by 4"),
        (Remainders(7, (1, 2, 3)), "leave 1, 2 or 3 when divided by 7"),
    ],
)
def test_words(rest, words):
    assert str(rest) == words
