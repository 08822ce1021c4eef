"""The group of diffusion models that turns a time step into features: waves of many lengths, and two linear layers."""

from __future__ import annotations

from graph.templates.sketch import Sketch


def draw_time_embedding(inside: Sketch, waves: str, features: str, init_std: float | None = None) -> None:
    """Fill a group with port `t` in and port `time` out; Ho et al. 2020, arXiv 2006.11239.

    Args:
        inside: the group.
        waves: how many waves, as an expression.
        features: how many features come out, as an expression.
        init_std: spread of the starting weights.
    """
    inside.add("t", "GroupInput", title="Time step", port="t")
    inside.add("wave", "TimestepEmbedding", "t", dim=waves)
    inside.add("linear_1", "Linear", "wave", out_features=features, init_std=init_std)
    inside.add("act", "SiLU", "linear_1")
    inside.add("linear_2", "Linear", "act", out_features=features, init_std=init_std)
    inside.add("time", "GroupOutput", "linear_2", title="Time", port="time")
    inside.row(0, 0, "t", "wave", "linear_1", "act", "linear_2", "time")
