"""Strategies that several folders share: parameters and shapes at random, as (params, shapes)."""

from __future__ import annotations

from hypothesis import strategies as st

AXES = ("batch", "seq", "source_seq", "height", "width", "frames", "length")
PICTURE = "batch 6 height width"
small = st.integers(1, 6)
flags = st.booleans()


def params(**choices):
    return st.fixed_dictionaries(choices)


def fixed(shapes, **choices):
    """The same shapes always."""
    return params(**choices).map(lambda drawn: (drawn, dict(shapes)))


@st.composite
def pointwise(draw, **choices):
    """Any axes."""
    rank = draw(st.integers(0, 4))
    return draw(params(**choices)), {"x": " ".join(AXES[:rank])}


def over_last(name, width=6, **choices):
    """Any axes, then the features that parameter `name` counts."""
    return st.tuples(params(**choices), st.integers(0, 4)).map(
        lambda drawn: ({name: width} | drawn[0], {"x": " ".join((*AXES[: drawn[1]], str(width)))})
    )


@st.composite
def channels_first(draw, name, low=0, **choices):
    rest = " ".join(AXES[1 : 1 + draw(st.integers(low, 3))])
    return {name: 6} | draw(params(**choices)), {"x": f"batch 6 {rest}"}


@st.composite
def one_axis(draw, low=1, **choices):
    """Any axes, and one of them told by number, perhaps one that is not there."""
    rank = draw(st.integers(low, 4))
    return {"axis": draw(st.integers(-5, 4))} | draw(params(**choices)), {"x": " ".join(AXES[:rank])}


@st.composite
def stretched(draw, *ports):
    """Several tensors, each the end of one shape, here and there with a 1; on named ports, or all on one."""
    axes = [*AXES[: draw(st.integers(0, 3))], "5"]

    def one():
        end = axes[draw(st.integers(0, len(axes))) :]
        return " ".join(draw(st.sampled_from([axis, "1"])) for axis in end)

    if ports:
        return {}, {port: one() for port in ports}
    return {}, {"x": tuple(one() for _ in range(draw(st.integers(1, 4))))}
