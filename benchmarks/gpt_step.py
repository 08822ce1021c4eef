"""The compiled GPT's step time over that of a GPT written by hand, on the same weights and inputs, taken in turns."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks._timing import side_by_side
from graph import templates
from graph.compile import compile_plan
from graph.passes import run_passes
from graph.plan import plan_document

SIZES = {"dim": 384, "layers": 6, "num_heads": 6, "vocab": 4096, "context": 256}
BATCH = 2


def run() -> list[dict[str, Any]]:
    document = templates.find("gpt").build(SIZES)
    compiled = compile_plan(run_passes(plan_document(document))[0])
    written = GPT(SIZES["layers"], SIZES["dim"], SIZES["num_heads"], SIZES["vocab"], SIZES["context"]).eval()
    written.take(compiled.state_dict(), SIZES["layers"])
    tokens = torch.randint(SIZES["vocab"], (BATCH, SIZES["context"]), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        difference = (compiled(tokens) - written(tokens)).abs().max().item()
    if difference > 1e-3:
        raise AssertionError(f"the two models differ by {difference}")

    def inference(model: nn.Module) -> Any:
        with torch.no_grad():
            return model(tokens)

    def training(model: nn.Module) -> Any:
        logits = model(tokens)
        functional.cross_entropy(logits.flatten(0, 1), tokens.flatten()).backward()
        model.zero_grad()

    rows: list[dict[str, Any]] = []
    for name, step in (("forward pass", inference), ("forward and backward", training)):
        ours, theirs = side_by_side(lambda f=step: f(compiled), lambda f=step: f(written), rounds=25)
        what = f"{name}: compiled {ours:.1f} ms, by hand {theirs:.1f} ms"
        rows.append({"what": what, "value": ours / theirs, "unit": "×", "goal": 1.02, "difference": difference})
    return rows


class GPT(nn.Module):
    """GPT-2 as one would write it."""

    def __init__(self, layers: int, dim: int, heads: int, vocab: int, context: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Embedding(context, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: Tensor) -> Tensor:  # noqa: D102
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))

    def take(self, state: dict[str, Tensor], layers: int) -> None:
        """Copy the compiled model's weights."""
        names = {"tokens.weight": "token_embedding.weight", "norm.weight": "final_norm.weight"}
        names |= {"norm.bias": "final_norm.bias", "head.weight": "token_embedding.weight"}
        names["positions.weight"] = next(name for name in state if name.startswith("position."))
        inside = {"norm_1": "attn_norm", "norm_2": "mlp_norm", "q": "attn.q_proj", "k": "attn.k_proj"}
        inside |= {"v": "attn.v_proj", "out": "attn.o_proj"}
        for layer in range(layers):
            for ours, theirs in inside.items():
                for kind in ("weight", "bias"):
                    names[f"layers.{layer}.{ours}.{kind}"] = f"decoder.{layer}.{theirs}.{kind}"
            linear = [name for name in state if name.startswith(f"decoder.{layer}.mlp.") and name.endswith(".weight")]
            for ours, theirs in zip(("up", "down"), linear, strict=True):
                for kind in ("weight", "bias"):
                    names[f"layers.{layer}.{ours}.{kind}"] = f"{theirs.removesuffix('.weight')}.{kind}"
        self.load_state_dict({ours: state[theirs] for ours, theirs in names.items()})


class Layer(nn.Module):
    """Attention and a feed-forward, each behind a norm and beside a skip."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x: Tensor) -> Tensor:  # noqa: D102
        y = self.norm_1(x)
        q, k, v = (p(y).view(*y.shape[:2], self.heads, -1).transpose(1, 2) for p in (self.q, self.k, self.v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        return x + self.down(functional.gelu(self.up(self.norm_2(x)), approximate="tanh"))
