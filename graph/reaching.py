"""Which nodes of a level reach an output, from nothing or from what was so before an edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from graph.bypass import passing
from graph.document import Level, Wire
from graph.issues import NodeReport

ENDS = ("output", "group_output")


def used_nodes(level: Level, reports: Mapping[str, NodeReport]) -> frozenset[str]:
    """The nodes that reach an output; one that is switched off reads only what it passes on."""
    stack = [id for id, report in reports.items() if report.block is not None and report.block.role in ENDS]
    used: set[str] = set(stack)
    while stack:
        id = stack.pop()
        wires = level.incoming(id)
        if level.nodes[id].muted:
            wires = tuple(wire for wire in wires if wire == passing(reports[id]))
        for wire in wires:
            if wire.source not in used:
                used.add(wire.source)
                stack.append(wire.source)
    return frozenset(used)


def follow_used(
    level: Level,
    reports: Mapping[str, NodeReport],
    order: Sequence[str],
    place: Mapping[str, int],
    before: frozenset[str],
    doubtful: Iterable[str],
) -> frozenset[str]:
    """The nodes that reach an output now.

    Args:
        level: what is drawn.
        reports: what is known of its nodes.
        order: the nodes in the order in which values flow.
        place: where each comes in that.
        before: those that reached an output before; ones that are gone may be among them.
        doubtful: those of which that may have changed at first hand.
    """
    queue = [-place[id] for id in set(doubtful) if id in place]
    left = len(place) // 8
    if len(queue) > left:
        return used_nodes(level, reports)
    heapify(queue)  # the nodes at the end first: whether those behind a node count is known before it is looked at
    waiting = set(queue)
    used = set(before)
    while queue:
        at = heappop(queue)
        waiting.discard(at)
        id = order[-at]
        if _counts(level, reports, used, id) == (id in used):
            continue
        left -= 1
        if left < 0:
            return used_nodes(level, reports)
        used ^= {id}
        for wire in level.incoming(id):
            if -place[wire.source] not in waiting:
                waiting.add(-place[wire.source])
                heappush(queue, -place[wire.source])
    used.intersection_update(place.keys())
    return before if used == before else frozenset(used)


def _counts(level: Level, reports: Mapping[str, NodeReport], used: set[str], id: str) -> bool:
    block = reports[id].block
    if block is not None and block.role in ENDS:
        return True
    return any(target in used and _reads(level, reports[target], id) for target in level.net.succ[id])


def _reads(level: Level, target: NodeReport, source: str) -> bool:
    if not level.nodes[target.node.id].muted:
        return True
    wire: Wire | None = passing(target)
    return wire is not None and wire.source == source
