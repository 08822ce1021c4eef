from __future__ import annotations

import math

import numpy as np
from cases.call import Call
from cases.drawing import AXES, flags, small
from cases.numbers import sigmoid, silu, softmax
from hypothesis import strategies as st


def routed(p, weight, x):
    """One token at a time: its scores, the experts it takes and how much they count."""
    score = {"softmax": softmax, "sigmoid": sigmoid}[p["score"]]
    weights, experts, shares = [], [], []
    for token in x.reshape(-1, x.shape[-1]):
        scores = score(weight @ token)
        size = len(scores) // p["groups"]
        best = [scores[group * size : (group + 1) * size].max() for group in range(p["groups"])]
        kept = sorted(range(p["groups"]), key=lambda group: -best[group])[: p["top_groups"]]
        eligible = [expert for expert in range(len(scores)) if expert // size in kept]
        chosen = sorted(eligible, key=lambda expert: -scores[expert])[: p["top_k"]]
        taken = scores[chosen]
        weights.append(p["scale"] * (taken / taken.sum() if p["normalize"] else taken))
        experts.append(chosen)
        shares.append(scores / scores.sum())
    load = np.bincount(np.concatenate(experts), minlength=len(weight)) / (len(experts) * p["top_k"])
    loss = len(weight) * sum(used * share for used, share in zip(load, np.mean(shares, 0), strict=True))
    return np.array(weights), np.array(experts), loss, load


def router(p, s, x):
    weights, experts, loss, load = routed(p, s["weight"], x)
    shape = (*x.shape[:-1], p["top_k"])
    return weights.reshape(shape), experts.reshape(shape), loss, load


def feed_forward(x, gate, up, down):
    return down @ (silu(gate @ x) * (up @ x))


def mixture(p, s, x):
    """Each choice of each token by itself; an expert that is full turns later choices away."""
    segments = p["segments"]
    cut = p | {"top_k": p["top_k"] * segments}
    weights, experts, loss, load = routed(cut, s["router.weight"], x)
    tokens = x.reshape(-1, x.shape[-1])
    room = math.inf
    if p["capacity"] is not None:
        room = math.ceil(round(p["capacity"], 3) * experts.size / (p["num_experts"] * segments) - 1e-9)
    taken, dropped = dict.fromkeys(range(len(load)), 0), 0
    y = np.zeros_like(tokens)
    for rank in range(experts.shape[1]):
        for place, token in enumerate(tokens):
            expert = experts[place, rank]
            if taken[expert] >= room:
                dropped += 1
                continue
            taken[expert] += 1
            own = (s[name][expert] for name in ("gate", "up", "down"))
            y[place] += weights[place, rank] * feed_forward(token, *own)
    if p["shared_experts"]:
        shared = [s[f"shared.{name}.weight"] for name in ("gate", "up", "down")]
        for place, token in enumerate(tokens):
            gate = sigmoid(s["shared_gate.weight"][0] @ token) if p["shared_gate"] else 1.0
            y[place] += gate * feed_forward(token, *shared)
    return y.reshape(x.shape), loss, load, np.array(dropped / experts.size)


x = {"x": "batch seq 6"}
base = {"dim": 6, "num_experts": 5, "top_k": 2}
grouped = {"dim": 6, "num_experts": 12, "groups": 4, "top_groups": 2, "top_k": 3}
CALLS = [
    Call("TopKRouter", x, base),
    Call("TopKRouter", {"x": "batch 6"}, base | {"score": "sigmoid", "scale": 2.5}),
    Call("TopKRouter", x, grouped | {"normalize": False}),
    Call("TopKRouter", x, base | {"top_k": 1, "init_std": 0.02}),
    Call("MixtureOfExperts", x, base | {"hidden": 7}),
    Call("MixtureOfExperts", x, base | {"hidden": 7, "shared_experts": 2, "shared_gate": True, "capacity": 0.7}),
    Call("MixtureOfExperts", {"x": "batch 6"}, grouped | {"hidden": 5, "shared_experts": 1, "normalize": False}),
    Call("MixtureOfExperts", x, base | {"hidden": 9, "segments": 3, "score": "sigmoid", "scale": 1.5}),
    Call("MixtureOfExperts", x, base | {"hidden": 4, "top_k": 5, "capacity": 1.25, "init_std": 0.2}),
]

REFERENCES = {"TopKRouter": router, "MixtureOfExperts": mixture}


@st.composite
def mixtures(draw, block):
    dim, groups, size = draw(small), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    top_groups = draw(st.integers(1, groups))
    given = {
        "dim": dim,
        "num_experts": groups * size,
        "groups": groups,
        "top_groups": top_groups,
        "top_k": draw(st.integers(1, size * top_groups)),
        "score": draw(st.sampled_from(["softmax", "sigmoid"])),
    }
    if block == "MixtureOfExperts":
        segments = draw(st.integers(1, 2))
        given |= {
            "segments": segments,
            "hidden": segments * draw(small),
            "shared_experts": draw(st.integers(0, 2)),
            "shared_gate": draw(flags),
            "capacity": draw(st.sampled_from([None, 0.5, 1.0, 1.5])),
        }
    return given, {"x": " ".join((*AXES[: draw(st.integers(0, 3))], str(dim)))}


STRATEGIES = {block: mixtures(block) for block in REFERENCES}
