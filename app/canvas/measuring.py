"""Nodes as boxes with ports at places of the canvas. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from graph.document import Node, Wire
from graph.issues import NodeReport
from graph.layout import Box, measure


@dataclass(frozen=True, slots=True)
class PortPlace:
    """A port on the canvas: whose, which, and where."""

    node: str
    port: str
    order: int
    is_input: bool
    x: float
    y: float


def measured(node: Node, wires: tuple[Wire, ...], report: NodeReport | None, linked: bool = False) -> Box:
    """The measure of a node, remembered with its report, which an undo brings back; `linked` as in `measure`."""
    if linked or report is None or node.is_group or report.node is not node or report.wires != wires:
        return measure(node, wires, report.params if report is not None else None, linked=linked)
    found = _boxes.get(report)
    if found is None:
        found = _boxes[report] = measure(node, wires, report.params)
    return found


_boxes: WeakKeyDictionary[NodeReport, Box] = WeakKeyDictionary()


def port_places(id: str, box: Box, x: float, y: float, *, is_turned: bool = False) -> list[PortPlace]:
    """The ports of a node whose corner lies at a point, inputs first; these are on the right of a turned dot."""
    left, right = (x + box.width, x) if is_turned else (x, x + box.width)
    places = [PortPlace(id, slot.port, slot.order, True, left, y + slot.y) for slot in box.inputs]
    return places + [PortPlace(id, slot.port, slot.order, False, right, y + slot.y) for slot in box.outputs]


def same_slots(left: Box, right: Box) -> bool:
    """Whether two boxes have their ports at the same places of the same names."""
    return left is right or (left.inputs == right.inputs and left.outputs == right.outputs)
