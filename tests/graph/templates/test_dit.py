"""The diffusion transformer against its published counts and against diffusers' on the same weights."""

from __future__ import annotations

import pytest
import torch
from diffusers import DiTTransformer2DModel

EMBEDDER = {
    "timestep_embedder.linear_1": "time.linear_1",
    "timestep_embedder.linear_2": "time.linear_2",
    "class_embedder.embedding_table": "class_embedding",
}
NAMES = {
    "pos_embed.pos_embed": "position.weight",
    "pos_embed.proj": "patch_embedding",
    **{f"transformer_blocks.0.norm1.emb.{theirs}": ours for theirs, ours in EMBEDDER.items()},
    "transformer_blocks.*.norm1.first": "layer.*.attn_norm.modulation",
    "transformer_blocks.*.norm1.second": "layer.*.mlp_norm.modulation",
    "transformer_blocks.*.attn1.to_q": "layer.*.attn.q_proj",
    "transformer_blocks.*.attn1.to_k": "layer.*.attn.k_proj",
    "transformer_blocks.*.attn1.to_v": "layer.*.attn.v_proj",
    "transformer_blocks.*.attn1.to_out.0": "layer.*.attn.o_proj",
    "transformer_blocks.*.ff.net.0.proj": "layer.*.mlp.up",
    "transformer_blocks.*.ff.net.2": "layer.*.mlp.down",
    "proj_out_1": "final_norm.modulation",
    "proj_out_2": "head",
}


@pytest.fixture
def published(shake, in_float64):
    """A small network of diffusers with one embedder for all layers, as the paper has it; diffusers has one for each.

    The last frequency of its waves is made 10000 ** (-127 / 128) as in the paper, where diffusers has 1 / 10000.
    """
    with in_float64():
        model = shake(
            DiTTransformer2DModel(
                num_attention_heads=3, attention_head_dim=8, in_channels=2, out_channels=4, num_layers=3,
                sample_size=12, patch_size=2, num_embeds_ada_norm=7, norm_eps=1e-6,
            )
        )  # fmt: skip
    embedder = model.transformer_blocks[0].norm1.emb
    embedder.time_proj.downscale_freq_shift = 0
    for block in model.transformer_blocks:
        block.norm1.emb = embedder
    return model


def state_of(model) -> dict[str, torch.Tensor]:
    """Its weights, each once, with the modulations of attention and feed-forward apart."""
    state = {"pos_embed.pos_embed": model.pos_embed.pos_embed[0]}
    for name, tensor in model.state_dict().items():
        start, found, end = name.partition("norm1.linear")
        if found:
            halves = (part.clone() for part in tensor.chunk(2))
            state[f"{start}norm1.first{end}"], state[f"{start}norm1.second{end}"] = halves
        elif ".emb." not in name or name.startswith("transformer_blocks.0."):
            state[name] = tensor.flatten(1) if name == "pos_embed.proj.weight" else tensor
    return state


def test_published_count(count):
    assert count("dit", "xl2") == 675_129_632


@pytest.mark.parametrize(("preset", "millions"), [("s2", 33.0), ("b2", 130.5), ("l2", 458.1), ("xl2", 675.1)])
def test_counts_of_the_paper(count, preset, millions):
    assert round(count("dit", preset) / 1e6, 1) == millions


def test_diffusers_predicts_the_same_noise(model_of, published, adopt, agree, in_float64):
    ours = model_of("dit", dim=24, layers=3, num_heads=3, image_size=12, in_channels=2, num_classes=7, waves=256)
    torch.testing.assert_close(ours.position.weight.data, published.pos_embed.pos_embed[0], rtol=0, atol=1e-6)
    with in_float64():
        adopt(ours, state_of(published), NAMES)
        generator = torch.Generator().manual_seed(1)
        pictures = torch.randn(3, 2, 12, 12, generator=generator)
        steps, classes = torch.tensor([0.0, 12.0, 981.0]), torch.tensor([0, 6, 7])
        agree(ours(pictures, steps, classes), published(pictures, steps, classes).sample)


def test_it_starts_as_the_identity_and_says_nothing(model_of):
    """Gates and the last layer start at zero: nothing is added to a patch, and no noise is predicted."""
    model = model_of("dit")
    generator = torch.Generator().manual_seed(0)
    patches, condition = (
        torch.randn(*size, dtype=torch.float64, generator=generator) for size in ((1, 9, 48), (1, 48))
    )
    picture, step = torch.randn(1, 4, 16, 16, dtype=torch.float64, generator=generator), torch.tensor([5.0]).double()
    with torch.no_grad():
        assert torch.equal(model.layer[0](patches, condition), patches)
        assert not model(picture, step, torch.tensor([3])).any()
    assert not model.position.weight.requires_grad
