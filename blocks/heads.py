"""What attention blocks declare alike: parameters that must fit together, inputs that must stretch, what is cached."""

from __future__ import annotations

from collections.abc import Iterator

from blocks.conflicts import nearest_divisor
from blocks.shapes import Dimension, Incoming, Needs, Params, stretch
from blocks.spec import Conflict


def head_conflicts(params: Params) -> Iterator[Conflict]:
    """What keeps dim, num_heads, kv_heads, head_dim and rope of an attention block from fitting together."""
    dim, heads, kv_heads, head_dim = (params.get(name) for name in ("dim", "num_heads", "kv_heads", "head_dim"))
    assert dim and heads, "every attention block has both"
    if head_dim is None and dim % heads:
        yield Conflict(
            "num_heads",
            f"{heads} heads do not divide {dim} features",
            "`num_heads` must divide `dim`" + (" unless `head_dim` is set" if "head_dim" in params else ""),
            {"num_heads": nearest_divisor(dim, heads)},
        )
    elif params.get("rope"):
        yield from rope_conflicts(params, head_dim or dim // heads, "head_dim")
    if kv_heads is not None and heads % kv_heads:
        yield Conflict(
            "kv_heads",
            f"{kv_heads} key heads do not divide {heads} heads",
            "`kv_heads` must divide `num_heads`",
            {"kv_heads": nearest_divisor(heads, kv_heads)},
        )


def rope_conflicts(params: Params, size: int, owner: str) -> Iterator[Conflict]:
    """What keeps RoPE from turning heads of `size` features, which parameter `owner` sets."""
    turning = params.get("rope_dim")
    if turning is None:
        turning = size
        if size % 2:
            needed = f"RoPE turns pairs: `{owner}` must be even"
            yield Conflict(owner, f"each head has {size} features", needed, {owner: size + 1})
    elif turning > size:
        yield Conflict(
            "rope_dim",
            f"{turning} features are to turn, but each head has {size}",
            f"`rope_dim` is at most {size}",
            {"rope_dim": size - size % 2 or None},
        )
    elif turning % 2:
        needed = "RoPE turns pairs: `rope_dim` must be even"
        yield Conflict("rope_dim", f"{turning} features are to turn", needed, {"rope_dim": turning - 1 or None})
    yield from scaling_conflicts(params, turning)


def scaling_conflicts(params: Params, turning: int | None) -> Iterator[Conflict]:
    """What keeps the speeds of `turning` features from being scaled; None is a number not known yet."""
    scaling = params.get("rope_scaling")
    if scaling == "ntk" and turning is not None and turning <= 2:
        needed = "NTK scaling needs a second pair, since it leaves the first as it is"
        yield Conflict("rope_scaling", f"{turning} features turn", needed, {"rope_scaling": "linear"})
    if scaling == "yarn" and params["rope_theta"] <= 1:
        needed = "YaRN tells pairs by their speed: `rope_theta` must be above 1"
        yield Conflict("rope_theta", "all pairs turn at one speed", needed, {"rope_theta": 10000.0})


def stretch_extras(
    shapes: Incoming,
    need: Needs,
    *,
    batch: Dimension,
    heads: Dimension,
    queries: Dimension,
    keys: Dimension,
) -> None:
    """Demand that mask and score_bias stretch to the scores, and positions to the sequence."""
    for port in ("mask", "score_bias"):
        if port in shapes:
            stretch(port, shapes[port], (batch, heads, queries, keys), "batch heads query key", need)
    stretch_positions(shapes, need, batch, queries)


def stretch_positions(shapes: Incoming, need: Needs, batch: Dimension, seq: Dimension) -> None:
    """Demand that positions, where they are wired, stretch to the sequence."""
    if "positions" in shapes:
        stretch("positions", shapes["positions"], (batch, seq), "batch seq", need)


def cached_pair(params: Params) -> int:
    """A key and a value for each head that is looked at."""
    head_dim = params.get("head_dim") or params["dim"] // params["num_heads"]
    return 2 * (params.get("kv_heads") or params["num_heads"]) * head_dim


def latent_conflicts(params: Params) -> Iterator[Conflict]:
    """What keeps RoPE from turning the features of latent attention that carry the order."""
    turning = params["rope_dim"]
    if turning % 2:
        needed = "RoPE turns pairs: `rope_dim` must be even"
        yield Conflict("rope_dim", f"{turning} features carry the order", needed, {"rope_dim": turning + 1})
    elif turning:
        yield from scaling_conflicts(params, turning)
