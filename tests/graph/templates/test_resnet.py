"""ResNet against its published counts and against transformers' on the same weights, with both kinds of blocks."""

from __future__ import annotations

import pytest
import torch
from transformers import ResNetConfig, ResNetForImageClassification

from graph.templates import TemplateError, find

BLOCKS = (3, 2, 1, 2)


def names(bottleneck: bool) -> dict[str, str]:
    table = {
        "resnet.embedder.embedder.convolution": "conv",
        "resnet.embedder.embedder.normalization": "norm",
        "classifier.1": "head",
    }
    for stage, count in enumerate(BLOCKS):
        theirs = f"resnet.encoder.stages.{stage}.layers"
        ours = f"stage_{stage + 1}"
        places = {0: f"{ours}.first"}
        for block in range(1, count):
            places[block] = f"{ours}.rest" if count == 2 else f"{ours}.rest.{block - 1}.block"
        for block, place in places.items():
            for layer in range(3 if bottleneck else 2):
                table[f"{theirs}.{block}.layer.{layer}.convolution"] = f"{place}.conv{layer + 1}"
                table[f"{theirs}.{block}.layer.{layer}.normalization"] = f"{place}.bn{layer + 1}"
            table[f"{theirs}.{block}.shortcut.convolution"] = f"{place}.downsample.0"
            table[f"{theirs}.{block}.shortcut.normalization"] = f"{place}.downsample.1"
    return table


@pytest.mark.parametrize(
    ("preset", "published"),
    [
        ("resnet18", 11_689_512),
        ("resnet34", 21_797_672),
        ("resnet50", 25_557_032),
        ("resnet101", 44_549_160),
        ("resnet152", 60_192_808),
    ],
)
def test_published_counts(count, preset, published):
    assert count("resnet", preset) == published


@pytest.mark.parametrize("bottleneck", [False, True])
def test_transformers_gives_the_same_scores(model_of, shake, adopt, agree, in_float64, bottleneck):
    wide = 4 if bottleneck else 1
    config = ResNetConfig(
        num_channels=2, embedding_size=4, hidden_sizes=[4 * wide * 2**stage for stage in range(4)],
        depths=list(BLOCKS), layer_type="bottleneck" if bottleneck else "basic", num_labels=5,
    )  # fmt: skip
    blocks = {f"blocks_{stage + 1}": count for stage, count in enumerate(BLOCKS)}
    ours = model_of("resnet", in_channels=2, channels=4, num_classes=5, bottleneck=bottleneck, **blocks)
    with in_float64():
        theirs = shake(ResNetForImageClassification(config))
        state = theirs.state_dict()
        del state["resnet.embedder.embedder.normalization.num_batches_tracked"]  # our batch norm counts none
        adopt(ours, state, names(bottleneck))
        pictures = torch.randn(2, 2, 45, 71, generator=torch.Generator().manual_seed(1))
        agree(ours(pictures), theirs(pictures).logits)


def test_gradients_reach_the_first_filter_of_a_deep_one(model_of):
    model = model_of("resnet", blocks_3=12)
    model(torch.randn(2, 3, 32, 32, dtype=torch.float64)).square().sum().backward()
    assert model.conv.weight.grad.abs().max() > 1e-6


@pytest.mark.parametrize(("name", "value"), [("bottleneck", 1), ("bottleneck", "yes"), ("blocks_1", True)])
def test_what_decides_the_nodes_has_bounds(name, value):
    bounds = "true or false" if name == "bottleneck" else "a whole number from 1 to 1000"
    with pytest.raises(TemplateError, match=f"{name} must be {bounds}, not {value!r}"):
        find("resnet").build({name: value})
