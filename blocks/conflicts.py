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


def norm_group_conflicts(groups: int, *channels: int) -> Iterator[Conflict]:
    """Groups of a norm that do not divide the channels of every place where it stands."""
    for count in channels:
        if count % groups:
            yield Conflict(
                "groups",
                f"{count} channels do not fall into {groups} equal groups",
                "`groups` must divide the channels that are normalised",
                {"groups": nearest_divisor(math.gcd(*channels), groups)},
            )
            return


def pooling_conflicts(params: Params, unit: str = "pixels") -> Iterator[Conflict]:
    """A window of pooling that could lie wholly on what is added."""
    kernel, padding = params["kernel_size"], params["padding"]
    if padding > kernel // 2:
        yield Conflict(
            "padding",
            f"{padding} {unit} at each edge under a window of {kernel}",
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


def same_conflicts(params: Params) -> Iterator[Conflict]:
    """A convolution that is to keep the size and steps over places all the same."""
    stride = params["stride"]
    if params["padding"] is None and stride > 1:
        yield Conflict(
            "padding",
            "an empty `padding` keeps the size",
            f"a stride of {stride} does not: give a number, or `stride` 1",
            {"padding": params["dilation"] * (params["kernel_size"] - 1) // 2},
        )


def edge_conflicts(params: Params, unit: str) -> Iterator[Conflict]:
    """A transposed convolution that adds as much as a step, or more, at the far edge."""
    extra, step = params["output_padding"], max(params["stride"], params["dilation"])
    if extra >= step:
        yield Conflict(
            "output_padding",
            f"{extra} {unit} at the far edge, where stride and dilation are at most {step}",
            "`output_padding` must be smaller than `stride` or `dilation`",
            {"output_padding": step - 1},
        )


def checkerboard_conflicts(params: Params) -> Iterator[Conflict]:
    """Stamps of a transposed convolution that overlap unevenly: a warning, with a kernel that gives the same size."""
    kernel, stride, dilation = params["kernel_size"], params["stride"], params["dilation"]
    if stride == 1 or kernel % stride == 0:
        return
    even = -(-kernel // stride) * stride
    grown = 2 * params["padding"] - params["output_padding"] + dilation * (even - kernel)
    padding = max(0, (grown + 1) // 2)
    yield Conflict(
        "kernel_size",
        f"a kernel of {kernel} at a stride of {stride} covers some places more often than others, which shows as a "
        "checkerboard",
        "a multiple of `stride` covers all places alike",
        {"kernel_size": even, "padding": padding, "output_padding": 2 * padding - grown},
        fatal=False,
    )
