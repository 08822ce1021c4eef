from __future__ import annotations

import einops
from cases.call import Call
from cases.drawing import AXES, PICTURE, small
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

REFERENCES = {
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


STRATEGIES = {"Flatten": flatten(), "Rearrange": rearrange()}
