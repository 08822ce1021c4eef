"""A small picture of a drawing: its boxes and wires, to scale, with the inside of a repeated group below."""

from __future__ import annotations

from collections.abc import Mapping

import blocks
from app.catalogue import Preview
from graph.document import Document, Level, Node
from graph.layout import Box, measure

GAP = 60.0
MOST_INSIDE = 24

Rectangle = tuple[float, float, float, float, str]
Line = tuple[float, float, float, float]


def preview(document: Document) -> Preview:
    """The picture of a document."""
    boxes, wires = _level(document.top)
    inner = _telling(document.top)
    if inner is not None and boxes:
        inside, inner_wires = _level(inner)
        width = max(box[0] + box[2] for box in boxes) - min(box[0] for box in boxes)
        inner_width = max(box[0] + box[2] for box in inside) - min(box[0] for box in inside)
        left = min(box[0] for box in boxes) + (width - inner_width) / 2 - min(box[0] for box in inside)
        top = max(box[1] + box[3] for box in boxes) + GAP - min(box[1] for box in inside)
        boxes += [(x + left, y + top, w, h, category) for x, y, w, h, category in inside]
        wires += [(x + left, y + top, u + left, v + top) for x, y, u, v in inner_wires]
    return Preview(tuple(boxes), tuple(wires))


def _telling(level: Level) -> Level | None:
    """The inside of the repeated group, without which the picture of a long row would say little."""
    repeated = [node.level for node in level.nodes.values() if node.level is not None and node.repeat != 1]
    if len(repeated) == 1 and len(repeated[0].nodes) <= MOST_INSIDE:
        return repeated[0]
    return None


def _level(level: Level) -> tuple[list[Rectangle], list[Line]]:
    measured: Mapping[str, Box] = {id: measure(node, level.incoming(id)) for id, node in level.nodes.items()}
    boxes = [
        (*node.position, measured[id].width, measured[id].height, _category(node)) for id, node in level.nodes.items()
    ]
    wires: list[Line] = []
    for wire in level.wires():
        source, target = level.nodes[wire.source], level.nodes[wire.target]
        start = measured[wire.source].output(wire.output)
        end = measured[wire.target].input(wire.input, wire.order)
        if start and end:
            x = source.position[0] + measured[wire.source].width
            wires.append((x, source.position[1] + start.y, target.position[0], target.position[1] + end.y))
    return boxes, wires


def _category(node: Node) -> str:
    block = blocks.find(node.block)
    return block.category if block is not None else "Structure"
