from __future__ import annotations

import einops
import numpy as np
from cases.call import Call
from cases.drawing import AXES, PICTURE, one_axis, small
from hypothesis import strategies as st


def rearranged(p, x, like):
    sizes = {name.strip(): int(size) for name, size in (part.split("=") for part in p["sizes"].split(",") if part)}
    if like is not None:
        sizes |= {"h": like.shape[2] // sizes.get("p", 1), "w": like.shape[3] // sizes.get("q", 1)}
    return einops.rearrange(x, p["pattern"], **sizes)


name = "Rearrange"
even = {"height": 12, "width": 8}
patches = {"pattern": "b c (h p) (w q) -> b (h w) (p q c)", "sizes": "p=4, q=2"}
CALLS = [
    Call("Split", {"x": "batch seq 12"}, {"parts": 3}),
    Call("Split", {"x": "batch 6 height width"}, {"sizes": "1, 3,2", "axis": 1}),
    Call("Split", {"x": "batch 4*seq 5"}, {"parts": 4, "axis": -2}),
    Call("Stack", {"x": ("batch seq 5", "batch seq 5", "batch seq 5")}),
    Call("Stack", {"x": ("batch seq", "batch seq")}, {"axis": -1}),
    Call("Stack", {"x": ("batch seq",)}, {"axis": -3}),
    Call("Slice", {"x": "batch length 5"}, {"start": 1}),
    Call("Slice", {"x": "batch length 5"}, {"start": -5, "stop": -2}),
    Call("Slice", {"x": "batch length 5"}, {"start": 2, "stop": -2, "step": 2}),
    Call("Slice", {"x": "batch 6 height width"}, {"start": 2, "stop": 11, "step": 3, "axis": 2}),
    Call("Slice", {"x": "batch seq 5"}, {"start": -3, "axis": -1, "step": 2}),
    Call("Select", {"x": "batch seq 5"}),
    Call("Select", {"x": "batch 6 height width"}, {"axis": -1, "index": -2}),
    Call("Transpose", {"x": "batch seq 5"}),
    Call("Transpose", {"x": "batch 6 height width"}, {"first": 1, "second": -1}),
    Call("Transpose", {"x": "batch seq"}, {"first": 1, "second": 1}),
    Call("Reroute", {"x": "batch seq 5"}),
    Call("Reroute", {"x": "batch 6 height width"}),
    Call("Reshape", {"x": "batch seq 24"}, {"shape": "0, -1, 8"}),
    Call("Reshape", {"x": "batch seq 24"}, {"shape": "0, 0, 2, 3, 4"}),
    Call("Reshape", {"x": "batch seq 24"}, {"shape": "-1"}),
    Call("Reshape", {"x": "seq 2 6"}, {"shape": "0, 3, 4"}),
    *(
        Call("Pad", {"x": "batch 6 height width"}, {"axis": axis, "mode": mode, "after": 2, "value": -1.5})
        for mode, axis in (("constant", -1), ("reflect", -2), ("replicate", 1), ("circular", 2))
    ),
    Call("Pad", {"x": "batch seq 5"}, {"axis": 1, "before": 3, "after": 0}),
    Call("Pad", {"x": "batch seq 5"}, {"before": 0, "after": 0, "mode": "reflect"}),
    Call("Reduce", {"x": "batch seq 5"}),
    *(
        Call(
            "Reduce",
            {"x": "batch 6 height width"},
            {"pattern": "b c (h p) (w q) -> (h w) b c", "operation": operation, "sizes": "p=4, q=2"},
            {"height": 12, "width": 8},
        )
        for operation in ("mean", "sum", "max", "min")
    ),
    Call("Reduce", {"x": "batch 1 seq 5"}, {"pattern": "b 1 ... -> b ()", "operation": "sum"}),
    Call("Reduce", {"x": "batch seq 5"}, {"pattern": "... d -> d", "operation": "max"}),
    Call("Repeat", {"x": "batch seq 5"}),
    Call("Repeat", {"x": "batch seq 6"}, {"pattern": "b s (h d) -> (r b) h s 1 d", "sizes": "h=2, r=3"}),
    Call("Repeat", {"x": "1 1 5", "like": "batch seq 5"}, {"pattern": "1 1 d -> b 1 d", "sizes": ""}),
    Call("Repeat", {"x": "batch 5", "like": "batch height width 5"}, {"pattern": "b d -> b h w d", "sizes": ""}),
    Call("Repeat", {"x": "batch seq"}, {"pattern": "... -> n ...", "sizes": "n=4"}),
    Call("Flatten", {"x": PICTURE}),
    Call("Flatten", {"x": "batch seq 5"}, {"start_axis": 0}),
    Call("Flatten", {"x": "batch seq 5"}, {"start_axis": 2}),
    Call(name, {"x": "batch 6 height width"}),
    Call(name, {"x": "batch 6 height width"}, patches, even),
    Call(
        name,
        {"x": "batch height*width 24", "like": "batch 9 4*height 2*width"},
        {"pattern": "b (h w) (p q c) -> b c (h p) (w q)", "sizes": "p=4, q=2"},
    ),
    Call(
        name,
        {"x": "batch height*width 6", "like": "batch 3 height width"},
        {"pattern": "b (h w) c -> b c h w"},
    ),
    Call(name, {"x": "batch seq 12"}, {"pattern": "b s (heads d) -> b heads s d", "sizes": "heads=3"}),
    Call(name, {"x": "batch 3 seq 4"}, {"pattern": "b heads s d -> b s (heads d)"}),
    Call(name, {"x": "batch seq 5"}, {"pattern": "... d -> d ..."}),
    Call(name, {"x": "batch seq 5"}, {"pattern": "b ... -> (b ...)"}),
    Call(name, {"x": "batch seq 5"}, {"pattern": "a ... -> a 1 ... 1"}),
    Call(name, {"x": "batch 1 5"}, {"pattern": "a 1 (b c) -> (c 1 a) b", "sizes": "c=5"}),
    Call(name, {"x": "batch seq"}, {"pattern": "b s -> b s"}),
    Call(name, {"x": "batch seq"}, {"pattern": "b s -> () b s ()"}),
]


def cut(p, x):
    sizes = [int(size) for size in p["sizes"].split(",") if size]
    return tuple(np.split(x, np.cumsum(sizes)[:-1] if sizes else p["parts"], p["axis"]))


def sliced(p, x):
    places = range(x.shape[p["axis"]])[p["start"] : p["stop"] : p["step"]]
    return np.stack([x.take(place, p["axis"]) for place in places], p["axis"])


def swapped(p, x):
    order = list(range(x.ndim))
    order[p["first"]], order[p["second"]] = order[p["second"]], order[p["first"]]
    return x.transpose(order)


def reshaped(p, x):
    sizes = [int(size) for size in p["shape"].split(",")]
    return x.reshape([x.shape[place] if size == 0 else size for place, size in enumerate(sizes)])


def extended(p, x):
    margins = [(0, 0)] * x.ndim
    margins[p["axis"]] = (p["before"], p["after"])
    if p["mode"] == "constant":
        return np.pad(x, margins, constant_values=p["value"])
    return np.pad(x, margins, mode={"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[p["mode"]])


def told(p):
    return {name.strip(): int(size) for name, size in (part.split("=") for part in p["sizes"].split(",") if part)}


def repeated(p, x, like):
    after = p["pattern"].partition("->")[2].split()
    sizes = {} if like is None else dict(zip(after, like.shape, strict=True))
    new = set(after) - set(p["pattern"].partition("->")[0].split())
    return einops.repeat(x, p["pattern"], **told(p), **{name: size for name, size in sizes.items() if name in new})


REFERENCES = {
    "Split": lambda p, s, x: cut(p, x),
    "Stack": lambda p, s, *x: np.stack(x, p["axis"]),
    "Slice": lambda p, s, x: sliced(p, x),
    "Select": lambda p, s, x: x.take(p["index"], p["axis"]),
    "Transpose": lambda p, s, x: swapped(p, x),
    "Reroute": lambda p, s, x: x,
    "Reshape": lambda p, s, x: reshaped(p, x),
    "Pad": lambda p, s, x: extended(p, x),
    "Reduce": lambda p, s, x: einops.reduce(x, p["pattern"], p["operation"], **told(p)),
    "Repeat": lambda p, s, x, like: repeated(p, x, like),
    "Flatten": lambda p, s, x: x.reshape(*x.shape[: p["start_axis"]], -1),
    "Rearrange": lambda p, s, x, like: rearranged(p, x, like),
}


@st.composite
def flatten(draw):
    rank = draw(st.integers(0, 4))
    return {"start_axis": draw(st.integers(0, 4))}, {"x": " ".join(AXES[:rank])}


@st.composite
def rearrange(draw):
    p, q, heads = draw(small), draw(small), draw(small)
    return draw(
        st.sampled_from(
            [
                ({"pattern": "b c (h p) (w q) -> b (h w) (p q c)", "sizes": f"p={p}, q={q}"}, {"x": PICTURE}),
                ({"pattern": "b s (heads d) -> b heads s d", "sizes": f"heads={heads}"}, {"x": "batch seq 12"}),
                ({"pattern": "... (a b) -> a ... b", "sizes": f"a={p}"}, {"x": "batch seq height"}),
                ({"pattern": "b (s p) ... -> (b p) s ...", "sizes": f"s={p}"}, {"x": "batch seq height"}),
                ({"pattern": "b ... -> (b ...) 1"}, {"x": "batch seq height"}),
                (
                    {"pattern": "b (h w) c -> b c h w"},
                    {"x": "batch height*width 6", "like": "batch 2 height width"},
                ),
                (
                    {"pattern": "b (h w) (p q c) -> b c (h p) (w q)", "sizes": f"p={p}, q={q}"},
                    {"x": f"batch height*width {6 * p * q}", "like": f"batch 3 {p}*height {q}*width"},
                ),
            ]
        )
    )


@st.composite
def split(draw):
    axes = list(AXES[: draw(st.integers(1, 3))])
    axis = draw(st.integers(-4, 3))
    given = {"axis": axis, "parts": draw(st.integers(2, 4)), "sizes": draw(st.sampled_from(["", "", "2, 4", "1,1,1"]))}
    if -len(axes) <= axis < len(axes):
        axes[axis] = draw(st.sampled_from(["6", "3"] if given["sizes"] else ["6", "3", "2*length", "length"]))
    return given, {"x": " ".join(axes)}


@st.composite
def stack(draw):
    shape = " ".join(AXES[: draw(st.integers(0, 3))])
    other = draw(st.sampled_from([shape, shape, shape.replace("batch", "2*batch")]))
    return {"axis": draw(st.integers(-5, 5))}, {"x": (shape, other, shape)}


@st.composite
def reshape(draw):
    shape, texts = draw(
        st.sampled_from(
            [
                ("batch seq 24", ["0, -1, 8", "0, 0, 4, 6", "-1", "0, 24, -1", "0, -1, 5", "0, 0, 0, 2", "0,0,23"]),
                ("4 6", ["24", "3, 8", "-1, 5", "0, 2, 3", "0, -1", "5, 5", "0,-1,0"]),
                ("seq height", ["0, 0", "-1", "-1, 2", "0, 0, 0"]),
            ]
        )
    )
    return {"shape": draw(st.sampled_from(texts))}, {"x": shape}


@st.composite
def reduction(draw):
    p = draw(small)
    pattern, sizes, shape = draw(
        st.sampled_from(
            [
                ("b s d -> b d", "", "batch seq 6"),
                ("b c (h p) (w q) -> b c h w", f"p={p}, q=2", PICTURE),
                ("... (a b) -> ... b", f"a={p}", "batch seq height"),
                ("b ... -> b 1", "", "batch seq height"),
                ("a b -> ", "", "seq height"),
            ]
        )
    )
    return {"pattern": pattern, "sizes": sizes, "operation": draw(st.sampled_from(["mean", "max"]))}, {"x": shape}


@st.composite
def repetition(draw):
    p = draw(small)
    pattern, sizes, shapes = draw(
        st.sampled_from(
            [
                ("b s d -> b (s r) d", f"r={p}", {"x": "batch seq 6"}),
                ("b (h d) -> b h r d", f"h={p}, r=2", {"x": "batch 12"}),
                ("1 1 d -> b 1 d", "", {"x": "1 1 5", "like": "batch seq 5"}),
                ("b d -> b h w d", f"h={p}", {"x": "batch 5", "like": "batch height width 5"}),
                ("... -> n ...", f"n={p}", {"x": "batch seq"}),
            ]
        )
    )
    return {"pattern": pattern, "sizes": sizes}, shapes


ends = st.integers(-6, 6)
STRATEGIES = {
    "Split": split(),
    "Stack": stack(),
    "Slice": one_axis(start=ends, stop=st.none() | ends, step=st.integers(1, 3)),
    "Select": one_axis(index=st.integers(-6, 6)),
    "Transpose": one_axis().map(lambda drawn: ({"first": drawn[0]["axis"], "second": 0}, drawn[1])),
    "Reroute": one_axis().map(lambda drawn: ({}, drawn[1])),
    "Reshape": reshape(),
    "Pad": one_axis(
        before=st.integers(0, 4),
        after=st.integers(0, 4),
        mode=st.sampled_from(["constant", "reflect", "replicate", "circular"]),
    ),
    "Reduce": reduction(),
    "Repeat": repetition(),
    "Flatten": flatten(),
    "Rearrange": rearrange(),
}
