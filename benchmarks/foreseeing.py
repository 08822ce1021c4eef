"""What the largest published model takes is known at once: DeepSeek-V2 is counted and estimated without a weight."""

from __future__ import annotations

from typing import Any

from benchmarks._timing import best
from graph import templates
from graph.estimate import count_parameters, estimate
from graph.passes import run_passes
from graph.plan import plan_document


def run() -> list[dict[str, Any]]:
    """From the drawing to the numbers."""
    template = templates.find("deepseek")
    document = template.build(template.presets["v2"])

    def foresee() -> None:
        plan = run_passes(plan_document(document))[0]
        count_parameters(plan)
        estimate(plan)

    shortest = best(foresee, rounds=5)
    return [{"what": "DeepSeek-V2 counted and estimated", "value": shortest, "unit": "ms", "goal": 1000}]
