"""Symbolic sizes: the arithmetic is that of the numbers they stand for, and the answers hold when counted out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocks.dimensions import (
    Dim,
    complexity,
    evaluate,
    named,
    names,
    remainders_making_equal,
    remainders_making_multiple,
    simplify,
    substitute,
)
from blocks.remainders import ANY, Remainders

H, W, S = named("height"), named("width"), named("seq")
AXES = ("height", "width", "seq")


def grown(children):
    whole = st.integers(-6, 6)
    return st.one_of(
        st.tuples(st.just("+"), children, children),
        st.tuples(st.just("-"), children, children),
        st.tuples(st.just("*"), children, whole),
        st.tuples(st.just("//"), children, st.integers(1, 8)),
    )


trees = st.recursive(st.one_of(st.sampled_from(AXES), st.integers(-9, 9)), grown, max_leaves=8)
values = st.fixed_dictionaries({name: st.integers(0, 400) for name in AXES})


def symbolic(tree):
    if isinstance(tree, tuple):
        sign, left, right = tree[0], symbolic(tree[1]), symbolic(tree[2])
        if sign == "+":
            return left + right
        if sign == "-":
            return left - right
        return left * right if sign == "*" else left // right
    return named(tree) if isinstance(tree, str) else tree


def counted(tree, sizes):
    if isinstance(tree, tuple):
        sign, left, right = tree[0], counted(tree[1], sizes), counted(tree[2], sizes)
        if sign == "+":
            return left + right
        if sign == "-":
            return left - right
        return left * right if sign == "*" else left // right
    return sizes[tree] if isinstance(tree, str) else tree


@given(trees, values)
def test_arithmetic_is_that_of_numbers(tree, sizes):
    size = symbolic(tree)
    assert evaluate(size, sizes) == counted(tree, sizes)
    assert evaluate(substitute(size, sizes), {}) == counted(tree, sizes)
    assert isinstance(substitute(size, sizes), int)
    assert names(size) <= set(AXES)
    assert isinstance(size, int) or names(size), "a size without names is a number"


@given(trees, trees, values)
def test_products_of_sizes(left, right, sizes):
    assert evaluate(symbolic(left) * symbolic(right), sizes) == counted(left, sizes) * counted(right, sizes)


@given(trees, trees)
def test_order_does_not_matter(left, right):
    one, two = symbolic(left), symbolic(right)
    assert one + two == two + one and hash(one + two) == hash(two + one)
    assert one * two == two * one
    assert one - one == 0
    assert -one + one == 0 and 3 - one == -(one - 3)


def fits(allowed, sizes):
    return all(sizes[name] in rest for name, rest in allowed.items())


@settings(max_examples=300)
@given(trees, trees, st.lists(values, min_size=12, max_size=12))
def test_answers_on_equality_hold(left, right, samples):
    one, two = symbolic(left), symbolic(right)
    answer = remainders_making_equal(one, two)
    if answer is None:
        return
    for sizes in samples:
        fitting = {name: answer.get(name, ANY).upwards(size) for name, size in sizes.items()}
        assert evaluate(one, fitting) == evaluate(two, fitting)
        if len(answer) == 1 and not fits(answer, sizes):
            assert evaluate(one, sizes) != evaluate(two, sizes) or len(names(one) | names(two)) > 1


@settings(max_examples=300)
@given(trees, st.integers(1, 24), st.lists(values, min_size=12, max_size=12))
def test_answers_on_multiples_hold(tree, divisor, samples):
    size = symbolic(tree)
    answer = remainders_making_multiple(size, divisor)
    if answer is None:
        return
    for sizes in samples:
        fitting = {name: answer.get(name, ANY).upwards(number) for name, number in sizes.items()}
        assert evaluate(size, fitting) % divisor == 0


@given(st.integers(2, 60), st.integers(1, 60))
def test_the_smallest_divisor_is_found(stride, factor):
    """⌊height / stride⌋ · stride is height for multiples of stride and for no smaller number's."""
    assert remainders_making_equal(H // stride * stride, H) == {"height": Remainders(stride)}
    multiple = remainders_making_multiple(H * factor, stride)
    needed = next(number for number in range(1, stride + 1) if number * factor % stride == 0)
    assert multiple == ({} if needed == 1 else {"height": Remainders(needed)})


@settings(max_examples=300)
@given(trees, st.fixed_dictionaries({name: st.sampled_from([1, 2, 3, 4, 8, 12]) for name in AXES}), values)
def test_simplified_sizes_are_the_same(tree, divisors, sizes):
    size = symbolic(tree)
    allowed = {name: Remainders(divisor, (sizes[name] % divisor,)) for name, divisor in divisors.items()}
    short = simplify(size, allowed)
    fitting = {name: sizes[name] * divisors[name] + allowed[name].allowed[0] for name in AXES}
    assert evaluate(short, fitting) == evaluate(size, fitting)


def test_answers_by_hand():
    down = (H - 1) // 2 + 1  # a convolution of 3, stride 2, padding 1
    assert remainders_making_equal(down * 2, H) == {"height": Remainders(2)}
    four = H
    for _ in range(4):
        four = (four - 1) // 2 + 1
    assert remainders_making_equal(four * 16, H) == {"height": Remainders(16)}
    assert remainders_making_equal(H, W) is None
    assert remainders_making_equal(H + 1, H) is None
    assert remainders_making_equal(H, H) == {}
    assert remainders_making_equal(5, 5) == {} and remainders_making_equal(5, 6) is None
    assert remainders_making_multiple(12, 4) == {} and remainders_making_multiple(13, 4) is None
    assert remainders_making_multiple(H * 8 + 4, 4) == {}
    assert remainders_making_multiple(H * 8 + 3, 4) is None
    assert remainders_making_equal((H // 4) * (W // 6) * 24, H * W) == {"height": Remainders(4), "width": Remainders(6)}
    assert remainders_making_equal(H // 2 * 2 + W // 3 * 3, H + W) == {"height": Remainders(2), "width": Remainders(3)}
    assert remainders_making_equal(H // 2 * 2 + W // 3 * 3, H + W + 1) is None


def test_sizes_that_agree_for_some_remainders_only():
    """A kernel of 3 at a stride of 2 without padding, and the way back: odd heights come out as they went in."""
    down = (H - 3) // 2 + 1
    assert remainders_making_equal((down - 1) * 2 + 3, H) == {"height": Remainders(2, (1,))}
    twice = (down - 3) // 2 + 1
    back = (((twice - 1) * 2 + 3) - 1) * 2 + 3
    assert remainders_making_equal(back, H) == {"height": Remainders(4, (3,))}
    assert remainders_making_multiple((H - 1) // 2, 2) == {"height": Remainders(4, (1, 2))}
    assert remainders_making_equal(H // 4, (H + 1) // 4) == {"height": Remainders(4, (0, 1, 2))}
    assert remainders_making_equal(H // 2 + (H + 1) // 2, H) == {}, "always, though it is not seen at once"
    assert remainders_making_equal(H // 2 * 2 * W + W, H * W) == {"height": Remainders(2, (1,))}
    assert remainders_making_equal(H // 2, 5) is None
    assert simplify(down * 2 + 1, {"height": Remainders(2, (1,))}) == H
    assert simplify(down, {"height": Remainders(4, (1, 2))}) == down, "of two remainders none is sure"


def test_floors_normalise():
    assert (H * 4) // 2 == H * 2
    assert (H * 4 + 1) // 4 == H
    assert (H * 6 + 3) // 4 == (H * 3 + 1) // 2
    assert (H // 2) // 3 == H // 6
    assert (H // 2 + 1) // 3 == (H + 2) // 6
    assert H // 1 == H
    assert H + W - W == H
    assert H * 0 == 0 and isinstance(H * 0, int)
    assert simplify(H // 2 * 2, {"height": Remainders(2)}) == H
    assert simplify(H // 2 * 2, {"height": Remainders(4)}) == H
    assert simplify(H // 8 * 4, {"height": Remainders(4)}) == H // 8 * 4
    assert simplify(H // 8, {"height": Remainders(4)}) == H // 8
    assert simplify(H // 2, {}) == H // 2 and simplify(7, {"height": Remainders(2)}) == 7
    assert simplify(H // 2 * (W // 2) * 4, {"height": Remainders(2), "width": Remainders(2)}) == H * W


def test_division_by_what_is_no_positive_number():
    for divisor in (0, -2, H):
        with pytest.raises(ValueError, match="divided by a positive integer only"):
            H // divisor


def test_evaluate_names_the_axis_without_a_size():
    with pytest.raises(KeyError, match="width"):
        evaluate(H * W, {"height": 3})
    with pytest.raises(KeyError, match="width"):
        evaluate((H + W) // 3, {"height": 3})


@pytest.mark.parametrize(
    "size, text",
    [
        (H, "height"),
        (H * 2, "2*height"),
        (H + 1, "height + 1"),
        (H - 1, "height - 1"),
        (-H, "-height"),
        (1 - H, "1 - height"),
        (H // 2, "height//2"),
        ((H + 1) // 2, "(height + 1)//2"),
        (H // 2 * 2, "2*(height//2)"),
        (H // 16 * (W // 16), "(height//16)*(width//16)"),
        (H * W, "height*width"),
    ],
)
def test_sizes_read_as_people_write(size, text):
    assert str(size) == text
    assert repr(size) == f"Dim({text})"


def test_shorter_sizes_are_less_complex():
    assert complexity(7) == 0 < complexity(H) < complexity(H + 1) < complexity((H + 1) // 2 * 2)


def test_equality_needs_no_identity():
    assert Dim(H.terms) == H and Dim(H.terms) is not H
    assert H != "height" and H != 3
    assert (H // 2) != (H // 3) and (H // 2) != (W // 2)
