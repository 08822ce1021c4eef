"""The clipboard: nodes as text, and what people copied elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication

from app.canvas.editing import Editing
from app.files.carried import known_files
from graph import clipboard
from graph.layout import GRID

BESIDE = 6 * GRID
"""How far a copy lies beside what is in its place already."""


_copied: dict[str, clipboard.Clip] = {}
"""What was copied here last, by its text: as long as that is in the clipboard, nobody has to read it."""


class Copying(Editing):
    """A surface whose nodes can be copied, and pasted anywhere."""

    def copy(self) -> None:
        """Copy the selected nodes and the wires between them, as text."""
        clip = self._taken()
        if clip is not None:
            text = clipboard.text_of(clip)
            _copied.clear()
            _copied[text] = clip
            QGuiApplication.clipboard().setText(text)

    def cut(self) -> None:
        """Copy the selected nodes and take them away."""
        self.copy()
        self.delete_selection()

    def paste(self, *, keep_inputs: bool = False) -> None:
        """Put copied nodes at the pointer; `keep_inputs` also wires them to what they were wired to.

        Files that were copied are taken as if they were dropped there.
        """
        point, data = self.map_to_scene(self.aim), QGuiApplication.clipboard().mimeData()
        files = known_files(data)
        if files:
            self.files_dropped.emit(files, point, True)
            return
        self.paste_text(data.text() if data is not None else "", point, keep_inputs=keep_inputs)

    def paste_text(self, text: str, point: QPointF, *, keep_inputs: bool = False) -> None:
        """Put the nodes of a text at a point of the drawing."""
        place = (round(point.x() / GRID) * GRID, round(point.y() / GRID) * GRID)
        corners = {node.position for node in self.session.document.level(self.session.at).nodes.values()}
        while place in corners:  # what was pasted there just now would lie under it unseen
            place = (place[0] + BESIDE, place[1] + BESIDE)
        self._paste(_copied.get(text, text), place, keep_inputs)

    def duplicate(self, *, keep_inputs: bool = False) -> None:
        """Put copies of the selected nodes beside them."""
        clip = self._taken()
        if clip is not None:
            self._paste(clip, None, keep_inputs)

    def _taken(self) -> clipboard.Clip | None:
        """What is selected."""
        session = self.session
        return clipboard.take(session.document, session.at, session.selection) if session.selection else None

    def _paste(self, copied: str | clipboard.Clip, place: tuple[float, float] | None, keep_inputs: bool) -> None:
        session = self.session
        self._try(lambda: clipboard.paste(session.document, session.at, copied, place, keep_inputs=keep_inputs))
