"""How large nodes are and where their ports lie: one measure for templates, the canvas and figures. No Qt."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import blocks
from blocks.spec import Port
from graph import expressions
from graph.document import GROUP, Node, Wire
from graph.judge import title_of
from graph.lettering import width
from graph.parameters import parameter_shapes
from graph.validate import group_ports

GRID = 4
HEADER = 36
ROW = 20
FIRST_ROW = 40
"""The middle of the first row, and with it of the second port."""
IDLE_STEP = 14
"""Between ports that may stay unwired and are."""
GATHERED_STEP = 10
"""Between the ports of a collapsed node, where there is room."""
BELOW_PORT = 14
FOOT = 20
"""From the middle of the last row to the bottom."""
NARROWEST, WIDEST = 88, 264
STRIPE, INSET_LEFT, INSET_RIGHT = 5, 16, 12
ICON, ICON_ROOM = 14, 18
"""The icon of the category before the title, and what it takes with its gap."""
TITLE_LEFT = INSET_LEFT + ICON_ROOM
TITLE_SIZE, TEXT_SIZE, COUNT_SIZE = 13, 12, 11
COUNT_ROOM = 60
"""What the parameter count beside the title takes, with its gap."""
OFF_ROOM = 36
"""What the word beside the title of a node that is switched off takes, with its gap."""
LINK_ROOM = 18
"""What the mark of shared weights beside the title takes, with its gap."""
PREVIEW = 40
"""The picture of the inside that a group shows below its title."""
PREVIEW_WIDTH = 152
FIGURES = 29.0
"""Every value has room for four figures, so that a node keeps its size when a small value changes or is not known."""
MOST_ROWS = 3
DOT_WIDTH, DOT_HEIGHT = 24, 20
"""What a dot on a wire takes: it is small, and one can still take hold of it and of both its ends."""
USUAL_TERMS = 2
"""An input that takes many wires shows at least so many places."""
MOST_KNOWN = 4096
"""So many boxes are remembered."""


@dataclass(frozen=True)
class Slot:
    """One place where a wire ends: a port, or one of the places of an input that takes many wires."""

    port: str
    order: int
    y: float


@dataclass(frozen=True)
class Box:
    """The size of a node and its slots, top to bottom, in canvas units from its top left corner.

    `rows` are the parameters below the title as (name, value) texts; the middle of row n is at
    `FIRST_ROW + n * ROW`. `preview` is the height of the picture of a group's inside, below the title. A dot on a wire
    has no more than its two ends.
    """

    width: float
    height: float
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    rows: tuple[tuple[str, str], ...]
    preview: float = 0.0
    is_dot: bool = False

    def input(self, port: str, order: int = 0) -> Slot | None:
        """The slot of an input."""
        return next((slot for slot in self.inputs if slot.port == port and slot.order == order), None)

    def output(self, port: str) -> Slot | None:
        """The slot of an output."""
        return next((slot for slot in self.outputs if slot.port == port), None)


DOT = Box(
    DOT_WIDTH, DOT_HEIGHT, (Slot("x", 0, DOT_HEIGHT / 2),), (Slot("y", 0, DOT_HEIGHT / 2),), (), is_dot=True
)  # fmt: skip


def measure(
    node: Node, wires: tuple[Wire, ...] = (), values: Mapping[str, Any] | None = None, *, linked: bool = False
) -> Box:
    """The box of a node.

    Args:
        node: what is drawn.
        wires: the wires into it; an input that takes many has one slot for each, and two at least.
        values: its parameters as a run would use them, where they are known.
        linked: whether others share its weights, which it may not know of itself.
    """
    values = values or {}
    if node.is_dot:
        return DOT
    if node.is_group:
        return _measure(node, wires, values, linked)
    written = (node.block, node.title, node.muted, node.collapsed, linked or bool(node.ties), str(dict(node.params)))
    key = (blocks.find(node.block), *written, str(dict(values)), *((wire.input, wire.order) for wire in wires))
    found = _known.get(key)
    if found is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        found = _known[key] = _measure(node, wires, values, linked)
    return found


_known: dict[Hashable, Box] = {}
"""What was measured, by all that a box hangs on."""


def _measure(node: Node, wires: tuple[Wire, ...], values: Mapping[str, Any], linked: bool) -> Box:
    rows = () if node.collapsed else shown_rows(node, values)
    inputs, outputs = _ports(node, values)
    slots: list[tuple[str, int, bool]] = []
    for name, port in inputs.items():
        orders = sorted({wire.order for wire in wires if wire.input == name}) if port.many else [0]
        while port.many and len(orders) < USUAL_TERMS:
            orders.append(max(orders, default=-1) + 1)
        idle = port.optional and not any(wire.input == name for wire in wires)
        slots.extend((name, order, idle) for order in orders)
    strays = dict.fromkeys((wire.input, wire.order) for wire in wires if wire.input not in inputs)
    slots.extend((name, order, False) for name, order in strays)
    if node.collapsed:
        heights, exits = _gathered([idle for _, _, idle in slots]), _gathered([False] * len(outputs))
    else:
        heights = _slot_heights([idle for _, _, idle in slots])
        exits = _slot_heights([False] * len(outputs))
    frame = INSET_LEFT + INSET_RIGHT
    room = COUNT_ROOM if node.is_group or _learns(node.block) else OFF_ROOM if node.muted else 0
    room += LINK_ROOM if linked or node.ties else 0
    needed = [width(heading(node, values), TITLE_SIZE, bold=True) + ICON_ROOM + frame + room]
    needed += [
        width(name, TEXT_SIZE) + 16 + max(FIGURES, width(text, TEXT_SIZE, mono=True)) + frame for name, text in rows
    ]
    preview = PREVIEW if node.is_group and not node.collapsed else 0
    if preview:
        needed.append(PREVIEW_WIDTH)
    height = HEADER if not rows else FIRST_ROW + (len(rows) - 1) * ROW + FOOT
    if preview:
        height = HEADER + preview + 12
    if not node.collapsed and (len(heights) > 1 or len(exits) > 1):
        height = max(height, heights[-1] + BELOW_PORT, exits[-1] + BELOW_PORT)
    return Box(
        min(WIDEST, -(-max(NARROWEST, *needed) // (2 * GRID)) * 2 * GRID),
        -(-height // GRID) * GRID,
        tuple(Slot(name, order, y) for (name, order, _), y in zip(slots, heights, strict=False)),
        tuple(Slot(name, 0, y) for name, y in zip(outputs, exits, strict=False)),
        rows,
        preview,
    )


def _slot_heights(idle: list[bool]) -> list[float]:
    """Where ports lie: the first beside the title, the others beside the rows; those that may stay idle closer."""
    heights = [HEADER / 2]
    for place, is_idle in enumerate(idle[1:]):
        heights.append(float(FIRST_ROW) if place == 0 else heights[-1] + (IDLE_STEP if is_idle else ROW))
    return heights


def _gathered(idle: list[bool]) -> list[float]:
    """Where the ports of a collapsed node lie: around the middle of its title, and below them what may stay unwired."""
    busy = idle.count(False)
    step = min(float(GATHERED_STEP), (HEADER - 18) / max(1, busy - 1))
    places = [HEADER / 2 + step * (place - (busy - 1) / 2) for place in range(busy)]
    low = places[-1] if places else 0.0
    rest = (HEADER - 5 - low) / max(1, len(idle) - busy)
    spare = [low + rest * (place + 1) for place in range(len(idle) - busy)]
    return [spare.pop(0) if is_idle else places.pop(0) for is_idle in idle]


def heading(node: Node, values: Mapping[str, Any] | None = None) -> str:
    """The first line of a node: its title, and how often a group runs."""
    title = title_of(node)
    if not node.is_group or node.repeat == 1:
        return title
    rounds = (values or {}).get("repeat", str(node.repeat).removeprefix("="))
    return f"{title} × {rounds}{' backwards' if node.backwards else ''}"


def shown_rows(node: Node, values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The two or three parameters that matter, as (name, value) texts."""
    block = blocks.find(node.block)
    if block is None or (block.role in ("group_input", "group_output") and node.title):
        return ()
    rows: list[tuple[str, str]] = []
    for param in block.params():
        if param.name not in block.shown[:MOST_ROWS]:
            continue
        value = values.get(param.name, node.params.get(param.name, param.default))
        if isinstance(value, Mapping):
            rows.append((param.name, spell_value(None)))
        elif expressions.is_expression(value):
            rows.append((param.name, value))
        elif value not in (None, ""):
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


@lru_cache(1024)
def _learns(name: str) -> bool:
    block = blocks.find(name)
    return block is not None and bool(parameter_shapes(block, {param.name: param.default for param in block.params()}))


def _ports(node: Node, values: Mapping[str, Any]) -> tuple[dict[str, Port], list[str]]:
    if node.block == GROUP and node.level is not None:
        inputs, outputs = group_ports(node.level)
        return {name: Port("...") for name in inputs}, list(outputs)
    block = blocks.find(node.block)
    if block is None:
        return {}, []
    inputs, outputs = block.ports({param.name: values.get(param.name, param.default) for param in block.params()})
    return inputs, list(outputs)
