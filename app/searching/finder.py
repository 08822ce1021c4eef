"""What the search pop-up finds: blocks at the pointer, blocks that fit a dropped wire, commands and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt

from app.actions.table import ACTIONS
from app.palette import MINE, block_entries, block_entry, own_entry
from app.searching import search
from app.searching.entries import Entry
from app.searching.popup import SearchPopup
from app.symbols import ACTION_ICONS, of_block
from app.widgets.menu import plain

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.document import Path, Wire

MOST_RECENT = 6
COMMANDS_WIDTH = 440
MOST_FOUND = 60
NODES_WIDTH, MOST_NODES = 440, 200


class Finder:
    """Opens the search for one thing or another."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.popup = SearchPopup(window)

    @property
    def recent(self) -> list[str]:
        """The blocks that were added last, the latest first."""
        return list(self._window.settings.uses)[:MOST_RECENT]

    def blocks(self, scene: QPointF | None, at: QPoint) -> None:
        """Find a block and add it where the pointer is.

        Args:
            scene: where the node goes, in the drawing; None is the middle of the canvas.
            at: where the pop-up opens, on the screen.
        """

        def add(entry: Entry) -> None:
            if entry.do is not None:
                entry.do()
            else:
                self._window.add_block(entry.name, scene)

        def lines(query: str) -> Sequence[Entry]:
            first, last = self._window.library.entries(query, scene)
            mine = [Entry(MINE, "heading"), *first, *last] if first and not query else [*first, *last]
            rest = self._block_lines(query)
            return [*first, *rest, *last] if query else [*rest, *mine]

        self.popup.open("Find a block", lines, add, self._window.mapFromGlobal(at), closed=self._focus_canvas)

    def fitting(self, path: Path, port: str, side: str, scene: QPointF, at: QPoint) -> None:
        """Find a block for a wire that was dropped where nothing is, and wire it.

        Args:
            path: the node at the other end of the wire.
            port: its port.
            side: "output" or "input", which of them that port is.
            scene: where it was dropped, in the drawing.
            at: the same on the screen.
        """
        from app.searching.fitting import feeders, fits

        session = self._window.session
        is_output = side == "output"
        library = self._window.library
        find = fits if is_output else feeders
        ports = dict(find(session, path[-1], port, self._window.settings.uses, library.blocks))

        def take(entry: Entry) -> None:
            self.add_wired(entry, scene, (path[-1], port, not is_output), ports)

        signal = session.report.signal(path, port) if is_output else None
        note = f"What takes {signal}" if signal is not None else f"What goes into {port}" if not is_output else ""
        self.popup.open(
            "Find a block that fits",
            lambda query: self.fitting_lines(query, ports),
            take,
            self._window.mapFromGlobal(at),
            note=note if ports else "No block fits this wire.",
            closed=self._focus_canvas,
        )

    def inserting(self, wire: Wire, scene: QPointF, at: QPoint) -> None:
        """Find a block that fits into a wire, and put it there.

        Args:
            wire: the wire.
            scene: where the block goes, in the drawing.
            at: the same on the screen.
        """
        import blocks
        from app.canvas.insertion import fits_in
        from app.searching.fitting import fits
        from graph import edits

        session, library = self._window.session, self._window.library

        def suits(name: str) -> bool:
            block = blocks.find(name)
            if block is None:
                return True  # one of the user's own, which says itself what is wrong
            return fits_in(session, edits.new_node(session.document, session.at, block, (0.0, 0.0)), wire)

        found = fits(session, wire.source, wire.output, self._window.settings.uses, library.blocks)
        ports = {name: port for name, port in found if suits(name)}

        def take(entry: Entry) -> None:
            canvas = self._window.canvas
            own = library.find(entry.name) if entry.kind == "own" else None
            if canvas is not None and own is not None:
                canvas.add_clip(own.clip, scene, gap=wire)
            elif canvas is not None and entry.kind != "own":
                canvas.add_block(entry.name, scene, gap=wire)

        self.popup.open(
            "Find a block for the wire",
            lambda query: self.fitting_lines(query, ports),
            take,
            self._window.mapFromGlobal(at),
            note="What fits into the wire" if ports else "No block fits into this wire.",
            closed=self._focus_canvas,
        )

    def fitting_lines(self, query: str, ports: Mapping[str, str]) -> list[Entry]:
        """Those of some blocks that fit a few letters; without any, all in their order.

        Args:
            query: what was typed.
            ports: name of a block, or clip of one of the user's own → its port, the best first.
        """
        window = self._window
        own = {block.clip: own_entry(block, detail=MINE) for block in window.library.blocks if block.clip in ports}
        if query:
            first, last = window.library.entries(query, None)
            named = {entry.name: entry for entry in own.values()}  # those of the library do what only fits elsewhere
            rest = [entry for entry in block_entries(window.catalogue, query) if entry.name in ports]
            before, after = ([named[entry.name] for entry in part if entry.name in named] for part in (first, last))
            return [*before, *rest, *after]
        cards = {name: card for name in ports if (card := window.catalogue.block(name)) is not None}
        return [
            own[name] if name in own else block_entry(cards[name], detail=cards[name].category)
            for name in ports
            if name in own or name in cards
        ]

    def add_wired(
        self, entry: Entry, scene: QPointF, wired_to: tuple[str, str, bool], ports: Mapping[str, str]
    ) -> str | None:
        """Put a block of `fitting_lines` on the canvas, wired; returns its id."""
        canvas, own = self._window.canvas, self._window.library.find(entry.name) if entry.kind == "own" else None
        if canvas is None or (own is None and entry.kind == "own"):
            return None
        if own is not None:
            return canvas.add_clip(own.clip, scene, wired_to=wired_to, port=ports.get(own.clip, ""))
        return canvas.add_block(entry.name, scene, wired_to=wired_to, port=ports[entry.name])

    def nodes(self) -> None:
        """Find a node of the drawing: arrows show one after the other, Enter stays there, Esc goes back."""
        canvas, window = self._window.canvas, self._window
        if canvas is None:
            return
        from app.searching.nodes import find

        session, kept = canvas.session, canvas.viewpoints.keep()

        def lines(query: str) -> Sequence[Entry]:
            found = find(session.document, session.report, query)[:MOST_NODES]
            if not found:
                return [Entry("No node fits", "heading")]
            return [
                Entry(
                    one.title, "node", "/".join(one.path), " · ".join(filter(None, (one.place, one.why))),
                    one.category, "/".join(one.path), icon=one.icon,
                )
                for one in found
            ]  # fmt: skip

        def look(entry: Entry) -> None:
            canvas.viewpoints.look_at(tuple(entry.name.split("/")))

        corner = canvas.mapTo(window, QPoint(canvas.width() - NODES_WIDTH - 12, 12))
        self.popup.open(
            "Find a node: norm, 768, batch × seq, num_heads=12", lines, look, corner, width=NODES_WIDTH,
            closed=self._focus_canvas, moved=look, left=lambda: canvas.viewpoints.restore(kept),
        )  # fmt: skip

    def commands(self) -> None:
        """Find a command, a block, a node or a template."""
        window = self._window
        window.commands.refresh()
        bar = window.top_bar
        corner = bar.search.mapTo(window, QPoint(0, 0))
        left = corner.x() + (bar.search.width() - COMMANDS_WIDTH) // 2
        self.popup.open(
            "Search or run a command",
            self._command_lines,
            self._do,
            QPoint(left, corner.y()),
            width=COMMANDS_WIDTH,
        )

    def _block_lines(self, query: str) -> Sequence[Entry]:
        catalogue = self._window.catalogue
        if query:
            return block_entries(catalogue, query)
        entries: list[Entry] = []
        recent = [card for name in self.recent if (card := catalogue.block(name)) is not None]
        if recent:
            entries.append(Entry("Recent", "heading"))
            entries += [block_entry(card, detail=card.category) for card in recent]
        category = ""
        for card in catalogue.blocks:
            if card.category != category:
                category = card.category
                entries.append(Entry(category, "heading", category=category))
            entries.append(replace(block_entry(card), is_filed=True))
        return entries

    def _command_lines(self, query: str) -> Sequence[Entry]:
        window = self._window
        actions: list[Entry] = []
        for action in ACTIONS:
            qt = window.commands[action.id]
            if action.id == "find_command" or not qt.isEnabled():
                continue
            title = action.spoken or plain(qt.text()).removesuffix(" …")
            keys = window.commands.shortcuts.text(action.id)
            picture = "check" if qt.isChecked() else ACTION_ICONS.get(action.id, "")
            actions.append(Entry(title, "action", action.id, keys, do=qt.trigger, icon=picture))
        if not query:
            return actions
        others = [*self._places(), *self._starts()]
        scored = search.ranked(query, [*actions, *others], lambda q, entry: search.best(q, [entry.title], [entry.name]))
        blocks = [
            Entry(f"Add {entry.title}", "block", entry.name, "Block", entry.category, entry.hint)
            for entry in block_entries(window.catalogue, query)
        ]
        return [*scored, *(blocks if window.drawing is not None else [])][:MOST_FOUND]

    def _places(self) -> list[Entry]:
        """The nodes of the drawing."""
        session = self._window.drawing
        if session is None:
            return []
        import blocks
        from graph.judge import title_of

        entries: list[Entry] = []
        for path, node in session.document.walk():
            at = "/".join(path)
            category, icon = of_block(blocks.find(node.block))
            go = lambda path=path: session.show(path)  # noqa: E731
            entries.append(Entry(title_of(node), "node", at, at, category, "Go there", go, icon))
        return entries

    def _starts(self) -> list[Entry]:
        """Templates and recent files."""
        window = self._window
        entries = [
            Entry(f"New {card.title}", "template", card.name, "Template", "Structure", card.summary)
            for card in window.catalogue.templates
        ]
        entries += [
            Entry(
                f"Open {path.stem}",
                "file",
                str(path),
                "File",
                icon="file",
                do=lambda path=path: window.filing.open(path),
            )
            for path in window.settings.recent
        ]
        return entries

    def _do(self, entry: Entry) -> None:
        if entry.do is not None:
            entry.do()
        elif entry.kind == "block":
            self._window.add_block(entry.name, None)
        elif entry.kind == "template":
            self._window.show_gallery(entry.name)

    def _focus_canvas(self) -> None:
        if self._window.canvas is not None:
            self._window.canvas.setFocus(Qt.FocusReason.PopupFocusReason)
