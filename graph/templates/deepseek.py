"""DeepSeek-V2: attention that caches one short vector for all heads, and many small experts behind a dense layer."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import START, embed_tokens, unembed
from graph.templates.sketch import GAP, ROOM, Sketch

LINE = 192
BELOW = 96
"""How much lower what tells of the balance lies."""


def draw(q_rank: int) -> Document:
    """The drawing; DeepSeek-AI 2024, arXiv 2405.04434."""
    document = Document("deepseek")
    top = Sketch(document)
    embed_tokens(top)
    dense = top.group("dense", "Dense layer", repeat="=dense_layers")
    _first_half(dense, q_rank)
    dense.add("mlp", "SwiGLU", "mlp_norm", hidden="=hidden", init_std=START)
    _second_half(dense, "mlp")
    top.wire("token_embedding", "dense")
    sparse = top.group("decoder", "Decoder layer", repeat="=layers-dense_layers")
    _first_half(sparse, q_rank)
    sparse.add(
        "moe", "MixtureOfExperts", "mlp_norm",
        hidden="=expert_hidden", num_experts="=num_experts", shared_experts="=shared_experts", top_k="=top_k",
        groups="=groups", top_groups="=top_groups", normalize=False, scale="=routed_scale", init_std=START,
    )  # fmt: skip
    _second_half(sparse, "moe")
    sparse.add("balance", "GroupOutput", "moe.balance_loss", title="Balance", port="balance_loss", rounds="sum")
    sparse.row(sparse.left("mlp_add"), LINE + BELOW, "balance")
    top.wire("dense", "decoder")
    top.add("final_norm", "RMSNorm", "decoder", title="Final norm", eps=1e-6)
    unembed(top, "final_norm")
    top.add("balance_share", "Scale", "decoder.balance_loss", title="Share of balance", factor="=balance")
    top.add("balance_loss", "Output", "balance_share", title="Balance loss")
    x = top.row(0, 0, "tokens", "token_embedding", ROOM, "dense", "decoder") + ROOM
    top.row(x, 0, "final_norm", "head", ROOM, "logits")
    top.row(x, BELOW, "balance_share", "balance_loss")
    return document


def _first_half(layer: Sketch, q_rank: int) -> None:
    """What both kinds of layer begin with: attention, and the norm of what comes after it."""
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn_norm", "RMSNorm", "layer_input", eps=1e-6)
    layer.add(
        "attn", "MultiHeadLatentAttention", "attn_norm",
        num_heads="=num_heads", head_dim="=head_dim", kv_rank="=kv_rank", q_rank=q_rank or None, rope_dim="=rope_dim",
        rope_theta="=rope_theta", rope_scaling="yarn", rope_factor="=rope_factor", rope_context="=rope_context",
        init_std=START,
    )  # fmt: skip
    layer.add("attn_add", "Add", "attn", "layer_input")
    layer.add("mlp_norm", "RMSNorm", "attn_add", eps=1e-6)


def _second_half(layer: Sketch, mlp: str) -> None:
    layer.add("mlp_add", "Add", mlp, "attn_add")
    layer.add("layer_output", "GroupOutput", "mlp_add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "attn_norm", "attn", ROOM, "attn_add")
    wide = layer.row(0, LINE, "mlp_norm", mlp)
    layer.row(end + 40 - GAP - wide, LINE, "mlp_norm", mlp, "mlp_add", "layer_output")


TEMPLATE = Template(
    "deepseek",
    "DeepSeek-V2",
    "Latent attention, whose cache is small, and a mixture of many small experts.",
    {
        "dim": Variable(256, "features per token"),
        "layers": Variable(4, "layers, the dense ones among them"),
        "dense_layers": Variable(1, "first layers without experts"),
        "num_heads": Variable(8, "attention heads"),
        "head_dim": Variable(32, "features of a head that carry content, and of its values"),
        "rope_dim": Variable(16, "features of a head that carry the order"),
        "kv_rank": Variable(64, "features that keys and values are made from: what is cached"),
        "q_rank": Variable(
            128, "features that queries are made from; 0: straight from x", structural=True, low=0, high=65536
        ),
        "hidden": Variable("=ceil(8*dim/3/256)*256", "features inside the feed-forward of the dense layers"),
        "expert_hidden": Variable(128, "features inside an expert"),
        "num_experts": Variable(16, "experts to choose from"),
        "shared_experts": Variable(2, "experts that every token goes to"),
        "top_k": Variable(4, "experts chosen for a token"),
        "groups": Variable(4, "groups that the experts fall into"),
        "top_groups": Variable(2, "groups that a token's experts come from"),
        "routed_scale": Variable(1, "what the weights of chosen experts are multiplied by"),
        "balance": Variable(0.003, "what the balance loss is multiplied by"),
        "vocab": Variable(1024, "different tokens"),
        "context": Variable(1024, "longest sequence"),
        "rope_theta": Variable(10000, "base of the rotary frequencies"),
        "rope_factor": Variable(1, "how many times the sequence of training is to be reached (YaRN)"),
        "rope_context": Variable(4096, "positions of the training"),
        "tied": Variable(False, "unembedding and embedding share one matrix"),
    },
    draw,
    {
        "tiny": {
            "dim": 32,
            "layers": 3,
            "num_heads": 4,
            "head_dim": 8,
            "rope_dim": 4,
            "kv_rank": 12,
            "q_rank": 16,
            "hidden": 64,
            "expert_hidden": 16,
            "num_experts": 6,
            "top_k": 2,
            "groups": 3,
            "vocab": 256,
            "context": 256,
        },
        "small": {},
        "lite": {
            "dim": 2048,
            "layers": 27,
            "num_heads": 16,
            "head_dim": 128,
            "rope_dim": 64,
            "kv_rank": 512,
            "q_rank": 0,
            "hidden": 10944,
            "expert_hidden": 1408,
            "num_experts": 64,
            "top_k": 6,
            "groups": 1,
            "top_groups": 1,
            "vocab": 102400,
            "context": 163840,
            "rope_factor": 40,
        },
        "v2": {
            "dim": 5120,
            "layers": 60,
            "num_heads": 128,
            "head_dim": 128,
            "rope_dim": 64,
            "kv_rank": 512,
            "q_rank": 1536,
            "hidden": 12288,
            "expert_hidden": 1536,
            "num_experts": 160,
            "top_k": 6,
            "groups": 8,
            "top_groups": 3,
            "routed_scale": 16,
            "vocab": 102400,
            "context": 163840,
            "rope_factor": 40,
        },
    },
    rank=26,
    family="Language",
)
