from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import nearest_divisor
from blocks.functional import wide
from blocks.shapes import Params
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Size


class TopKRouter(Block, category="Mixture of experts"):
    """Choose for each token the few experts that suit it best, and how much each of them counts.

    p = softmax(W x), or σ(W x) with score `sigmoid`; the `top_k` experts with the largest p are taken, their p are the
    weights, divided by their sum when `normalize` is set, times `scale`; (..., dim) → weights and numbers of experts,
    both (..., top_k). With `groups` only experts of the `top_groups` groups whose best expert is best are looked at,
    which keeps a token's experts on few machines.

    `load` is the share of all choices that fell on each expert, and `balance_loss` = num_experts · Σᵢ loadᵢ · mean(pᵢ):
    1 when all are used alike, more when few do the work. Add a small multiple of it to the loss. Shazeer et al. 2017,
    arXiv 1701.06538; Fedus et al. 2021, arXiv 2101.03961; for groups DeepSeek-AI 2024, arXiv 2405.04434.
    """

    title = "Top-k router"
    synonyms = (
        "router",
        "gating network",
        "moe",
        "gating",
        "expert choice",
        "switch",
        "load balance",
        "routing",
        "gate",
    )
    equation = (
        r"p = \mathrm{softmax}(W x) \;\text{or}\; \sigma(W x), \quad T = \mathrm{TopK}(p,\; \mathrm{top\_k}) \\"
        r"g_i = \mathrm{scale} \cdot \frac{p_i}{\sum_{j \in T} p_j}, \quad i \in T \\"
        r"\mathrm{balance\_loss} = E \sum_i \mathrm{load}_i\,\bar{p}_i, \quad E = \mathrm{num\_experts}"
    )
    shown = ("num_experts", "top_k", "score")
    inputs = {"x": "... dim"}
    outputs = {
        "weights": Port("... top_k", kind="features", doc="how much each chosen expert counts, the best first"),
        "experts": Port(
            "... top_k", kind="number", dtype="integer", below="num_experts", doc="the numbers of the chosen experts"
        ),
        "balance_loss": Port("", kind="number", doc="1 when all experts are used alike, else more"),
        "load": Port("num_experts", kind="number", doc="share of the choices that fell on each expert"),
    }

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        num_experts: Annotated[int, Size("experts to choose from")] = 8,
        top_k: Annotated[int, Size("experts that each token goes to")] = 2,
        score: Annotated[str, Choice("what makes scores of the products", ("softmax", "sigmoid"))] = "softmax",
        normalize: Annotated[bool, Flag("make the weights of a token sum to 1")] = True,
        scale: Annotated[float, Number("what the weights are multiplied by", low=0.0)] = 1.0,
        groups: Annotated[int, Size("groups that the experts fall into")] = 1,
        top_groups: Annotated[int, Size("groups whose experts are looked at")] = 1,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(num_experts, dim))
        self.top_k = top_k
        self.score = score
        self.normalize = normalize
        self.scale = scale
        self.groups = groups
        self.top_groups = top_groups
        if init_std is None:
            nn.init.uniform_(self.weight, -(dim**-0.5), dim**-0.5)
        else:
            nn.init.normal_(self.weight, std=init_std)

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """There are enough experts to choose from."""
        return router_conflicts(params)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        products = functional.linear(x, self.weight).to(wide(x))
        scores = products.sigmoid() if self.score == "sigmoid" else products.softmax(-1)
        open_scores = scores
        if self.groups > 1:
            best = scores.unflatten(-1, (self.groups, -1)).amax(-1)
            chosen = torch.zeros_like(best).scatter(-1, best.topk(self.top_groups, -1).indices, 1.0)
            closed = chosen.repeat_interleave(scores.shape[-1] // self.groups, -1) == 0
            open_scores = scores.masked_fill(closed, -1.0)
        weights, experts = open_scores.topk(self.top_k, -1)
        if self.normalize:
            weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-20)
        load = share_of_each(experts, scores)
        shares = scores / scores.sum(-1, keepdim=True) if self.score == "sigmoid" else scores
        loss = load.numel() * (load * shares.reshape(-1, load.numel()).mean(0)).sum()
        return (weights * self.scale).to(x.dtype), experts, loss.to(x.dtype), load.to(x.dtype)


def share_of_each(choices: Tensor, scores: Tensor) -> Tensor:
    """The share of choices that fell on each expert; `scores` has one number for each along its last axis."""
    ones = scores.new_ones(choices.numel())
    counts = scores.new_zeros(scores.shape[-1]).index_add(0, choices.flatten(), ones)
    return counts / choices.numel()


def router_conflicts(params: Params) -> Iterator[Conflict]:
    """What keeps num_experts, top_k, groups and top_groups from fitting together."""
    experts, top_k, groups, top_groups = (params[name] for name in ("num_experts", "top_k", "groups", "top_groups"))
    if experts % groups:
        yield Conflict(
            "groups",
            f"{experts} experts do not fall into {groups} equal groups",
            "`groups` must divide `num_experts`",
            {"groups": nearest_divisor(experts, groups)},
        )
    elif top_groups > groups:
        yield Conflict(
            "top_groups",
            f"{top_groups} groups are to be looked at",
            f"there are {groups}: `top_groups` must not be larger than `groups`",
            {"top_groups": groups},
        )
    elif top_k > (choice := experts // groups * top_groups):
        yield Conflict(
            "top_k",
            f"each token goes to {top_k} experts",
            f"it can choose from {choice}: `top_k` must not be larger",
            {"top_k": choice},
        )
