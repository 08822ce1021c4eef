from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import nearest_divisor
from blocks.functional import wide
from blocks.mixture.top_k_router import TopKRouter, router_conflicts, share_of_each
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Size
from blocks.transformer.swiglu import SwiGLU


class MixtureOfExperts(Block, category="Mixture of experts"):
    """Send each token through the few feed-forward networks that suit it best, out of many.

    y = Σᵢ gᵢ · Eᵢ(x) over the `top_k` experts that the router chooses, with weights g and
    E(x) = W_down (silu(W_gate x) · W_up x); (..., dim) → (..., dim). Parameters grow with `num_experts`, the work with
    `top_k` only: tokens are sorted by expert, and an expert sees none but its own.

    `shared_experts` see every token (with a sigmoid gate if `shared_gate`); `segments` cuts each expert into that many
    small ones and chooses as many more, which costs the same and mixes more freely. `capacity` bounds how many tokens
    an expert takes, as a multiple of an even share: what finds no room gives nothing, first choices go first, and
    `dropped` tells their share; empty, nothing is dropped.

    Add a small multiple of `balance_loss` to the loss, or a few experts will do all the work. Shazeer et al. 2017,
    arXiv 1701.06538; Fedus et al. 2021, arXiv 2101.03961; Dai et al. 2024 (DeepSeekMoE), arXiv 2401.06066.
    """

    synonyms = (
        "moe",
        "switch transformer",
        "sparse experts",
        "sparse",
        "deepseekmoe",
        "mixtral",
        "experts",
        "feed-forward",
        "router",
        "load balance",
    )
    equation = (
        r"y = \sum_{i \in T} g_i\,E_i(x) + S(x) \\"
        r"E_i(x) = W_{\mathrm{down}}^i\left(\mathrm{SiLU}(W_{\mathrm{gate}}^i\,x) \odot W_{\mathrm{up}}^i\,x\right) \\"
        r"T = \mathrm{TopK}(p,\; \mathrm{top\_k}), \quad S \;\text{shared}"
    )
    shown = ("num_experts", "top_k", "hidden")
    inputs = {"x": "... dim"}
    outputs = {
        "y": "... dim",
        "balance_loss": Port("", kind="number", doc="1 when all experts are used alike, else more"),
        "load": Port("experts", kind="number", doc="share of the choices that fell on each expert"),
        "dropped": Port("", kind="number", doc="share of the choices that found no room"),
    }

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        hidden: Annotated[int, Size("features inside each expert")] = 512,
        num_experts: Annotated[int, Size("experts to choose from")] = 8,
        top_k: Annotated[int, Size("experts that each token goes to")] = 2,
        shared_experts: Annotated[int, Size("experts that every token goes to", low=0)] = 0,
        shared_gate: Annotated[bool, Flag("weigh the shared experts token by token")] = False,
        segments: Annotated[int, Size("small experts that each expert is cut into")] = 1,
        capacity: Annotated[float | None, Number("even shares that an expert takes; empty: all", low=0.001)] = None,
        score: Annotated[str, Choice("what makes scores of the products", ("softmax", "sigmoid"))] = "softmax",
        normalize: Annotated[bool, Flag("make the weights of a token sum to 1")] = True,
        scale: Annotated[float, Number("what the weights are multiplied by", low=0.0)] = 1.0,
        groups: Annotated[int, Size("groups that the experts fall into")] = 1,
        top_groups: Annotated[int, Size("groups whose experts are looked at")] = 1,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        experts, hidden, top_k = num_experts * segments, hidden // segments, top_k * segments
        self.router = TopKRouter(
            dim=dim,
            num_experts=experts,
            top_k=top_k,
            score=score,
            normalize=normalize,
            scale=scale,
            groups=groups,
            top_groups=top_groups,
            init_std=init_std,
        )
        self.gate = nn.Parameter(torch.empty(experts, hidden, dim))
        self.up = nn.Parameter(torch.empty(experts, hidden, dim))
        self.down = nn.Parameter(torch.empty(experts, dim, hidden))
        shared = shared_experts * hidden
        self.shared = SwiGLU(dim=dim, hidden=shared, init_std=init_std) if shared_experts else None
        self.shared_gate = nn.Linear(dim, 1, bias=False) if shared_experts and shared_gate else None
        self.capacity = None if capacity is None else round(1000 * capacity)
        for weight in (self.gate, self.up, self.down):
            if init_std is None:
                nn.init.uniform_(weight, -(weight.shape[-1] ** -0.5), weight.shape[-1] ** -0.5)
            else:
                nn.init.normal_(weight, std=init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, and a number for each expert."""
        cls.unify(cls.inputs, shapes, params, need)
        return {
            "y": shapes["x"],
            "balance_loss": (),
            "load": (params["num_experts"] * params["segments"],),
            "dropped": (),
        }

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """There are enough experts, and each can be cut into its segments."""
        hidden, segments = params["hidden"], params["segments"]
        if hidden % segments:
            yield Conflict(
                "segments",
                f"{hidden} features inside do not fall into {segments} equal segments",
                "`segments` must divide `hidden`",
                {"segments": nearest_divisor(hidden, segments)},
            )
        yield from router_conflicts(
            {**params, "num_experts": params["num_experts"] * segments, "top_k": params["top_k"] * segments}
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        tokens = x.reshape(-1, x.shape[-1])
        weights, experts, balance_loss, load = self.router(tokens)
        # all first choices, then all second ones: where room is short, they find it in this order
        choices = experts.transpose(0, 1).flatten()
        token = torch.arange(tokens.shape[0], device=x.device).repeat(experts.shape[1])
        room = None
        if self.capacity is not None:
            even = 1000 * load.shape[0]
            room = (choices.shape[0] * self.capacity + even - 1) // even
        gates, ups, downs = self.gate.unbind(), self.up.unbind(), self.down.unbind()
        places: list[Tensor] = []
        results: list[Tensor] = []
        for expert, mine in places_of_each(choices, load.shape[0]):
            mine = mine[:room]
            part = tokens[token[mine]]
            inside = functional.silu(functional.linear(part, gates[expert])) * functional.linear(part, ups[expert])
            results.append(functional.linear(inside, downs[expert]))
            places.append(mine)
        y = tokens.new_zeros(choices.shape[0], tokens.shape[1]).index_copy(0, torch.cat(places), torch.cat(results))
        y = (y.view(experts.shape[1], -1, y.shape[-1]) * weights.transpose(0, 1).unsqueeze(-1)).sum(0)
        if self.shared is not None:
            every = self.shared(tokens)
            y = y + (every if self.shared_gate is None else self.shared_gate(tokens).sigmoid() * every)
        dropped = torch.zeros_like(balance_loss)
        if room is not None:
            over = share_of_each(choices, load.to(wide(x))) - room / choices.shape[0]
            dropped = over.clamp_min(0).sum().to(x.dtype)
        return y.reshape(x.shape), balance_loss, load, dropped


def places_of_each(choices: Tensor, experts: int) -> list[tuple[int, Tensor]]:
    """Experts that were chosen, each with the places in `choices` where it was, in order."""
    if torch.compiler.is_exporting():  # how many there are is not known then: a search for each can still be traced
        return [(expert, torch.where(choices == expert)[0]) for expert in range(experts)]
    if choices.is_meta or type(choices) is not Tensor:  # no numbers to look at: the work is the same if one does it all
        return [(0, torch.arange(choices.shape[0], device=choices.device))]
    order = choices.argsort(stable=True)
    counts = torch.bincount(choices, minlength=experts).tolist()
    return [(expert, mine) for expert, mine in enumerate(order.split(counts)) if mine.shape[0]]
