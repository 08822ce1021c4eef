"""How large nodes are and where their ports lie: one measure for templates, the canvas and figures. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import blocks
from graph import expressions
from graph.document import GROUP, Node, Wire
from graph.judge import title_of
from graph.validate import group_ports

GRID = 4
HEADER = 32
ROW = 20
BOTTOM = 8
NARROWEST, WIDEST = 128, 248
TITLE_ADVANCE = 7.4
SMALL_ADVANCE = 6.6
MOST_ROWS = 3


@dataclass(frozen=True)
class Slot:
    """One place where a wire ends: a port, or one of the places of an input that takes many wires."""

    port: str
    order: int
    y: float


@dataclass(frozen=True)
class Box:
    """The size of a node and its slots, top to bottom, in canvas units from its top left corner."""

    width: float
    height: float
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    rows: tuple[tuple[str, str], ...]

    def input(self, port: str, order: int = 0) -> Slot | None:
        """The slot of an input."""
        return next((slot for slot in self.inputs if slot.port == port and slot.order == order), None)

    def output(self, port: str) -> Slot | None:
        """The slot of an output."""
        return next((slot for slot in self.outputs if slot.port == port), None)


def measure(node: Node, wires: tuple[Wire, ...] = (), values: Mapping[str, Any] | None = None) -> Box:
    """The box of a node.

    Args:
        node: what is drawn.
        wires: the wires into it; an input that takes many has one slot for each and one more.
        values: its parameters as a run would use them, where they are known.
    """
    rows = shown_rows(node, values or {})
    inputs, outputs = _port_names(node)
    slots: list[tuple[str, int]] = []
    for name, many in inputs:
        orders = sorted({wire.order for wire in wires if wire.input == name}) if many else [0]
        slots.extend((name, order) for order in orders)
        if many:
            slots.append((name, max(orders, default=-1) + 1))
    known = {name for name, _ in inputs}
    slots.extend(dict.fromkeys((wire.input, wire.order) for wire in wires if wire.input not in known))
    title = title_of(node)
    needed = [len(title) * TITLE_ADVANCE + 72]
    needed += [(len(name) + len(text)) * SMALL_ADVANCE + 44 for name, text in rows]
    width = max(NARROWEST, *needed)
    most = max(len(slots), len(outputs), 1)
    height = max(HEADER + len(rows) * ROW + (BOTTOM if rows else 0), HEADER + (most - 1) * ROW)
    return Box(
        min(WIDEST, -(-width // (2 * GRID)) * 2 * GRID),
        height,
        tuple(Slot(name, order, HEADER / 2 + ROW * place) for place, (name, order) in enumerate(slots)),
        tuple(Slot(name, 0, HEADER / 2 + ROW * place) for place, name in enumerate(outputs)),
        rows,
    )


def shown_rows(node: Node, values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The two or three parameters that matter, as (name, value) texts."""
    block = blocks.find(node.block)
    if block is None:
        return ()
    rows: list[tuple[str, str]] = []
    for param in block.params():
        if param.name not in block.shown[:MOST_ROWS]:
            continue
        value = values.get(param.name, node.params.get(param.name, param.default))
        if isinstance(value, Mapping):
            rows.append((param.name, "from wire"))
        elif expressions.is_expression(value):
            rows.append((param.name, value))
        elif value is not None:
            rows.append((param.name, spell_value(value)))
    return tuple(rows)


def spell_value(value: Any) -> str:
    """A parameter's value as people read it: 50 257, yes, 1e-05."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u2009") if abs(value) >= 1000 else str(value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _port_names(node: Node) -> tuple[list[tuple[str, bool]], list[str]]:
    if node.block == GROUP and node.level is not None:
        inputs, outputs = group_ports(node.level)
        return [(name, False) for name in inputs], list(outputs)
    block = blocks.find(node.block)
    if block is None:
        return [], []
    return [(name, port.many) for name, port in block.inputs.items()], list(block.outputs)
