"""Parameters of one block that do not go together, where several blocks share the rule."""

from __future__ import annotations

import math
from collections.abc import Iterator

from blocks.shapes import Params
from blocks.spec import Conflict


def nearest_divisor(value: int, near: int) -> int:
    """The divisor of `value` that lies nearest to `near`; of two as near, the larger."""
    small = [number for number in range(1, math.isqrt(value) + 1) if value % number == 0]
    divisors = {*small, *(value // number for number in small)}
    return min(divisors, key=lambda divisor: (abs(divisor - near), -divisor))


def head_conflicts(params: Params) -> Iterator[Conflict]:
    """What keeps dim, num_heads, kv_heads, head_dim and rope of an attention block from fitting together."""
    dim, heads, kv_heads, head_dim = (params[name] for name in ("dim", "num_heads", "kv_heads", "head_dim"))
    if head_dim is None and dim % heads:
        yield Conflict(
            "num_heads",
            f"{heads} heads do not divide {dim} features",
            "`num_heads` must divide `dim` unless `head_dim` is set",
            {"num_heads": nearest_divisor(dim, heads)},
        )
    elif params.get("rope") and (head_dim or dim // heads) % 2:
        size = head_dim or dim // heads
        yield Conflict(
            "head_dim",
            f"each head has {size} features",
            "RoPE turns pairs: `head_dim` must be even",
            {"head_dim": size + 1},
        )
    if kv_heads is not None and heads % kv_heads:
        yield Conflict(
            "kv_heads",
            f"{kv_heads} key heads do not divide {heads} heads",
            "`kv_heads` must divide `num_heads`",
            {"kv_heads": nearest_divisor(heads, kv_heads)},
        )


def group_conflicts(params: Params) -> Iterator[Conflict]:
    """Groups of a convolution that do not divide its channels."""
    groups = params["groups"]
    for name in ("in_channels", "out_channels"):
        channels = params[name]
        if channels % groups:
            common = math.gcd(params["in_channels"], params["out_channels"])
            yield Conflict(
                "groups",
                f"{channels} channels do not fall into {groups} equal groups",
                f"`groups` must divide `{name}`",
                {"groups": nearest_divisor(common, groups)},
            )
            return


def pooling_conflicts(params: Params) -> Iterator[Conflict]:
    """A window of pooling that could lie wholly on added pixels."""
    kernel, padding = params["kernel_size"], params["padding"]
    if padding > kernel // 2:
        yield Conflict(
            "padding",
            f"{padding} pixels at each edge under a window of {kernel}",
            "`padding` is at most half of `kernel_size`",
            {"padding": kernel // 2},
        )


def order_conflicts(params: Params) -> Iterator[Conflict]:
    """A lower end that lies above the upper one; either may be left open."""
    low, high = params["low"], params["high"]
    if low is not None and high is not None and low > high:
        yield Conflict(
            "low",
            f"the lower end {low:g} lies above the upper end {high:g}",
            "`low` must not be larger than `high`",
            {"low": high, "high": low},
        )
