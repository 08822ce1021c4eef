"""What a node or the whole drawing costs: parameters, operations, memory. From the engine's estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app import numbers
from app.widgets.figures import Figure
from blocks.spec import Block
from graph.document import Path
from graph.issues import NodeReport

WIDTHS = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}


def node_figures(path: Path, report: NodeReport, data: Mapping[str, Any], variables: Mapping[str, Any]) -> list[Figure]:
    """The costs of one node, or of all that is in a group."""
    address = "/".join(path)
    found = [node for node in data["nodes"] if node["address"] == address or node["address"].startswith(f"{address}/")]
    if not found:
        return []
    rounds = max(1, min(int(node.get("rounds", 1)) for node in found))
    parameters = sum(node["parameters"] for node in found)
    flops = sum(node["flops"] for node in found)
    size = " × ".join(str(value) for value in data["sizes"].values())
    each = "" if rounds == 1 else f"{numbers.exact(parameters)} in all {rounds} rounds"
    figures = [
        Figure("parameters", numbers.count(parameters / rounds), each or numbers.exact(parameters)),
        Figure(
            f"FLOPs at {size}",
            numbers.operations(flops / rounds),
            f"{numbers.exact(flops / rounds)} operations; one multiply-add counts as two",
        ),
    ]
    if rounds > 1:
        figures.append(Figure(f"FLOPs, all {rounds} rounds", numbers.operations(flops), numbers.exact(flops)))
    held = sum(node["activations"] for node in found) / rounds
    figures.append(Figure("its result", numbers.size(held), f"{numbers.exact(held)} bytes"))
    if report.block is not None and report.state == "ok":
        figures += _attention_figures(address, report.block, report, data, variables, rounds)
    return figures


def whole_figures(data: Mapping[str, Any]) -> list[Figure]:
    """The costs of the whole drawing."""
    unique, used = data["parameters_unique"], data["parameters"]
    size = " × ".join(str(value) for value in data["sizes"].values())
    shared = "" if used == unique else f"; {numbers.exact(used)} with shared ones counted at each use"
    memory = data["memory"]
    figures = [
        Figure("parameters", numbers.count(unique), f"{numbers.exact(unique)}{shared}"),
        Figure(f"FLOPs at {size}", numbers.operations(data["flops"]), numbers.exact(data["flops"])),
        Figure("memory to run", numbers.size(memory["peak"]), f"{numbers.exact(memory['peak'])} bytes at the peak"),
    ]
    if memory.get("kv_cache"):
        figures.append(Figure("KV cache", numbers.size(memory["kv_cache"]), "keys and values kept while decoding"))
    return figures


def _attention_figures(
    address: str,
    block: type[Block],
    report: NodeReport,
    data: Mapping[str, Any],
    variables: Mapping[str, Any],
    rounds: int,
) -> list[Figure]:
    """What attention keeps while decoding, and what it would build if it were not fused."""
    figures: list[Figure] = []
    width = WIDTHS.get(str(data.get("dtype", "float32")), 4)
    cached = sum(block.cached_values(report.params).values())
    if cached:
        context = variables.get("context")
        tokens = context if isinstance(context, int) and not isinstance(context, bool) else data["sizes"].get("seq", 1)
        amount = cached * tokens * width * rounds
        figures.append(
            Figure(
                f"KV cache, {numbers.exact(tokens)} tokens",
                numbers.size(amount),
                f"{numbers.exact(amount)} bytes for one sample, all rounds together",
            )
        )
    hint = "heads × queries × keys; the fused kernel never holds it"
    for entry in data["attention"]["nodes"]:
        if entry["address"] == address:
            part = f" of {entry['part']}" if entry["part"] else ""
            size = numbers.size(entry["scores"]["bytes"])
            figures.append(Figure(f"score matrix{part}, if it were built", size, hint))
    return figures
