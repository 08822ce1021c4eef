"""Plan → torch.fx.GraphModule. Node ids are module names, so state_dict keys follow the drawing.

A group becomes a GraphModule of its own, a repeated one a ModuleList of them (or one that is called several times when
its weights are shared).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import fx, nn

from graph.plan import BlockStep, GroupStep, Plan, Value, seed_of


def compile_plan(
    plan: Plan, *, device: str | torch.device = "cpu", dtype: torch.dtype | None = None, allocate: bool = True
) -> fx.GraphModule:
    """The model of a plan, freshly initialised, in eval mode.

    `forward` takes the sources in order and returns the output, or a tuple of the outputs in order. Each module is
    initialised on the CPU in float32 under its own generator (graph.plan.seed_of), then cast and moved, so that adding
    a block never changes another's numbers.

    Args:
        plan: what to build.
        device: where the weights go.
        dtype: what floating-point weights become; None leaves float32.
        allocate: False builds on the current default device (meta, or fake tensors) without initialising.
    """
    model = _level(plan, plan.seed, (), allocate)
    tie_parameters(model, plan.ties)
    if allocate and (dtype is not None or torch.device(device) != torch.device("cpu")):
        model = model.to(device=device, dtype=dtype)
        tie_parameters(model, plan.ties)
    return model.eval()


def tie_parameters(model: nn.Module, ties: Mapping[str, str]) -> None:
    """Make the tensors of `ties` one: parameter path → the path whose tensor it is."""
    for name, target in ties.items():
        owner, _, attribute = name.rpartition(".")
        setattr(model.get_submodule(owner), attribute, model.get_parameter(target))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """The CPU's generator under a seed, put back afterwards."""
    state = torch.random.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.random.set_rng_state(state)


def _level(plan: Plan, seed: int, rounds: tuple[int, ...], allocate: bool) -> fx.GraphModule:
    root = nn.Module()
    graph = fx.Graph()
    values: dict[Value, fx.Node] = {}
    for entry in plan.entries:
        values[Value(entry.id, entry.port)] = graph.placeholder(entry.name)
    for step in plan.steps:
        args, kwargs = _call(step, values)
        if isinstance(step, BlockStep):
            root.add_module(step.id, _build(step, seed, rounds, allocate))
            result = graph.call_module(step.id, args, kwargs)
            _name_results(graph, result, [port for port, _ in step.outputs], step.id, values)
        else:
            _repeat(graph, root, step, args, kwargs, values, seed, rounds, allocate)
    results = tuple(values[exit.value] for exit in plan.exits)
    graph.output(results[0] if len(results) == 1 else results)
    graph.lint()
    model = fx.GraphModule(root, graph, class_name="Model" if not rounds else "Group")
    for name, child in root.named_children():  # fx rebuilds a ModuleList as a plain Module; keep ours
        model.add_module(name, child)
    return model


def _build(step: BlockStep, seed: int, rounds: tuple[int, ...], allocate: bool) -> nn.Module:
    if not allocate:
        return step.block(**step.params)
    with seeded(seed_of(seed, step.uids, rounds)):
        return step.block(**step.params)


def _call(step: BlockStep | GroupStep, values: Mapping[Value, fx.Node]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of a call: required inputs by position, optional ones by name, many wires one after another."""
    args: list[fx.Node] = []
    kwargs: dict[str, fx.Node] = {}
    optional = False
    declared = step.block.ports(step.params)[0] if isinstance(step, BlockStep) else {}
    for argument in step.arguments:
        nodes = [values[value] for value in argument.values]
        if argument.many:
            args.extend(nodes)
            continue
        port = declared.get(argument.port)
        optional = optional or (port is not None and port.optional)
        if isinstance(step, GroupStep) or optional:
            kwargs[argument.port] = nodes[0]
        else:
            args.append(nodes[0])
    return tuple(args), kwargs


def _name_results(
    graph: fx.Graph, result: fx.Node, ports: list[str], id: str, values: dict[Value, fx.Node]
) -> list[fx.Node]:
    if len(ports) == 1:
        values[Value(id, ports[0])] = result
        return [result]
    nodes: list[fx.Node] = []
    for index, port in enumerate(ports):
        node = graph.call_function(operator.getitem, (result, index))
        values[Value(id, port)] = node
        nodes.append(node)
    return nodes


def _repeat(
    graph: fx.Graph,
    root: nn.Module,
    step: GroupStep,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    values: dict[Value, fx.Node],
    seed: int,
    rounds: tuple[int, ...],
    allocate: bool,
) -> None:
    count = 1 if step.shared else step.repeat
    built = [_level(step.round(index), seed, (*rounds, index), allocate) for index in range(count)]
    as_list = step.repeated and not step.shared
    root.add_module(step.id, nn.ModuleList(built) if as_list else built[0])
    exits = step.round(0).exits
    gathered: dict[str, list[fx.Node]] = {exit.name: [] for exit in exits}
    for index in step.turns:
        wanted = {entry.name for entry in step.round(index).entries}
        given = {name: node for name, node in kwargs.items() if name in wanted}
        result = graph.call_module(f"{step.id}.{index}" if as_list else step.id, args, given)
        nodes = [result]
        if len(exits) > 1:
            nodes = [graph.call_function(operator.getitem, (result, place)) for place in range(len(exits))]
        for exit, node in zip(exits, nodes, strict=True):
            gathered[exit.name].append(node)
            if exit.rounds == "carry":
                kwargs = {**kwargs, exit.name: node}
    for exit in exits:
        values[Value(step.id, exit.name)] = _gather(
            graph, exit.rounds if step.repeat > 1 else "last", gathered[exit.name]
        )


def _gather(graph: fx.Graph, rule: str, nodes: list[fx.Node]) -> fx.Node:
    if rule == "stack":
        return graph.call_function(torch.stack, (nodes,))
    if rule == "sum":
        add: Callable[..., Any] = operator.add
        total = nodes[0]
        for node in nodes[1:]:
            total = graph.call_function(add, (total, node))
        return total
    return nodes[-1]
