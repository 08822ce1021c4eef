"""Where the inside of a group lies when it takes the group's place, and what gives way to it."""

from __future__ import annotations

from collections.abc import Mapping

from graph.document import Level, Node
from graph.layout import Box, measure

AIR_RIGHT, AIR_BELOW, MARGIN = 56.0, 40.0, 12.0

Point = tuple[float, float]
Area = tuple[float, float, float, float]


def unfolded(level: Level, group: Node, inner: Mapping[str, Node]) -> tuple[dict[str, Point], dict[str, Point]]:
    """The places of what was inside, in its own order, and of the nodes that are pushed aside.

    What was grouped and has not moved lies where it was. Where that would cover others, the inside begins at the
    group's corner, and what lies to the right of the group, or below it, moves on.
    """
    if not inner:
        return {}, {}
    left, right = min(n.position[0] for n in inner.values()), max(n.position[0] for n in inner.values())
    top = min(n.position[1] for n in inner.values())
    others = {id: node for id, node in level.nodes.items() if id != group.id}
    x, y = group.position
    boxes = {id: measure(node) for id, node in inner.items()}
    for start in (x - (right - left) / 2, x):
        places = {id: (start + n.position[0] - left, y + n.position[1] - top) for id, n in inner.items()}
        area = _around(places, boxes)
        covered = [id for id, node in others.items() if _touch(_area(node), area)]
        if not covered:
            return places, {}
    box = measure(group)
    moved: dict[str, Point] = {}
    beside = {id: node for id, node in others.items() if node.position[0] >= x + box.width}
    hit = [others[id].position[0] for id in covered if id in beside]
    if hit:
        step = area[2] + AIR_RIGHT - min(hit)
        moved |= {id: (others[id].position[0] + step, others[id].position[1]) for id in beside}
    below = {id: n for id, n in others.items() if id not in beside and n.position[1] >= y + box.height}
    hit = [others[id].position[1] for id in covered if id in below]
    if hit:
        step = area[3] + AIR_BELOW - min(hit)
        moved |= {id: (others[id].position[0], others[id].position[1] + step) for id in below}
    return places, moved


def _area(node: Node) -> Area:
    box = measure(node)
    x, y = node.position
    return x, y, x + box.width, y + box.height


def _around(places: Mapping[str, Point], boxes: Mapping[str, Box]) -> Area:
    areas = [(x, y, x + boxes[id].width, y + boxes[id].height) for id, (x, y) in places.items()]
    return min(a[0] for a in areas), min(a[1] for a in areas), max(a[2] for a in areas), max(a[3] for a in areas)


def _touch(one: Area, other: Area) -> bool:
    return (
        one[0] < other[2] + MARGIN and other[0] < one[2] + MARGIN
        and one[1] < other[3] + MARGIN and other[1] < one[3] + MARGIN
    )  # fmt: skip
