"""Diffusion U-Net: residual blocks that know the time step, cross-attention to a text; up to Stable Diffusion 1.5.

Each level is a group, going down at the left and up at the right. A group down gives what it starts from and what each
of its residual blocks makes of it; the group up of the same height takes all of these, the last one first.
"""

from __future__ import annotations

from typing import Any

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, Sketch
from graph.templates.time_embedding import draw_time_embedding

LINE = 176
ABOVE = 112
"""How much higher the skips lie."""
STAGGER = 128
"""How much further right the next sum lies, so that what skips to it goes forwards."""


def draw(depth: int, layers: int) -> Document:
    """The drawing; Ho et al. 2020, arXiv 2006.11239, and Rombach et al. 2022, arXiv 2112.10752."""
    document = Document("diffusion unet")
    top = Sketch(document)
    top.add("image", "ImageInput", title="Noisy image", channels="=in_channels", image_size="=image_size")
    top.add("time_step", "TimeStepInput", title="Time step")
    top.add("text", "FeatureInput", title="Text features", dim="=context_dim", axes="batch text_seq")
    draw_time_embedding(top.group("time", "Time embedding"), "=channels", "=4*channels")
    top.wire("time_step", "time")
    last = top.add("conv_in", "Conv2d", "image", title="Conv in", out_channels="=channels", kernel_size=3, padding=1)
    for level in range(depth + 1):
        _down(top.group(f"down_{level + 1}", f"Down {level + 1}"), level, layers, attends=level < depth)
        last = _condition(top, f"down_{level + 1}", last, text=level < depth) + f".skip_{layers + 1}"
    _middle(top.group("middle", "Middle"), depth)
    last = _condition(top, "middle", last)
    for level in reversed(range(depth + 1)):
        _up(top.group(f"up_{level + 1}", f"Up {level + 1}"), level, layers, attends=level < depth)
        for skip in range(1, layers + 2):
            top.wire(f"down_{level + 1}.skip_{skip}", f"up_{level + 1}.skip_{skip}")
        last = _condition(top, f"up_{level + 1}", last, text=level < depth)
    top.add("norm_out", "GroupNorm", last, title="Norm out", num_groups="=groups")
    top.add("act_out", "SiLU", "norm_out")
    top.add("conv_out", "Conv2d", "act_out", title="Conv out", out_channels="=out_channels", padding=1)
    top.add("noise", "Output", "conv_out", title="Predicted noise")
    _arrange(top, depth, LINE + 20 * layers)
    return document


def _condition(top: Sketch, id: str, source: str, *, text: bool = True) -> str:
    """Wire features, the time and, where it attends, the text to a group; returns its id."""
    top.wire(source, f"{id}.x")
    top.wire("time", f"{id}.time")
    if text:
        top.wire("text", f"{id}.text")
    return id


def _arrange(top: Sketch, depth: int, line: int) -> None:
    """A row for each height, going down at the left and up at the right; what conditions them at the bottom left."""
    top.row(0, line * (depth + 1), "time_step", "time")
    top.row(0, line * (depth + 1) + 132, "text")
    x = top.row(0, 0, "image", "conv_in") + GAP
    for level in range(depth + 1):
        x = top.row(x, line * level, f"down_{level + 1}") + GAP
    x = top.row(x, line * (depth + 1), "middle") + GAP
    for level in reversed(range(depth + 1)):
        x = top.row(x, line * level, f"up_{level + 1}") + GAP
    top.row(x, 0, "norm_out", "act_out", "conv_out", "noise")


def _channels(level: int) -> str:
    return f"=channels*min({2**level}, widest)" if level else "=channels"


def _enter(inside: Sketch, *, text: bool) -> None:
    inside.add("features", "GroupInput", title="Features", port="x")
    inside.add("time", "GroupInput", title="Time", port="time")
    if text:
        inside.add("text", "GroupInput", title="Text", port="text")


def _down(inside: Sketch, level: int, layers: int, *, attends: bool) -> None:
    """Below the first level half the picture; then residual blocks, each with attention but on the lowest level."""
    _enter(inside, text=attends)
    last, row = "features", ["features"]
    if level:
        last = inside.add(
            "shrink", "Conv2d", last,
            title="Halve", out_channels=_channels(level - 1), kernel_size=3, stride=2, padding=1,
        )  # fmt: skip
        row.append(last)
    outputs = [inside.add("skip_1", "GroupOutput", last, title="Skip 1", port="skip_1")]
    for layer in range(1, layers + 1):
        last = _layer(inside, layer, level, last, attends=attends)
        row += _names(layer, attends=attends)
        name = f"skip_{layer + 1}"
        outputs.append(inside.add(name, "GroupOutput", last, title=f"Skip {layer + 1}", port=name))
    inside.row(0, 0, *row, outputs[-1])
    for layer, output in enumerate(outputs[:-1], start=1):
        inside.row(inside.left(f"residual_{layer}"), -ABOVE, output)
    _place_conditions(inside, text=attends)


def _middle(inside: Sketch, level: int) -> None:
    """A residual block, attention, a residual block."""
    _enter(inside, text=True)
    last = _layer(inside, 1, level, "features", attends=True)
    last = inside.add("residual_2", "ResidualTimeBlock", last, "time", title="Residual 2", **_sizes(level))
    inside.add("result", "GroupOutput", last, title="Result", port="x")
    inside.row(0, 0, "features", *_names(1, attends=True), "residual_2", "result")
    _place_conditions(inside, text=True)


def _up(inside: Sketch, level: int, layers: int, *, attends: bool) -> None:
    """Residual blocks that take a skip each, the last one first; then twice the picture, but on the first level."""
    for skip in range(1, layers + 2):
        inside.add(f"skip_{skip}", "GroupInput", title=f"Skip {skip}", port=f"skip_{skip}")
    _enter(inside, text=attends)
    last, row = "features", ["features"]
    for layer in range(1, layers + 2):
        join = inside.add(f"join_{layer}", "Concat", last, f"skip_{layers + 2 - layer}", title="Join", axis=1)
        last = _layer(inside, layer, level, join, attends=attends)
        row += [join, *_names(layer, attends=attends)]
    if level:
        inside.add("grow", "UpSample", last, title="Double", factor=2)
        last = inside.add(
            "smooth", "Conv2d", "grow", title="Smooth", out_channels=_channels(level), kernel_size=3, padding=1
        )
        row += ["grow", "smooth"]
    inside.add("result", "GroupOutput", last, title="Result", port="x")
    inside.row(0, 0, *row, "result")
    for layer in range(1, layers + 2):
        before = row[row.index(f"join_{layer}") - 1]
        inside.row(inside.left(before), -ABOVE, f"skip_{layers + 2 - layer}")
    _place_conditions(inside, text=attends)


def _place_conditions(inside: Sketch, *, text: bool) -> None:
    inside.row(0, 144, "time")
    if text:
        inside.row(0, 216, "text")


def _names(layer: int, *, attends: bool) -> list[str]:
    return [f"residual_{layer}", *([f"attend_{layer}"] if attends else [])]


def _sizes(level: int) -> dict[str, Any]:
    return {"out_channels": _channels(level), "groups": "=groups"}


def _layer(inside: Sketch, layer: int, level: int, source: str, *, attends: bool) -> str:
    last = inside.add(
        f"residual_{layer}", "ResidualTimeBlock", source, "time", title=f"Residual {layer}", **_sizes(level)
    )
    if not attends:
        return last
    attend = f"attend_{layer}"
    _attention(inside.group(attend, f"Attend {layer}"), level)
    inside.wire(last, f"{attend}.x")
    inside.wire("text", f"{attend}.text")
    return attend


def _attention(inside: Sketch, level: int) -> None:
    """A transformer layer over the pixels: self-attention, cross-attention to the text, feed-forward."""
    heads: dict[str, Any] = {"num_heads": "=num_heads", "bias": False, "out_bias": True}
    inside.add("features", "GroupInput", title="Features", port="x")
    inside.add("text", "GroupInput", title="Text", port="text")
    inside.add("norm", "GroupNorm", "features", num_groups="=groups", eps=1e-6)
    inside.add("conv_in", "Conv2d", "norm", out_channels=_channels(level), kernel_size=1, padding=0)
    inside.add("pixels", "Rearrange", "conv_in", title="Pixels as tokens", pattern="b c h w -> b (h w) c")
    inside.add("self_norm", "LayerNorm", "pixels")
    inside.add("self_attention", "MultiHeadAttention", "self_norm", title="Self-attention", **heads)
    inside.add("self_add", "Add", "self_attention", "pixels")
    inside.add("cross_norm", "LayerNorm", "self_add")
    inside.add("cross_attention", "CrossAttention", "cross_norm", "text", **heads)
    inside.add("cross_add", "Add", "cross_attention", "self_add")
    inside.add("mlp_norm", "LayerNorm", "cross_add")
    inside.add("mlp", "GeGLU", "mlp_norm", hidden=f"=4*{_channels(level).removeprefix('=')}", bias=True)
    inside.add("mlp_add", "Add", "mlp", "cross_add")
    inside.add("image", "Rearrange", title="Tokens as pixels", pattern="b (h w) c -> b c h w")
    inside.wire("mlp_add", "image.x")
    inside.wire("features", "image.like")
    inside.add("conv_out", "Conv2d", "image", out_channels=_channels(level), kernel_size=1, padding=0)
    inside.add("add", "Add", "conv_out", "features")
    inside.add("result", "GroupOutput", "add", title="Result", port="x")
    end = inside.row(0, 0, "features", "norm", "conv_in", "pixels")
    parts = (
        ("self_norm", "self_attention", "self_add"),
        ("cross_norm", "cross_attention", "cross_add"),
        ("mlp_norm", "mlp", "mlp_add"),
    )
    for line, rest in enumerate(parts, start=1):
        wide = inside.row(0, LINE * line, *rest)
        end = inside.row(end + STAGGER - wide, LINE * line, *rest)
    inside.row(inside.left("cross_norm"), LINE * 2 + 88, "text")
    inside.row(end + GAP, LINE * 3, "image", "conv_out", "add", "result")


TEMPLATE = Template(
    "diffusion_unet",
    "Diffusion U-Net",
    "Predicts the noise in a picture, given the time step and a text through cross-attention.",
    {
        "channels": Variable(32, "channels at full height"),
        "widest": Variable(4, "times as many at the lowest heights, at most"),
        "depth": Variable(2, "how often the picture is halved", structural=True, high=5),
        "layers": Variable(2, "residual blocks on each level down; one more up", structural=True, high=4),
        "groups": Variable(8, "groups of channels that are normalised together"),
        "image_size": Variable(32, "side of the sample picture"),
        "in_channels": Variable(3, "channels of the picture"),
        "out_channels": Variable(3, "channels of the predicted noise"),
        "num_heads": Variable(4, "attention heads"),
        "context_dim": Variable(64, "features per text token"),
    },
    draw,
    {
        "tiny": {"channels": 16, "depth": 1, "layers": 1, "image_size": 16, "context_dim": 32},
        "small": {},
        "sd15": {
            "channels": 320,
            "depth": 3,
            "groups": 32,
            "image_size": 64,
            "in_channels": 4,
            "out_channels": 4,
            "num_heads": 8,
            "context_dim": 768,
        },
    },
    rank=40,
    family="Generation",
)
