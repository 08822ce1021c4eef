"""Diffusion U-Net: residual blocks that know the time step, cross-attention to a text."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, Sketch

GROUPS = 8


LINE = 176
BESIDE = 48
"""How much lower the halving lies, so that the skip passes above it."""
STAGGER = 128
"""How much further right the next sum lies, so that what skips to it goes forwards."""


def draw(depth: int) -> Document:
    """The drawing; Ho et al. 2020, arXiv 2006.11239, and Rombach et al. 2022, arXiv 2112.10752."""
    document = Document("diffusion unet")
    top = Sketch(document)
    top.add("image", "ImageInput", title="Noisy image", channels="=in_channels", image_size="=image_size")
    top.add("time_step", "TimeStepInput", title="Time step")
    top.add("text", "FeatureInput", title="Text features", dim="=context_dim", axes="batch text_seq")
    top.add("time_wave", "TimestepEmbedding", "time_step", dim="=channels")
    top.add("time_in", "Linear", "time_wave", out_features="=4*channels")
    top.add("time_act", "SiLU", "time_in")
    top.add("time", "Linear", "time_act", title="Time embedding", out_features="=4*channels")
    last = top.add("conv_in", "Conv2d", "image", title="Conv in", out_channels="=channels", kernel_size=3, padding=1)
    for level in range(depth):
        last = _residual(top, f"down_{level + 1}", f"Down {level + 1}", level, last)
        last = _attention(top, f"down_attention_{level + 1}", f"Attend {level + 1}", last)
        last = top.add(
            f"shrink_{level + 1}", "Conv2d", last,
            title=f"Halve {level + 1}", out_channels=_channels(level), kernel_size=3, stride=2, padding=1,
        )  # fmt: skip
    last = _residual(top, "middle_1", "Middle 1", depth, last)
    last = _attention(top, "middle_attention", "Attend middle", last)
    last = _residual(top, "middle_2", "Middle 2", depth, last)
    for level in reversed(range(depth)):
        grown = top.add(f"grow_{level + 1}", "UpSample", last, title=f"Double {level + 1}", factor=2)
        smooth = top.add(
            f"smooth_{level + 1}", "Conv2d", grown,
            title=f"Smooth {level + 1}", out_channels=_channels(level), kernel_size=3, padding=1,
        )  # fmt: skip
        skip = top.add(f"skip_{level + 1}", "Concat", smooth, f"down_attention_{level + 1}", title="Skip", axis=1)
        last = _residual(top, f"up_{level + 1}", f"Up {level + 1}", level, skip)
        last = _attention(top, f"up_attention_{level + 1}", f"Attend up {level + 1}", last)
    top.add("norm_out", "GroupNorm", last, title="Norm out", num_groups=GROUPS)
    top.add("act_out", "SiLU", "norm_out")
    top.add("conv_out", "Conv2d", "act_out", title="Conv out", out_channels="=out_channels", padding=1)
    top.add("noise", "Output", "conv_out", title="Predicted noise")
    _arrange(top, depth)
    return document


def _arrange(top: Sketch, depth: int) -> None:
    """What conditions at the top; below it a row for each height, going down at the left and up at the right."""
    top.row(0, -392, "text")
    top.row(0, -232, "time_step", "time_wave", "time_in", "time_act", "time")
    x = top.row(0, 0, "image", "conv_in") + GAP
    for level in range(depth):
        x = top.row(x, LINE * level, f"down_{level + 1}", f"down_attention_{level + 1}") + GAP
        top.row(x, LINE * level + BESIDE, f"shrink_{level + 1}")
    row = ["middle_1", "middle_attention", "middle_2"]
    for level in reversed(range(depth)):
        top.row(x, LINE * (level + 1), *row, f"grow_{level + 1}", f"smooth_{level + 1}")
        x = top.row(top.left(f"smooth_{level + 1}"), LINE * level, f"skip_{level + 1}") + GAP
        row = [f"up_{level + 1}", f"up_attention_{level + 1}"]
    top.row(x, 0, *row, "norm_out", "act_out", "conv_out", "noise")


def _channels(level: int) -> str:
    return f"=channels*{2**level}" if level else "=channels"


def _residual(top: Sketch, id: str, title: str, level: int, source: str) -> str:
    """Two convolutions with the time step added between, and a skip of one convolution."""
    inside = top.group(id, title)
    inside.add("features", "GroupInput", title="Features", port="x")
    inside.add("time", "GroupInput", title="Time", port="time")
    inside.add("norm_1", "GroupNorm", "features", num_groups=GROUPS)
    inside.add("act_1", "SiLU", "norm_1")
    inside.add("conv_1", "Conv2d", "act_1", out_channels=_channels(level), kernel_size=3, padding=1)
    inside.add("time_act", "SiLU", "time")
    inside.add("time_proj", "Linear", "time_act", out_features=_channels(level))
    inside.add("time_map", "Rearrange", "time_proj", title="To every pixel", pattern="b c -> b c 1 1")
    inside.add("add_time", "Add", "conv_1", "time_map")
    inside.add("norm_2", "GroupNorm", "add_time", num_groups=GROUPS)
    inside.add("act_2", "SiLU", "norm_2")
    inside.add("conv_2", "Conv2d", "act_2", out_channels=_channels(level), kernel_size=3, padding=1)
    inside.add(
        "match", "Conv2d", "features", title="Match channels", out_channels=_channels(level), kernel_size=1, padding=0
    )
    inside.add("add", "Add", "conv_2", "match")
    inside.add("result", "GroupOutput", "add", title="Result", port="x")
    top.wire(source, f"{id}.x")
    top.wire("time", f"{id}.time")
    inside.row(0, 0, "features", "norm_1", "act_1", "conv_1", "add_time")
    inside.row(0, 120, "time", "time_act", "time_proj", "time_map")
    inside.row(inside.left("time_act"), 264, "norm_2", "act_2", "conv_2", "add", "result")
    inside.row(inside.left("norm_2"), 376, "match")
    return id


def _attention(top: Sketch, id: str, title: str, source: str) -> str:
    """A transformer block over the pixels: self-attention, cross-attention to the text, feed-forward."""
    inside = top.group(id, title)
    inside.add("features", "GroupInput", title="Features", port="x")
    inside.add("text", "GroupInput", title="Text", port="text")
    inside.add("norm", "GroupNorm", "features", num_groups=GROUPS)
    inside.add("pixels", "Rearrange", "norm", title="Pixels as tokens", pattern="b c h w -> b (h w) c")
    inside.add("self_norm", "LayerNorm", "pixels")
    inside.add("self_attention", "MultiHeadAttention", "self_norm", title="Self-attention", num_heads="=num_heads")
    inside.add("self_add", "Add", "self_attention", "pixels")
    inside.add("cross_norm", "LayerNorm", "self_add")
    inside.add("cross_attention", "CrossAttention", "cross_norm", "text", num_heads="=num_heads")
    inside.add("cross_add", "Add", "cross_attention", "self_add")
    inside.add("mlp_norm", "LayerNorm", "cross_add")
    inside.add("mlp", "FeedForward", "mlp_norm")
    inside.add("mlp_add", "Add", "mlp", "cross_add")
    inside.add("image", "Rearrange", title="Tokens as pixels", pattern="b (h w) c -> b c h w")
    inside.wire("mlp_add", "image.x")
    inside.wire("features", "image.like")
    inside.add("add", "Add", "image", "features")
    inside.add("result", "GroupOutput", "add", title="Result", port="x")
    top.wire(source, f"{id}.x")
    top.wire("text", f"{id}.text")
    end = inside.row(0, 0, "features", "norm", "pixels")
    parts = (
        ("self_norm", "self_attention", "self_add"),
        ("cross_norm", "cross_attention", "cross_add"),
        ("mlp_norm", "mlp", "mlp_add"),
    )
    for line, rest in enumerate(parts, start=1):
        wide = inside.row(0, LINE * line, *rest)
        end = inside.row(end + STAGGER - wide, LINE * line, *rest)
    inside.row(inside.left("cross_norm"), LINE * 2 + 88, "text")
    inside.row(end + GAP, LINE * 3, "image", "add", "result")
    return id


TEMPLATE = Template(
    "diffusion_unet",
    "Diffusion U-Net",
    "Predicts the noise in a picture, given the time step and a text through cross-attention.",
    {
        "channels": Variable(32, "channels at full height"),
        "depth": Variable(2, "how often the picture is halved", structural=True, high=5),
        "image_size": Variable(32, "side of the sample picture"),
        "in_channels": Variable(3, "channels of the picture"),
        "out_channels": Variable(3, "channels of the predicted noise"),
        "num_heads": Variable(4, "attention heads"),
        "context_dim": Variable(64, "features per text token"),
    },
    draw,
    {"tiny": {"channels": 16, "depth": 1, "image_size": 16, "context_dim": 32}, "small": {}},
    rank=40,
)
