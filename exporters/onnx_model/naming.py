"""Call everything in an ONNX graph as the drawing calls it, and keep out what tells of the machine it was made on."""

from __future__ import annotations

import ast
import importlib.metadata
import re
from collections import Counter
from typing import TYPE_CHECKING

import onnx_ir as ir

from blocks.dimensions import simplify
from graph.places import GroupPlace, Place, all_places
from graph.weights import tensors_of

if TYPE_CHECKING:
    from torch import nn

    from graph.plan import Plan

SCOPES = "pkg.torch.onnx.name_scopes"
BLOCK = "blockwright.block"


def name_after_drawing(
    model: ir.Model, plan: Plan, module: nn.Module, symbols: dict[str, tuple[str, int, int]]
) -> None:
    """Name nodes, values, axes and weights.

    Nodes are called "decoder.3/attn/Attention" and say in their metadata which block they belong to, weights as in
    the state_dict, inputs and outputs like their nodes, and axes as in the drawing.
    """
    _separate_results(model)
    _name_weights(model, module)
    _name_nodes(model, plan)
    _name_values(model, plan, module)
    _name_axes(model, plan, symbols)
    version = _version()
    model.producer_name, model.producer_version = "blockwright", version
    model.graph.name = plan.title or "model"
    model.doc_string = plan.title
    model.graph.doc_string = ""
    for properties in (model.metadata_props, model.graph.metadata_props):
        properties.clear()
    model.metadata_props.update({"blockwright.version": version, "blockwright.title": plan.title})


def block_of(node: ir.Node) -> str:
    """The address of the block that a node belongs to, or "" for what belongs to none."""
    return node.metadata_props.get(BLOCK, "")


def _version() -> str:
    try:
        return importlib.metadata.version("blockwright")
    except importlib.metadata.PackageNotFoundError:  # run from a folder that was never installed
        return "0"


def _separate_results(model: ir.Model) -> None:
    """Give each output a value of its own, where it is an input, a weight or another output as well."""
    graph = model.graph
    seen: set[ir.Value] = set()
    for place, value in enumerate(graph.outputs):
        if value in seen or value.is_graph_input() or value.is_initializer():
            node = ir.node("Identity", [value], num_outputs=1)
            node.outputs[0].type = value.type
            graph.append(node)
            graph.outputs[place] = value = node.outputs[0]
        seen.add(value)


def _name_weights(model: ir.Model, module: nn.Module) -> None:
    """A tensor with several names has its first, as in a file of weights."""
    _, aliases = tensors_of(module)
    initializers = model.graph.initializers
    for name in [name for name in initializers if name in aliases]:
        value = initializers.pop(name)
        value.name = aliases[name]
        initializers.add(value)


def _name_nodes(model: ir.Model, plan: Plan) -> None:
    known: dict[str, Place | GroupPlace] = {}
    calls = Counter(place.module for place in all_places(plan))
    for place in all_places(plan):
        known.setdefault(place.module, place)
    used: Counter[str] = Counter()
    for node in model.graph:
        place = _place(node, known)
        address = "" if place is None else place.plain if calls[place.module] > 1 else place.address
        base = f"{address}/{node.op_type}" if address else node.op_type
        used[base] += 1
        node.name = base if used[base] == 1 else f"{base}_{used[base]}"
        node.doc_string = place.step.title if place else None
        node.metadata_props.clear()
        if address:
            node.metadata_props[BLOCK] = address


def _place(node: ir.Node, known: dict[str, Place | GroupPlace]) -> Place | GroupPlace | None:
    """The innermost block, else group, in whose module the node was made."""
    text = node.metadata_props.get(SCOPES)
    if not text:
        return None
    for scope in reversed(ast.literal_eval(text)):
        path = re.sub(r"@\d+", "", scope)
        while path:
            if path in known:
                return known[path]
            path = path.rpartition(".")[0]
    return None


def _name_values(model: ir.Model, plan: Plan, module: nn.Module) -> None:
    """Values are called like the node they come from, constants like the node that reads them first."""
    graph = model.graph
    for node in graph:
        for place, value in enumerate(node.outputs):
            value.metadata_props.clear()
            value.doc_string = None
            if not value.is_graph_output():
                value.name = f"{node.name}:{place}" if len(node.outputs) > 1 else f"{node.name}:out"
    keys = set(module.state_dict())
    used: Counter[str] = Counter()
    for name in [name for name in graph.initializers if name not in keys]:
        value = graph.initializers.pop(name)
        reader = next((usage.node for usage in value.uses()), None)
        base = f"{reader.name if reader else 'unread'}:constant"
        used[base] += 1
        value.name = base if used[base] == 1 else f"{base}_{used[base]}"
        graph.initializers.add(value)
    for value, declared in zip((*graph.inputs, *graph.outputs), (*plan.entries, *plan.exits), strict=True):
        value.name = declared.name
    for value in (*graph.inputs, *graph.initializers.values()):
        value.metadata_props.clear()
        value.doc_string = None


def _name_axes(model: ir.Model, plan: Plan, symbols: dict[str, tuple[str, int, int]]) -> None:
    """Inputs and outputs get the sizes of the drawing, values between them the tracer's in the drawing's words."""
    graph = model.graph
    remainders = plan.remainders
    for value, declared in zip((*graph.inputs, *graph.outputs), (*plan.entries, *plan.exits), strict=True):
        sizes = [simplify(size, remainders) for size in declared.signal.shape]
        value.shape = ir.Shape([size if isinstance(size, int) else str(size) for size in sizes])
    for node in graph:
        for value in node.outputs:
            if value.shape is not None and not value.is_graph_output():
                value.shape = ir.Shape([_spelled(size, symbols) for size in value.shape])


def _spelled(size: int | ir.SymbolicDim, symbols: dict[str, tuple[str, int, int]]) -> int | str | None:
    if isinstance(size, int) or size.value is None:
        return size if isinstance(size, int) else None
    text = str(size.value)
    for symbol, (axis, times, more) in symbols.items():
        if times > 1:
            text = re.sub(rf"\b{times}\*{symbol}\b" + (rf" \+ {more}\b" if more else ""), axis, text)
            text = re.sub(rf"\b{symbol}\b", f"({axis}//{times})", text)
        else:
            text = re.sub(rf"\b{symbol}\b", axis, text)
    return None if re.search(r"\b[su]\d+\b", text) else text
