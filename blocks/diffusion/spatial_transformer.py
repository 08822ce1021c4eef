from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.conflicts import nearest_divisor, norm_group_conflicts
from blocks.diffusion.conditioned_transformer_block import ConditionedTransformerBlock
from blocks.normalization.group_norm import GroupNorm
from blocks.shapes import Incoming, Needs, Params, Shape, stretch
from blocks.spec import Block, Conflict, Number, Port, Ratio, Size


class SpatialTransformer(Block, category="Diffusion and image"):
    """Let every pixel look at every other and at a prompt: how a text steers a diffusion U-Net.

    y = x + conv_out(layers(conv_in(norm(x)), context)): pixels are laid into a row, go through `layers` conditioned
    transformer blocks, and back; (batch, channels, height, width) and (batch, source_seq, context_dim) → the shape of
    x. It follows a residual block where the picture is small, since its cost grows with the square of the pixels.

    `mask` is true where a pixel may look at the context; it stretches to (batch, heads, query, key). Rombach et al.
    2022 (Stable Diffusion), arXiv 2112.10752.
    """

    synonyms = ("cross-attention", "text conditioning", "stable diffusion", "latent diffusion", "prompt")
    equation = (
        r"y = x + w_{\mathrm{out}} * (T_L \circ \cdots \circ T_1)(w_{\mathrm{in}} * \mathrm{GN}(x)) \\"
        r"T_l(h) = \mathrm{Block}_l(h, \mathrm{context}), \quad L = \mathrm{layers}"
    )
    shown = ("num_heads", "layers", "context_dim")
    inputs = {
        "x": Port("batch channels height width", kind="image", dtype="float"),
        "context": Port("batch source_seq context_dim", kind="features", dtype="float", doc="the prompt"),
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where the context may be looked at"),
    }
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(
        self,
        *,
        channels: Annotated[int, Size("channels", from_wire=True)] = 320,
        context_dim: Annotated[int, Size("features per token of the prompt", from_wire=True)] = 768,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        head_dim: Annotated[int | None, Size("features per head; empty: channels / heads")] = None,
        layers: Annotated[int, Size("conditioned transformer blocks")] = 1,
        groups: Annotated[int, Size("groups of channels that are normalised together")] = 32,
        eps: Annotated[float, Number("added to the variance of the first norm", low=0.0)] = 1e-6,
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
    ) -> None:
        super().__init__()
        inside = num_heads * head_dim if head_dim else channels
        self.norm = GroupNorm(num_groups=groups, num_channels=channels, eps=eps)
        self.conv_in = nn.Conv2d(channels, inside, 1)
        self.layers = nn.ModuleList(
            ConditionedTransformerBlock(
                dim=inside, context_dim=context_dim, num_heads=num_heads, head_dim=head_dim, dropout=dropout
            )
            for _ in range(layers)
        )
        self.conv_out = nn.Conv2d(inside, channels, 1)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of x; the mask must stretch to the scores."""
        inputs = {name: cls.inputs[name] for name in ("x", "context")}
        axes = cls.unify(inputs, shapes, params, need)
        if "mask" in shapes:
            pixels = axes["height"] * axes["width"]
            scores = (axes["batch"], params["num_heads"], pixels, axes["source_seq"])
            stretch("mask", shapes["mask"], scores, "batch heads query key", need)
        return {"y": (axes["batch"], params["channels"], axes["height"], axes["width"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads and groups divide channels."""
        channels, heads = params["channels"], params["num_heads"]
        if params["head_dim"] is None and channels % heads:
            yield Conflict(
                "num_heads",
                f"{heads} heads do not divide {channels} channels",
                "`num_heads` must divide `channels` unless `head_dim` is set",
                {"num_heads": nearest_divisor(channels, heads)},
            )
        yield from norm_group_conflicts(params["groups"], channels)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.conv_in(self.norm(x))
        row = h.flatten(2).transpose(1, 2)
        for layer in self.layers:
            row = layer(row, context, mask)
        return x + self.conv_out(row.transpose(1, 2).reshape(h.shape))
