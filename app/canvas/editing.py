"""Edits that users ask for by menu, key or drop: each one step of the history, or refused in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QWidget

import blocks
from app.canvas.editor import FloatingEditor
from app.canvas.ink import Face, faces
from app.canvas.viewing import Viewing
from app.session import Session
from graph import bounds, edits, grouping
from graph.commands import AddNode, Command, Connect, Disconnect, Move, Sequence, SetNode
from graph.document import EditError, Node, Wire
from graph.judge import title_of
from graph.layout import GRID, HEADER, INSET_RIGHT, TITLE_LEFT, measure
from graph.library import placing
from graph.skips import skip_around
from graph.spacing import insert_with_room
from graph.validate import group_ports


class Editing(Viewing):
    """A surface whose drawing can be changed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.editor: FloatingEditor | None = None
        self._nudge: tuple[frozenset[str]] | None = None
        """Whose nudges are one step as long as they go on."""
        super().__init__(session, parent)
        self.editor = FloatingEditor(self)

    # Adding

    def add_block(
        self,
        name: str,
        scene_pos: QPointF | None = None,
        *,
        wired_to: tuple[str, str, bool] | None = None,
        port: str = "",
        gap: Wire | None = None,
    ) -> str | None:
        """Put a block on the level and select it.

        Args:
            name: the block's name.
            scene_pos: where; by default beside what is selected, or in the middle of the view.
            wired_to: (node, port, whether that port is an input) to wire it to, as after `wire_dropped`.
            port: its own port for that wire; by default its first.
            gap: the wire to put it into.

        Returns:
            The id of the new node, or None when it was refused.
        """
        block = blocks.find(name)
        if block is None:
            self.session.refuse(f"There is no block called {name}")
            return None
        session = self.session
        before = (gap.source, gap.output) if gap is not None else wired_to[:2] if wired_to and not wired_to[2] else None
        signal = session.report.signal((*session.at, before[0]), before[1]) if before else None
        kind = signal.kind if signal is not None else ""
        given = bounds.suiting(block, signal)
        after = session.report.node((*session.at, wired_to[0])) if wired_to and wired_to[2] else None
        if wired_to is not None and after is not None:
            given = bounds.giving(block, after, wired_to[1])
        node = edits.new_node(session.document, session.at, block, (0.0, 0.0), kind=kind, **given)
        place = self._place_for(node) if scene_pos is None else self.corner_for(node, scene_pos, wired_to)
        node = node.with_(position=place)
        command: Command = AddNode(session.at, node)
        if gap is not None:
            command = insert_with_room(session.document, session.at, node, gap)
        elif wired_to is not None:
            steps = self._wiring(node, *wired_to, port)
            if steps:
                command = Sequence((command, *steps), command.label)
        if not session.do(command):
            return None
        session.select([node.id])
        self.block_added.emit(name)
        return node.id

    def add_clip(
        self,
        clip: str,
        scene_pos: QPointF | None = None,
        *,
        wired_to: tuple[str, str, bool] | None = None,
        port: str = "",
        gap: Wire | None = None,
    ) -> str | None:
        """Put one of the user's own blocks on the level, as a fresh group, and select it.

        Args:
            clip: the block as a text of the clipboard.
            scene_pos: where; by default beside what is selected, or in the middle of the view.
            wired_to: (node, port, whether that port is an input) to wire it to.
            port: its own port for that wire; by default its first.
            gap: the wire to put it into.

        Returns:
            The id of the new node, or None when it was refused.
        """
        session = self.session
        try:
            steps, node = placing(session.document, session.at, clip)
            place = self._place_for(node) if scene_pos is None else self.corner_for(node, scene_pos, wired_to)
            node = node.with_(position=place)
            add: list[Command] = [AddNode(session.at, node)]
            if gap is not None:
                add = [insert_with_room(session.document, session.at, node, gap)]
            elif wired_to is not None:
                add += self._wiring(node, *wired_to, port)
        except EditError as error:
            session.refuse(str(error))
            return None
        if not session.do(Sequence((*steps, *add), f"Add {title_of(node)}")):
            return None
        session.select([node.id])
        return node.id

    def corner_for(
        self, node: Node, scene_pos: QPointF, wired_to: tuple[str, str, bool] | None = None
    ) -> tuple[float, float]:
        """Where a node's corner lies when it is put at a point: its title under the pointer, or its port at it."""
        wide = measure(node).width
        x = scene_pos.x() - wide / 2
        if wired_to is not None:
            x = scene_pos.x() - wide if wired_to[2] else scene_pos.x()
        return round(x / GRID) * GRID, round((scene_pos.y() - HEADER / 2) / GRID) * GRID

    # Taking away, grouping, moving

    def delete_selection(self, *, heal: bool = False) -> None:
        """Take away the chosen wire or the selected nodes; `heal` reconnects what ran through them."""
        session, wire = self.session, self.looks.chosen
        if wire is not None:
            session.do(Disconnect(session.at, wire))
        elif session.selection:
            ids = [id for id in session.document.level(session.at).nodes if id in session.selection]
            session.do(edits.remove(session.document, session.at, ids, heal=heal))

    def break_wires(self, node: str, port: str, *, is_input: bool) -> None:
        """Take away all wires of a port."""
        session = self.session
        level = session.document.level(session.at)
        wires = [w for w in level.incoming(node) if w.input == port] if is_input else []
        if not is_input:
            wires = [w for w in level.outgoing(node) if w.output == port]
        if wires:
            steps = tuple(Disconnect(session.at, wire) for wire in wires)
            session.do(Sequence(steps, f"Disconnect {node}"))

    def group_selection(self) -> None:
        """Put the selected nodes into a group."""
        self._try(lambda: grouping.group(self.session.document, self.session.at, self.session.selection))

    def ungroup_selection(self) -> None:
        """Put what is inside the selected group in its place."""
        focus = self.session.focus
        if focus is None:
            self.session.refuse("Select one group to take it apart")
            return
        self._try(lambda: grouping.ungroup(self.session.document, self.session.at, focus[-1]))

    def skip_selection(self, join: str) -> None:
        """Lead what goes into the selected nodes around them: added to their result, or laid beside it."""
        session = self.session

        def make() -> tuple[Command, list[str]]:
            params = {"axis": 1} if join == "Concat" and self._are_pictures() else {}
            return skip_around(session.document, session.at, session.selection, join, params)

        self._try(make)

    def _are_pictures(self) -> bool:
        """Whether pictures come out of a selected node: they are laid side by side along their channels."""
        level = self.session.report.level(self.session.at)
        known = [level.nodes[id] for id in self.session.selection if id in level.nodes] if level is not None else []
        return any(signal.kind == "image" for node in known for signal in node.outputs.values())

    def select_all(self) -> None:
        """Select every node of the level."""
        self.session.select(self.session.document.level(self.session.at).nodes)

    def nudge(self, dx: float, dy: float) -> None:
        """Move the selected nodes a little; moves in a row are one step."""
        session = self.session
        if not session.selection:
            return
        level = session.document.level(session.at)
        if self._nudge is None or self._nudge[0] != session.selection:
            self._nudge = (session.selection,)
        places = {id: level.node(id).position for id in sorted(session.selection)}
        session.do(Move(session.at, {id: (x + dx, y + dy) for id, (x, y) in places.items()}), gesture=self._nudge)

    # In place

    def rename(self) -> None:
        """Edit the title of the selected node in its place."""
        focus = self.session.focus
        if focus is not None:
            self.edit_title(focus[-1])

    def edit_title(self, id: str) -> None:
        """Edit the title of a node in its place."""
        session = self.session
        node = session.document.level(session.at).node(id)

        def keep(text: str) -> bool:
            title = " ".join(text.split())
            block = blocks.find(node.block)
            title = "" if block is not None and title == block.title else title
            return title == node.title or session.do(SetNode(session.at, id, "title", title[:200]))

        self._edit(id, -1, HEADER / 2, TITLE_LEFT, faces().title, title_of(node), keep, "Title")

    def edit_next(self, id: str, place: int, step: int) -> None:
        """Edit what comes after (or before) a row of a node, or its title, which is row -1."""
        raise NotImplementedError

    def edit_in_place(
        self, id: str, middle: float, left: float, text: str, keep: Callable[[str], bool], name: str
    ) -> None:
        """Edit something else of a node beside its title."""
        self._edit(id, -1, middle, left, faces().title, text, keep, name)

    def _edit(
        self,
        id: str,
        place: int,
        middle: float,
        left: float,
        face: Face,
        text: str,
        keep: Callable[[str], bool],
        name: str,
        words: tuple[str, ...] = (),
    ) -> None:
        assert self.editor is not None
        self.editor.close_editor()
        if self.tip is not None:
            self.update(self.tip.rect.toAlignedRect().adjusted(-2, -2, 2, 2))
            self.tip = None
        x, y, right, _ = self.geometry_of.rects[self.geometry_of.index[id]].tolist()
        if self.camera.zoom < 0.6:
            self.camera.zoom_at(self.map_from_scene(QPointF(x, y)), 1 / self.camera.zoom)
            self.view_changed()
        wide = max(56.0, right - INSET_RIGHT + 7 - x - left)
        area = self.camera.rect_to_screen(x + left - 6, y + middle - 12, x + left + wide, y + middle + 12)
        font = type(face.font)(face.font)
        font.setPixelSize(max(9, round(face.font.pixelSize() * self.camera.zoom)))
        self.editor.open(area, font, text, keep, name, words, lambda step: self.edit_next(id, place, step))

    # How it is done

    def _try(self, make: Callable[[], Command | tuple[Command, str | list[str]]]) -> None:
        """Make an edit that may be refused, and select what comes of it."""
        try:
            made = make()
        except EditError as error:
            self.session.refuse(str(error))
            return
        command, ids = made if isinstance(made, tuple) else (made, None)
        if self.session.do(command) and ids is not None:
            self.session.select([ids] if isinstance(ids, str) else ids)

    def _wiring(self, node: Node, other: str, port: str, is_input: bool, own: str) -> list[Command]:
        """The wire between a new node and a port: at its own port, which is the first where none is named."""
        session = self.session
        inputs, outputs = _ports(node)
        at = session.at
        own = own or next(iter(outputs if is_input else inputs), "")
        if not own:
            return []
        if not is_input:
            return [Connect(at, Wire(other, port, node.id, own))]
        report = session.report.node((*at, other))
        known = report.input_ports.get(port) if report is not None else None
        old = [wire for wire in session.document.level(at).incoming(other) if wire.input == port]
        if known is not None and known.many:
            order = max((wire.order for wire in old), default=-1) + 1
            return [Connect(at, Wire(node.id, own, other, port, order))]
        return [*(Disconnect(at, wire) for wire in old), Connect(at, Wire(node.id, own, other, port))]

    def _place_for(self, node: Node) -> tuple[float, float]:
        """A free place: beside what is selected, else in the middle of the view."""
        box = measure(node)
        bounds = self.geometry_of.bounds(self.session.selection)
        if bounds is not None:
            x, y = bounds[2] + 56, bounds[1]
        else:
            middle = self.map_to_scene(QRectF(self.rect()).center())
            x, y = middle.x() - box.width / 2, middle.y() - box.height / 2
        x, y = round(x / GRID) * GRID, round(y / GRID) * GRID
        while self.geometry_of.nodes_in(x - 12, y - 12, x + box.width + 12, y + box.height + 12):
            y += 8 * GRID
        return x, y


def _ports(node: Node) -> tuple[list[str], list[str]]:
    if node.level is not None:
        inputs, outputs = group_ports(node.level)
        return list(inputs), list(outputs)
    block = blocks.find(node.block)
    return (list(block.inputs), list(block.outputs)) if block is not None else ([], [])
