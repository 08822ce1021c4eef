"""A pen for templates: nodes, wires by name, groups within groups, and rows of nodes side by side."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import blocks
from graph.commands import AddNode, Connect, Move
from graph.document import FROM_WIRE, GROUP, Document, Level, Node, Path, Tie, Wire
from graph.judge import title_of
from graph.layout import GRID, measure
from graph.validate import group_ports

GAP = 48
"""Between neighbours in a row."""
ROOM = 168
"""Between neighbours whose wire has room for its shape."""


class Sketch:
    """One level of a document that is being drawn."""

    def __init__(self, document: Document, at: Path = ()) -> None:
        self.document = document
        self._at = at
        self._orders: dict[str, int] = {}

    def add(
        self,
        id: str,
        block: str,
        *after: str,
        title: str = "",
        ties: dict[str, Tie] | None = None,
        sample: dict[str, Any] | None = None,
        **params: Any,
    ) -> str:
        """Draw a block and wire its inputs, in order, to the nodes named in `after` ("node" or "node.port").

        Returns its id.
        """
        cls = blocks.find(block)
        assert cls is not None, block
        given = {param.name: FROM_WIRE for param in cls.params() if param.from_wire}
        order = self._order(cls.role) if cls.role != "module" else 0
        node = Node(
            id, block, MappingProxyType({**given, **params}), title,
            ties=MappingProxyType(ties or {}), sample=MappingProxyType(sample or {}), order=order,
        )  # fmt: skip
        AddNode(self._at, node).apply(self.document)
        ports = [(name, port.many) for name, port in cls.inputs.items()]
        for place, source in enumerate(after):
            many = bool(ports) and ports[0][1]
            self.wire(source, f"{id}.{ports[0][0] if many else ports[place][0]}", place if many else 0)
        return id

    def group(
        self, id: str, title: str, *, repeat: int | str = 1, shared: bool = False, backwards: bool = False
    ) -> Sketch:
        """Draw a group and return the pen for its inside; wire it with `wire` once its ports are drawn."""
        node = Node(id, GROUP, title=title, level=Level(), repeat=repeat, shared=shared, backwards=backwards)
        AddNode(self._at, node).apply(self.document)
        return Sketch(self.document, (*self._at, id))

    def wire(self, source: str, target: str, order: int = 0) -> None:
        """Wire "node" or "node.port" to "node" or "node.port"; without a port it is the first one."""
        level = self.document.level(self._at)
        start, _, output = source.partition(".")
        end, _, input = target.partition(".")
        output = output or self._ports(level.node(start))[1]
        input = input or self._ports(level.node(end))[0]
        Connect(self._at, Wire(start, output, end, input, order)).apply(self.document)

    def row(self, x: float, y: float, *items: str | float) -> float:
        """Put nodes side by side from a corner on; a number between two is their gap. Returns where it ends."""
        level = self.document.level(self._at)
        places: dict[str, tuple[float, float]] = {}
        gap = 0.0
        for item in items:
            if not isinstance(item, str):
                gap = item
                continue
            x = round((x + gap) / GRID) * GRID
            places[item] = (x, y)
            x += measure(level.node(item), level.incoming(item)).width
            gap = GAP
        Move(self._at, places).apply(self.document)
        return x

    def left(self, id: str) -> float:
        """Where a node that has been put begins."""
        return self.document.level(self._at).node(id).position[0]

    def title(self, id: str) -> str:
        """What a node is called."""
        return title_of(self.document.level(self._at).node(id))

    def _order(self, role: str) -> int:
        self._orders[role] = self._orders.get(role, -1) + 1
        return self._orders[role]

    def _ports(self, node: Node) -> tuple[str, str]:
        if node.level is not None:
            inputs, outputs = group_ports(node.level)
        else:
            block = blocks.find(node.block)
            assert block is not None
            inputs, outputs = block.inputs, block.outputs
        return next(iter(inputs), ""), next(iter(outputs), "")
