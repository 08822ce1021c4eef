"""ResNet: four stages of residual blocks, each half as high and wide as the last and with twice its channels."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import ROOM, Sketch

STAGES = 4
LINE = 176


def draw(bottleneck: bool, **blocks: int) -> Document:
    """The drawing; He et al. 2015, arXiv 1512.03385, a bottleneck with its stride in the middle as in torchvision."""
    document = Document("resnet")
    top = Sketch(document)
    top.add("image", "ImageInput", title="Image", channels="=in_channels", image_size="=image_size")
    top.add("conv", "Conv2d", "image", out_channels="=channels", kernel_size=7, stride=2, padding=3, bias=False)
    top.add("norm", "BatchNorm", "conv")
    top.add("act", "ReLU", "norm")
    last = top.add("pool", "MaxPool2d", "act", kernel_size=3, stride=2, padding=1)
    for stage in range(STAGES):
        id = f"stage_{stage + 1}"
        _stage(top.group(id, f"Stage {stage + 1}"), stage, blocks[f"blocks_{stage + 1}"], bottleneck)
        top.wire(last, id)
        last = id
    top.add("gather", "GlobalAvgPool", last)
    top.add("head", "Linear", "gather", title="Classifier", out_features="=num_classes")
    top.add("classes", "Output", "head", title="Class scores")
    top.row(0, 0, "image", ROOM, "conv", "norm", "act", "pool")
    top.row(0, LINE, "stage_1", ROOM, "stage_2", ROOM, "stage_3", ROOM, "stage_4")
    top.row(0, 2 * LINE, "gather", ROOM, "head", ROOM, "classes")
    return document


def _stage(inside: Sketch, stage: int, blocks: int, bottleneck: bool) -> None:
    """A block that makes the picture smaller (the pooling has, before the first stage), then others that keep it."""
    kind = "BottleneckResidual" if bottleneck else "BasicResidual"
    channels = f"=channels*{2**stage * (4 if bottleneck else 1)}".removesuffix("*1")
    inside.add("features", "GroupInput", title="Features", port="x")
    last = inside.add("first", kind, "features", title="First block", out_channels=channels, stride=2 if stage else 1)
    if blocks == 2:
        last = inside.add("rest", kind, last, title="Second block", out_channels=channels)
    elif blocks > 2:
        rest = inside.group("rest", "Other blocks", repeat=blocks - 1)
        rest.add("features", "GroupInput", title="Features", port="x")
        rest.add("block", kind, "features", out_channels=channels)
        rest.add("result", "GroupOutput", "block", title="Result", port="x")
        rest.row(0, 0, "features", "block", "result")
        inside.wire(last, "rest")
        last = "rest"
    inside.add("result", "GroupOutput", last, title="Result", port="x")
    inside.row(0, 0, "features", *dict.fromkeys(("first", last)), "result")


def _sizes(*blocks: int, **others: object) -> dict[str, object]:
    return {f"blocks_{stage + 1}": count for stage, count in enumerate(blocks)} | others


TEMPLATE = Template(
    "resnet",
    "ResNet",
    "Classifies a picture: residual blocks in four stages, through which gradients find a straight way.",
    {
        "channels": Variable(64, "channels of the first stage, of a bottleneck inside"),
        **{
            f"blocks_{stage + 1}": Variable(2, f"residual blocks in stage {stage + 1}", structural=True, high=1000)
            for stage in range(STAGES)
        },
        "bottleneck": Variable(False, "blocks narrow, convolve and widen", structural=True),
        "image_size": Variable(224, "side of the sample picture"),
        "in_channels": Variable(3, "channels of the picture"),
        "num_classes": Variable(1000, "classes"),
    },
    draw,
    {
        "tiny": {"channels": 4, "image_size": 32, "num_classes": 10},
        "resnet18": {},
        "resnet34": _sizes(3, 4, 6, 3),
        "resnet50": _sizes(3, 4, 6, 3, bottleneck=True),
        "resnet101": _sizes(3, 4, 23, 3, bottleneck=True),
        "resnet152": _sizes(3, 8, 36, 3, bottleneck=True),
    },
    rank=35,
    family="Vision",
)
