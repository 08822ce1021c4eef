"""The vision transformer against its published counts and against transformers' on the same weights."""

from __future__ import annotations

import pytest
import torch
from transformers import ViTConfig, ViTForImageClassification

NAMES = {
    "vit.embeddings.cls_token": "class_token.tokens",
    "vit.embeddings.position_embeddings": "position.weight",
    "vit.embeddings.patch_embeddings.projection": "patch_embedding",
    "vit.layers.*.layernorm_before": "encoder.*.attn_norm",
    "vit.layers.*.attention": "encoder.*.attn",
    "vit.layers.*.layernorm_after": "encoder.*.mlp_norm",
    "vit.layers.*.mlp.fc1": "encoder.*.mlp.up",
    "vit.layers.*.mlp.fc2": "encoder.*.mlp.down",
    "vit.layernorm": "final_norm",
    "classifier": "head",
}


@pytest.mark.parametrize(
    ("preset", "published"),
    [
        ("b16", 86_567_656),
        ("b32", 88_224_232),
        ("l16", 304_326_632),
        ("l32", 306_535_400),
        ("h14", 632_045_800),
        ("s16", 22_050_664),
    ],
)
def test_published_counts(count, preset, published):
    assert count("vit", preset) == published


def test_transformers_gives_the_same_scores(model_of, shake, adopt, agree, in_float64):
    config = ViTConfig(
        hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40, layer_norm_eps=1e-6,
        image_size=12, patch_size=4, num_channels=2, num_labels=5,
    )  # fmt: skip
    ours = model_of(
        "vit", dim=24, layers=2, num_heads=3, hidden=40, image_size=12, patch_size=4, in_channels=2, num_classes=5
    )
    with in_float64():
        theirs = shake(ViTForImageClassification(config))
        state = dict(theirs.state_dict())
        state["vit.embeddings.position_embeddings"] = state["vit.embeddings.position_embeddings"][0]
        kernel = "vit.embeddings.patch_embeddings.projection.weight"
        state[kernel] = state[kernel].flatten(1)
        adopt(ours, state, NAMES)
        pictures = torch.randn(3, 2, 12, 12, generator=torch.Generator().manual_seed(1))
        agree(ours(pictures), theirs(pictures).logits)


def test_a_class_token_gathers_and_positions_tell_the_order(model_of):
    """Patches in another order are another picture, but only since positions are added."""
    model = model_of("vit")
    picture = torch.randn(1, 3, 32, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    turned = picture.roll(8, -1)
    with torch.no_grad():
        assert (model(picture) - model(turned)).abs().max() > 1e-3
        model.position.weight.zero_()
        torch.testing.assert_close(model(picture), model(turned), rtol=0, atol=1e-10)
