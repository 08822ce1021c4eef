"""The user's own blocks in the window: the folder is watched, and what lies in it is offered like any other block."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QPoint, QPointF, QTimer

from app.folders import library_folder
from app.palette import MINE
from app.searching import search
from app.searching.entries import Entry
from app.widgets.menu import Menu

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.workspace import Workspace
    from graph.library import Broken, OwnBlock

CALM = 200
KEY = "library"
GOOD = 60.0
"""From this score on an own block comes before those of the catalogue."""

log = logging.getLogger(__name__)


class Library(QObject):
    """Keeps palette and search up to date with the folder, and puts blocks into it and out of it.

    Windows share the folder: what one of them saves, the others show.
    """

    def __init__(self, window: MainWindow, folder: Path | None = None) -> None:
        super().__init__(window)
        self._window = window
        self.folder = folder or library_folder()
        self.blocks: list[OwnBlock] = []
        self.broken: list[Broken] = []
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(lambda _path: self._calm.start())
        self._watcher.fileChanged.connect(lambda _path: self._calm.start())
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM)
        self._calm.timeout.connect(self.read)

    def attach(self, _workspace: Workspace) -> None:
        """Read the folder and watch it; not before torch is there, which tells names that nodes cannot have."""
        palette = self._window.block_palette
        palette.own_chosen.connect(lambda name: self.add(name, None))
        palette.own_menu_asked.connect(self.pop_up)
        palette.own_key_pressed.connect(lambda name, key: self.delete(name) if key == "delete" else self.rename(name))
        QTimer.singleShot(0, self, self.read)

    def stop(self) -> None:
        """Watch no longer."""
        self._calm.stop()
        watched = [*self._watcher.directories(), *self._watcher.files()]
        if watched:
            self._watcher.removePaths(watched)

    def read(self) -> None:
        """Read the folder again and show what is in it."""
        from graph.library import read_all

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            log.warning("library: %s", error)
        self.blocks, self.broken = read_all(self.folder)
        wanted = {str(entry.file) for entry in (*self.blocks, *self.broken)} | {str(self.folder)}
        watched = {*self._watcher.directories(), *self._watcher.files()}
        if watched - wanted:
            self._watcher.removePaths(sorted(watched - wanted))
        if wanted - watched and self.folder.is_dir():
            self._watcher.addPaths(sorted(wanted - watched))
        self._window.block_palette.show_own(self.blocks, self.broken)

    def find(self, name: str) -> OwnBlock | None:
        """A block by its name."""
        return next((block for block in self.blocks if block.name == name), None)

    def entries(self, query: str, scene: QPointF | None) -> tuple[list[Entry], list[Entry]]:
        """What fits a few letters: what comes before the catalogue's blocks, and what comes after them."""
        rated = [
            (search.best(query, [block.title], [block.name], [block.summary]) if query else GOOD, block)
            for block in self.blocks
        ]
        rated = sorted((pair for pair in rated if pair[0] > 0), key=lambda pair: -pair[0])
        lines = [
            (
                score,
                Entry(
                    block.title, "own", block.name, MINE, "Structure", block.summary or "A group of yours",
                    lambda name=block.name: self.add(name, scene),
                ),
            )
            for score, block in rated
        ]  # fmt: skip
        return [line for score, line in lines if score >= GOOD], [line for score, line in lines if score < GOOD]

    def add(self, name: str, scene: QPointF | None) -> str | None:
        """Put a block on the canvas as a fresh group; returns its id."""
        block, window = self.find(name), self._window
        if block is None:
            return None
        if window.canvas is None:
            window.filing.new_empty()
        assert window.canvas is not None
        return window.canvas.add_clip(block.clip, scene)

    def save_selected(self) -> None:
        """Ask for a name and keep the selected group."""
        from app.dialogs.library import BlockDialog
        from graph.judge import title_of

        session = self._window.drawing
        if session is None or session.focus is None:
            return
        path = session.focus
        node = session.document.node(path)
        known = next((block for block in self.blocks if block.title == title_of(node)), None)
        dialog = BlockDialog(self, "Save to My blocks", title_of(node), known.summary if known else "", self._window)
        dialog.given.connect(lambda title, summary: self.save(path, title, summary))
        dialog.open()

    def save(self, path: tuple[str, ...], title: str, summary: str = "") -> bool:
        """Keep a group of the drawing in view; a block of that title is replaced."""
        from graph import files
        from graph.document import EditError
        from graph.library import drawing_of

        session = self._window.session
        try:
            drawing = drawing_of(session.document, path, title, summary)
            self.folder.mkdir(parents=True, exist_ok=True)
            target = self.file_for(title)
            before = target.read_bytes() if target.exists() else None
            files.save(drawing, target)
        except (EditError, OSError, files.FileError) as error:
            session.refuse(str(error))
            return False
        self.read()
        if before is None:
            self._window.banners.say(f"{drawing.title} is in My blocks.", tone="good", brief=True, key=KEY)
        else:
            undo = ("Undo", lambda: self._put_back(target, before))
            self._window.banners.say(f"{drawing.title} was replaced in My blocks.", undo, tone="good", key=KEY)
        return True

    def file_for(self, title: str) -> Path:
        """Where a block of that title lies or would lie."""
        from graph.library import file_for

        return file_for(self.folder, " ".join(title.split()))

    def rename(self, name: str) -> None:
        """Ask for another title and summary."""
        from app.dialogs.library import BlockDialog

        block = self.find(name)
        if block is not None:
            dialog = BlockDialog(self, "Rename the block", block.title, block.summary, self._window, own=block.file)
            dialog.given.connect(lambda title, summary: self.retitle(block, title, summary))
            dialog.open()

    def retitle(self, block: OwnBlock, title: str, summary: str) -> bool:
        """Call a block otherwise; drawings that use it already keep their copies."""
        from graph import files
        from graph.document import EditError
        from graph.library import retitled

        target = self.file_for(title)
        try:
            files.save(retitled(block.file, title, summary), target)
            if target != block.file:
                block.file.unlink(missing_ok=True)
        except (EditError, OSError, files.FileError) as error:
            self._window.banners.refuse(str(error))
            return False
        self.read()
        return True

    def delete(self, name: str) -> None:
        """Take a block (or a broken file) out of the folder; it can be put back at once."""
        file = next((entry.file for entry in (*self.blocks, *self.broken) if entry.file.stem == name), None)
        if file is None:
            return
        block = self.find(name)
        try:
            content = file.read_bytes()
            file.unlink()
        except OSError as error:
            self._window.banners.refuse(f"{file.name} cannot be deleted: {error.strerror or error}.")
            return
        self.read()
        title = block.title if block is not None else file.name
        undo = ("Undo", lambda: self._put_back(file, content))
        self._window.banners.say(f"{title} was deleted from My blocks.", undo, key=KEY)

    def pop_up(self, name: str, at: QPoint) -> None:
        """The menu of a block in the palette."""
        from app.bars.menus import show_folder

        block = self.find(name)
        broken = next((entry for entry in self.broken if entry.file.stem == name), None)
        file = block.file if block is not None else broken.file if broken is not None else None
        menu = Menu("", self._window, name=block.title if block is not None else name)
        if block is not None:
            menu.addAction("Add to the drawing", lambda: self.add(name, None))
            menu.addAction("Open as a drawing", lambda: self._window.filing.open(block.file))
            menu.addSeparator()
            menu.addAction("Rename …", lambda: self.rename(name))
        elif broken is not None:
            menu.addAction("Why it cannot be used", lambda: self._window.banners.refuse(broken.reason))
        menu.addAction("Delete", lambda: self.delete(name))
        menu.addAction("Show in folder", lambda: show_folder(file))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _put_back(self, file: Path, content: bytes) -> None:
        from graph import files

        try:
            files.write_atomically(file, content)
        except files.FileError as error:
            self._window.banners.refuse(str(error))
        self.read()
