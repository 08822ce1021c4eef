"""The diffusion U-Net: the size of Stable Diffusion 1.5, and diffusers' network on the same weights."""

from __future__ import annotations

import pytest
import torch
from diffusers import UNet2DConditionModel

from graph.templates import find
from graph.validate import validate

RESIDUAL = {
    "norm1": "norm1",
    "conv1": "conv1",
    "time_emb_proj": "time_proj",
    "norm2": "norm2",
    "conv2": "conv2",
    "conv_shortcut": "shortcut",
}
ATTENTION = {
    "norm": "norm",
    "proj_in": "conv_in",
    "transformer_blocks.0.norm1": "self_norm",
    "transformer_blocks.0.norm2": "cross_norm",
    "transformer_blocks.0.norm3": "mlp_norm",
    "transformer_blocks.0.ff.net.2": "mlp.down",
    "transformer_blocks.0.ff.up": "mlp.up",
    "transformer_blocks.0.ff.gate": "mlp.gate",
    "proj_out": "conv_out",
    **{
        f"transformer_blocks.0.{theirs}.{there}": f"{ours}.{here}"
        for theirs, ours in (("attn1", "self_attention"), ("attn2", "cross_attention"))
        for there, here in (("to_q", "q_proj"), ("to_k", "k_proj"), ("to_v", "v_proj"), ("to_out.0", "o_proj"))
    },
}


def names(levels: int, layers: int) -> dict[str, str]:
    table = {
        "time_embedding.linear_1": "time.linear_1",
        "time_embedding.linear_2": "time.linear_2",
        "conv_in": "conv_in",
        "conv_norm_out": "norm_out",
        "conv_out": "conv_out",
    }
    groups = [(f"down_blocks.{level}", f"down_{level + 1}", layers) for level in range(levels)]
    groups += [(f"up_blocks.{level}", f"up_{levels - level}", layers + 1) for level in range(levels)]
    for theirs, ours, count in [*groups, ("mid_block", "middle", 2)]:
        for layer in range(count):
            for there, here in RESIDUAL.items():
                table[f"{theirs}.resnets.{layer}.{there}"] = f"{ours}.residual_{layer + 1}.{here}"
            for there, here in ATTENTION.items():
                table[f"{theirs}.attentions.{layer}.{there}"] = f"{ours}.attend_{layer + 1}.{here}"
    for level in range(levels - 1):
        table[f"down_blocks.{level}.downsamplers.0.conv"] = f"down_{level + 2}.shrink"
        table[f"up_blocks.{level}.upsamplers.0.conv"] = f"up_{levels - level}.smooth"
    return table


def gates_apart(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Their gated feed-forward has one matrix for what is gated and for the gate."""
    apart = {}
    for name, tensor in state.items():
        start, found, end = name.partition("net.0.proj")
        if found:
            apart[f"{start}up{end}"], apart[f"{start}gate{end}"] = (part.clone() for part in tensor.chunk(2))
        else:
            apart[name] = tensor
    return apart


def test_published_count(count):
    assert count("diffusion_unet", "sd15") == 859_520_964


@pytest.mark.parametrize(("depth", "layers", "widest"), [(1, 1, 2), (2, 2, 4), (3, 1, 4)])
def test_diffusers_predicts_the_same_noise(model_of, shake, adopt, agree, in_float64, depth, layers, widest):
    ours = model_of(
        "diffusion_unet", channels=8, depth=depth, layers=layers, widest=widest, groups=4, num_heads=2, context_dim=6,
        in_channels=3, out_channels=5,
    )  # fmt: skip
    with in_float64():
        theirs = shake(
            UNet2DConditionModel(
                in_channels=3,
                out_channels=5,
                block_out_channels=tuple(8 * min(2**level, widest) for level in range(depth + 1)),
                layers_per_block=layers,
                down_block_types=("CrossAttnDownBlock2D",) * depth + ("DownBlock2D",),
                up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * depth,
                norm_num_groups=4,
                attention_head_dim=2,  # their name for the number of heads
                cross_attention_dim=6,
                use_linear_projection=False,
                flip_sin_to_cos=True,
                freq_shift=0,
            )
        )
        adopt(ours, gates_apart(theirs.state_dict()), names(depth + 1, layers))
        generator = torch.Generator().manual_seed(1)
        pictures = torch.randn(2, 3, 16, 24, generator=generator)
        steps, text = torch.tensor([3.0, 731.0]), torch.randn(2, 5, 6, generator=generator)
        agree(ours(pictures, steps, text), theirs(pictures, steps, text).sample)


def test_a_skip_from_everything_on_the_way_down():
    """From conv in, each halving and each residual block: 12 in Stable Diffusion, all joined on the way up."""
    document = find("diffusion_unet").build(find("diffusion_unet").presets["sd15"])
    skips = [wire for wire in document.top.wires() if wire.input.startswith("skip")]
    assert len(skips) == 12
    assert all(wire.source.replace("down", "up") == wire.target and wire.output == wire.input for wire in skips)
    joined = [node for _, node in document.walk() if node.block == "Concat"]
    assert len(joined) == 12


@pytest.mark.parametrize(("depth", "layers"), [(1, 1), (5, 1), (4, 4)])
def test_any_depth(depth, layers):
    values = {"depth": depth, "layers": layers, "image_size": 64}
    report = validate(find("diffusion_unet").build(values))
    assert not report.issues
    divisors = {str(need.size): need.divisor for need in report.requirements}
    assert divisors == {"height": 2**depth, "width": 2**depth}


def test_time_and_text_change_the_noise(model_of):
    model = model_of("diffusion_unet")
    generator = torch.Generator().manual_seed(0)
    picture, text = (
        torch.randn(*size, dtype=torch.float64, generator=generator) for size in ((1, 3, 16, 16), (1, 4, 32))
    )
    with torch.no_grad():
        noise = model(picture, torch.tensor([5.0], dtype=torch.float64), text)
        later = model(picture, torch.tensor([600.0], dtype=torch.float64), text)
        other = model(picture, torch.tensor([5.0], dtype=torch.float64), text.flip(1) + 1)
    assert (noise - later).abs().max() > 1e-4 and (noise - other).abs().max() > 1e-4
