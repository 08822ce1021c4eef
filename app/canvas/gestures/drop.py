"""Drop: a block or template from the palette, or files from the desktop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QPainter

import blocks
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.ink import ink
from app.canvas.insertion import fits_in
from app.canvas.labels import plain_label
from app.canvas.notes import Note
from app.canvas.paint_near import NearPainter
from app.files.carried import is_picture, known_files
from app.files.dropping import Goal, goal_of
from graph import edits
from graph.document import EditError, Node, Wire
from graph.files import FORMAT
from graph.judge import title_of
from graph.layout import measure
from graph.library import brought, placing

if TYPE_CHECKING:
    from app.canvas.view import Canvas

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
BLOCK_TYPE = "application/x-blockwright-block"
WIDTH = 320.0
TEMPLATE_TYPE = "application/x-blockwright-template"
CLIP_TYPE = "application/x-blockwright-clip"


class Drop(Gesture):
    """Hold something that comes from outside over the canvas; a block is shown where it would lie.

    A block is put into the wire under it if it fits there; Alt keeps it out.
    """

    def __init__(self, canvas: Canvas, press: Pointer, data: QMimeData) -> None:
        super().__init__(canvas, press)
        self._files = known_files(data)
        self._template = _text(data, TEMPLATE_TYPE)
        self._clip = _text(data, CLIP_TYPE)
        self._brought: Mapping[str, Any] = {}
        self._node = self._read_clip() if self._clip else self._make(_text(data, BLOCK_TYPE))
        self._nodes = data.text() if not data.hasUrls() and data.hasText() and FORMAT in data.text() else ""
        """The text of copied nodes, dragged from a message or a text editor."""
        self._corner = QPointF()

    @property
    def is_welcome(self) -> bool:
        """Whether the canvas knows what to do with it."""
        return bool(self._node or self._template or self._files or self._nodes)

    def move(self, pointer: Pointer) -> None:
        if self._node is None:
            self._say(pointer)
            return
        canvas = self.canvas
        place = canvas.corner_for(self._node, pointer.scene)
        self._corner = QPointF(*place)
        gap: Wire | None = canvas.geometry_of.wire_at(pointer.scene.x(), pointer.scene.y(), 12 / canvas.camera.zoom)
        if gap is not None and (pointer.has(ALT) or not fits_in(canvas.session, self._node, gap, self._brought)):
            gap = None
        canvas.looks.gap = gap
        canvas.update()

    def finish(self, pointer: Pointer) -> None:
        canvas = self.canvas
        self.move(pointer)
        gap = canvas.looks.gap
        self.cancel()
        if self._node is not None and self._clip:
            canvas.add_clip(self._clip, pointer.scene, gap=gap)
        elif self._node is not None:
            canvas.add_block(self._node.block, pointer.scene, gap=gap)
        elif self._template:
            canvas.template_dropped.emit(self._template, pointer.scene)
        elif self._files:
            canvas.files_dropped.emit(self._files, pointer.scene, pointer.has(SHIFT))
        elif self._nodes:
            canvas.paste_text(self._nodes, pointer.scene)

    def cancel(self) -> None:
        self.canvas.looks.gap = self.canvas.looks.hovered = self.canvas.tip = None
        self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        if self._node is None:
            return
        painter.save()
        painter.translate(self._corner)
        painter.setOpacity(0.9)
        NearPainter().node(painter, measure(self._node), plain_label(self._node), is_selected=True)
        painter.restore()
        painter.setBrush(ink().body)

    def _say(self, pointer: Pointer) -> None:
        """Say beside the pointer what would be done, and mark the input that would see a picture."""
        canvas = self.canvas
        picture = self._files[0] if self._files and all(is_picture(path) for path in self._files) else None
        goal = goal_of(canvas, picture, pointer.scene) if picture is not None else None
        canvas.looks.hovered = goal.input or None if goal is not None and not canvas.session.at else None
        text = self._what_is_done(pointer, goal)
        canvas.tip = Note(text, width=WIDTH) if text else None
        if canvas.tip is not None:
            canvas.tip.place_at(pointer.view, canvas.size())
        canvas.update()

    def _what_is_done(self, pointer: Pointer, goal: Goal | None) -> str:
        if self._nodes:
            return "Paste the blocks here"
        if not self._files:
            return ""
        name = self._files[0].name
        if goal is not None and goal.refusal:
            return goal.refusal
        if len(self._files) > 1:
            return f"Take {len(self._files)} files"
        if goal is not None:
            return self._who_sees(name, goal.input)
        if pointer.has(SHIFT):
            return f"Put {name} here as a group"
        return f"Open {name}. Hold Shift to put it here as a group"

    def _who_sees(self, name: str, input: str) -> str:
        session = self.canvas.session
        if not input:
            return f"Put {name} here as an image input"
        above = " at the top level" if session.at else ""
        return f"Show {name} to {title_of(session.document.top.node(input))}{above}"

    def _read_clip(self) -> Node | None:
        session = self.canvas.session
        try:
            steps, node = placing(session.document, session.at, self._clip)
        except EditError:
            return None
        self._brought = brought(steps)
        return node

    def _make(self, name: str) -> Node | None:
        block = blocks.find(name) if name else None
        session = self.canvas.session
        return edits.new_node(session.document, session.at, block, (0.0, 0.0)) if block is not None else None


def _text(data: QMimeData, kind: str) -> str:
    return bytes(data.data(kind).data()).decode("utf-8", "replace") if data.hasFormat(kind) else ""
