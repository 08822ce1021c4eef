"""A pen for templates: nodes on a coarse grid, wires by name, groups within groups."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import blocks
from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, GROUP, Document, Level, Node, Path, Tie, Wire
from graph.validate import group_ports

COLUMN, LINE = 240.0, 120.0


class Sketch:
    """One level of a document that is being drawn. Columns and lines are counted in steps of the coarse grid."""

    def __init__(self, document: Document, at: Path = ()) -> None:
        self.document = document
        self._at = at
        self._orders: dict[str, int] = {}

    def add(
        self,
        id: str,
        block: str,
        column: float,
        line: float,
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
            id, block, MappingProxyType({**given, **params}), title, (column * COLUMN, line * LINE),
            ties=MappingProxyType(ties or {}), sample=MappingProxyType(sample or {}), order=order,
        )  # fmt: skip
        AddNode(self._at, node).apply(self.document)
        ports = [(name, port.many) for name, port in cls.inputs.items()]
        for place, source in enumerate(after):
            many = bool(ports) and ports[0][1]
            self.wire(source, f"{id}.{ports[0][0] if many else ports[place][0]}", place if many else 0)
        return id

    def group(
        self, id: str, column: float, line: float, title: str, *, repeat: int | str = 1, shared: bool = False
    ) -> Sketch:
        """Draw a group and return the pen for its inside; wire it with `wire` once its ports are drawn."""
        place = (column * COLUMN, line * LINE)
        node = Node(id, GROUP, title=title, position=place, level=Level(), repeat=repeat, shared=shared)
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
