"""Diffusion U-Net: residual blocks that know the time step, cross-attention to a text."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import Sketch

GROUPS = 8


def draw(depth: int) -> Document:
    """The drawing; Ho et al. 2020, arXiv 2006.11239, and Rombach et al. 2022, arXiv 2112.10752."""
    document = Document("diffusion unet")
    top = Sketch(document)
    top.add("image", "ImageInput", 0, 0, title="Noisy image", channels="=in_channels", image_size="=image_size")
    top.add("time_step", "TimeStepInput", 0, -1.6, title="Time step")
    top.add("text", "FeatureInput", 0, -2.6, title="Text features", dim="=context_dim", axes="batch text_seq")
    top.add("time_wave", "TimestepEmbedding", 1, -1.6, "time_step", dim="=channels")
    top.add("time_in", "Linear", 2, -1.6, "time_wave", out_features="=4*channels")
    top.add("time_act", "SiLU", 3, -1.6, "time_in")
    top.add("time", "Linear", 4, -1.6, "time_act", title="Time embedding", out_features="=4*channels")
    last = top.add(
        "conv_in", "Conv2d", 1, 0, "image", title="Conv in", out_channels="=channels", kernel_size=3, padding=1
    )
    for level in range(depth):
        column, line = 2 + 1.0 * level, 2.0 * level
        last = _residual(top, f"down_{level + 1}", f"Down {level + 1}", column, line, level, last)
        last = _attention(top, f"down_attention_{level + 1}", f"Attend {level + 1}", column, line + 0.6, level, last)
        last = top.add(
            f"shrink_{level + 1}", "Conv2d", column, line + 1.2, last,
            title=f"Halve {level + 1}", out_channels=_channels(level), kernel_size=3, stride=2, padding=1,
        )  # fmt: skip
    column, line = 2 + 1.0 * depth, 2.0 * depth
    last = _residual(top, "middle_1", "Middle 1", column, line, depth, last)
    last = _attention(top, "middle_attention", "Attend middle", column + 1, line, depth, last)
    last = _residual(top, "middle_2", "Middle 2", column + 2, line, depth, last)
    for level in reversed(range(depth)):
        column, line = 5 + depth + 1.6 * (depth - 1 - level), 2.0 * level
        grown = top.add(
            f"grow_{level + 1}", "UpSample", column, line + 1.2, last, title=f"Double {level + 1}", factor=2
        )
        smooth = top.add(
            f"smooth_{level + 1}", "Conv2d", column, line + 0.6, grown,
            title=f"Smooth {level + 1}", out_channels=_channels(level), kernel_size=3, padding=1,
        )  # fmt: skip
        skip = top.add(
            f"skip_{level + 1}", "Concat", column, line, smooth, f"down_attention_{level + 1}", title="Skip", axis=1
        )
        last = _residual(top, f"up_{level + 1}", f"Up {level + 1}", column + 0.8, line, level, skip)
        last = _attention(
            top, f"up_attention_{level + 1}", f"Attend up {level + 1}", column + 0.8, line + 0.6, level, last
        )
    column = 5 + depth + 1.6 * depth + 0.4
    top.add("norm_out", "GroupNorm", column, 0, last, title="Norm out", num_groups=GROUPS)
    top.add("act_out", "SiLU", column + 0.9, 0, "norm_out")
    top.add("conv_out", "Conv2d", column + 1.6, 0, "act_out", title="Conv out", out_channels="=out_channels", padding=1)
    top.add("noise", "Output", column + 2.5, 0, "conv_out", title="Predicted noise")
    return document


def _channels(level: int) -> str:
    return f"=channels*{2**level}" if level else "=channels"


def _residual(top: Sketch, id: str, title: str, column: float, line: float, level: int, source: str) -> str:
    """Two convolutions with the time step added between, and a skip of one convolution."""
    inside = top.group(id, column, line, title)
    inside.add("features", "GroupInput", 0, 0, title="Features", port="x")
    inside.add("time", "GroupInput", 0, 1.4, title="Time", port="time")
    inside.add("norm_1", "GroupNorm", 0.8, 0, "features", num_groups=GROUPS)
    inside.add("act_1", "SiLU", 1.7, 0, "norm_1")
    inside.add("conv_1", "Conv2d", 2.4, 0, "act_1", out_channels=_channels(level), kernel_size=3, padding=1)
    inside.add("time_act", "SiLU", 0.8, 1.4, "time")
    inside.add("time_proj", "Linear", 1.5, 1.4, "time_act", out_features=_channels(level))
    inside.add("time_map", "Rearrange", 2.4, 1.4, "time_proj", title="To every pixel", pattern="b c -> b c 1 1")
    inside.add("add_time", "Add", 3.4, 0, "conv_1", "time_map")
    inside.add("norm_2", "GroupNorm", 4.1, 0, "add_time", num_groups=GROUPS)
    inside.add("act_2", "SiLU", 5.0, 0, "norm_2")
    inside.add("conv_2", "Conv2d", 5.7, 0, "act_2", out_channels=_channels(level), kernel_size=3, padding=1)
    inside.add(
        "match",
        "Conv2d",
        2.4,
        2.4,
        "features",
        title="Match channels",
        out_channels=_channels(level),
        kernel_size=1,
        padding=0,
    )
    inside.add("add", "Add", 6.7, 0, "match", "conv_2")
    inside.add("result", "GroupOutput", 7.4, 0, "add", title="Result", port="x")
    top.wire(source, f"{id}.x")
    top.wire("time", f"{id}.time")
    return id


def _attention(top: Sketch, id: str, title: str, column: float, line: float, level: int, source: str) -> str:
    """A transformer block over the pixels: self-attention, cross-attention to the text, feed-forward."""
    inside = top.group(id, column, line, title)
    inside.add("features", "GroupInput", 0, 0, title="Features", port="x")
    inside.add("text", "GroupInput", 2.4, 2.4, title="Text", port="text")
    inside.add("norm", "GroupNorm", 0.8, 0, "features", num_groups=GROUPS)
    inside.add("pixels", "Rearrange", 1.7, 0, "norm", title="Pixels as tokens", pattern="b c h w -> b (h w) c")
    inside.add("self_norm", "LayerNorm", 0.8, 1.2, "pixels")
    inside.add(
        "self_attention", "MultiHeadAttention", 1.7, 1.2, "self_norm", title="Self-attention", num_heads="=num_heads"
    )
    inside.add("self_add", "Add", 2.85, 1.2, "pixels", "self_attention")
    inside.add("cross_norm", "LayerNorm", 3.5, 1.2, "self_add")
    inside.add("cross_attention", "CrossAttention", 4.4, 1.2, "cross_norm", "text", num_heads="=num_heads")
    inside.add("cross_add", "Add", 5.5, 1.2, "self_add", "cross_attention")
    inside.add("mlp_norm", "LayerNorm", 6.2, 1.2, "cross_add")
    inside.add("mlp", "FeedForward", 7.1, 1.2, "mlp_norm")
    inside.add("mlp_add", "Add", 8.1, 1.2, "cross_add", "mlp")
    inside.add("image", "Rearrange", 8.1, 0, title="Tokens as pixels", pattern="b (h w) c -> b c h w")
    inside.wire("mlp_add", "image.x")
    inside.wire("features", "image.like")
    inside.add("add", "Add", 9.2, 0, "features", "image")
    inside.add("result", "GroupOutput", 9.9, 0, "add", title="Result", port="x")
    top.wire(source, f"{id}.x")
    top.wire("text", f"{id}.text")
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
    {"small": {}},
)
