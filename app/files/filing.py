"""New, open, save, close: how a drawing comes from disk and goes there, and the questions that keep work from loss."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.files.carried import is_picture
from app.files.dropping import insert_drawing, show_picture
from app.files.opening import read_apart
from app.folders import documents_folder
from app.widgets.message import MessageBox

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.session import Session

UNNAMED = "untitled"
FILTER = "Blockwright drawings (*.json);;All files (*)"


class Filing:
    """What the File menu does."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def new_empty(self) -> None:
        """Show an empty canvas."""
        from app.session import Session
        from graph.document import Document

        sessions = self._window.workspace.sessions
        blank = next((s for s in sessions if s.is_blank), None)
        self._window.show_session(blank or Session(Document(_unlike(UNNAMED, [s.title for s in sessions]))))

    def new_from_template(self, name: str, values: Mapping[str, Any]) -> bool:
        """Draw a template and show it."""
        from app.session import Session
        from graph.templates import TemplateError, find

        try:
            document = find(name).build(values)
        except TemplateError as error:
            self._window.banners.refuse(str(error))
            return False
        others = [s.title for s in self._window.workspace.sessions if not s.is_blank]
        document.title = _unlike(document.title, others)
        self._window.show_session(Session(document))
        return True

    def ask_open(self) -> None:
        """Ask for a file and open it."""
        path = self._ask("Open a drawing", QFileDialog.AcceptMode.AcceptOpen)
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> bool:
        """Open a file; one that cannot be read is refused in one sentence."""
        from graph.files import FileError

        window = self._window
        try:
            session = window.workspace.open(path, read_apart)
        except FileError as error:
            window.settings.forget_recent(path.resolve())
            window.gallery.show_recent(window.settings.recent)
            window.banners.refuse(str(error))
            return False
        window.settings.add_recent(path)
        window.show_session(session)
        return True

    def drop_template(self, name: str) -> None:
        """Draw a template that was dropped on the canvas: there when it is empty, else in a drawing of its own."""
        crowded = not self._window.session.is_blank
        if self.new_from_template(name, {}) and crowded:
            title = self._window.session.title
            self._window.banners.say(f"{title} is in a drawing of its own; the other one is still open.", brief=True)

    def take(self, path: Path, scene: QPointF | None = None, *, inserts: bool = False) -> None:
        """Take a file that was dropped: a drawing is opened, or inserted as a group; a picture goes to an image input.

        Args:
            path: the file.
            scene: where in the drawing it was dropped, if on one.
            inserts: put a drawing into the one that is shown.
        """
        canvas = self._window.canvas if self._window.drawing is not None else None
        if is_picture(path) and canvas is not None:
            show_picture(canvas, path, scene)
        elif inserts and canvas is not None:
            insert_drawing(canvas, path, scene)
        else:
            self.open(path)

    def save(self, session: Session | None = None) -> bool:
        """Save to the drawing's file; one without is asked for."""
        session = session or self._window.session
        return self._write(session, session.path) if session.path else self.save_as(session)

    def save_as(self, session: Session | None = None) -> bool:
        """Ask for a file and save there."""
        session = session or self._window.session
        name = re.sub(r"[^\w\- ]+", "", session.title).strip() or "drawing"
        path = self._ask("Save the drawing", QFileDialog.AcceptMode.AcceptSave, f"{name}.json")
        return path is not None and self._write(session, path)

    def close(self, session: Session | None = None) -> bool:
        """Close a drawing; what is not saved is asked for. Returns whether it was closed."""
        session = session or self._window.session
        if not self._may_close(session):
            return False
        self._window.workspace.close(session)
        return True

    def show_next(self, step: int = 1) -> None:
        """Show the next of the open drawings, or the one before."""
        sessions = self._window.workspace.sessions
        self._window.show_session(sessions[(sessions.index(self._window.session) + step) % len(sessions)])

    def show_place(self, place: int) -> None:
        """Show one of the open drawings by its place among the tabs."""
        sessions = self._window.workspace.sessions
        if place < len(sessions):
            self._window.show_session(sessions[place])

    def show_front(self) -> None:
        """Show what is open, or the gallery where nothing is."""
        if self._window.session.is_blank:
            self._window.show_gallery()
        else:
            self._window.show_session(self._window.session)

    def close_others(self, kept: Session) -> None:
        """Close every drawing but one, as far as the user answers its questions."""
        for session in [other for other in self._window.workspace.sessions if other is not kept]:
            if not self.close(session):
                return

    def may_quit(self) -> bool:
        """Ask for every drawing that is not saved; whether the window may close."""
        for session in list(self._window.workspace.sessions):
            if not session.is_saved:
                self._window.show_session(session)
                if not self._may_close(session):
                    return False
        return True

    def _may_close(self, session: Session) -> bool:
        if session.is_saved:
            return True
        box = MessageBox(self._window)
        box.setWindowTitle("Blockwright")
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(f"Save the changes to {session.title}?")
        box.setInformativeText("They are lost otherwise.")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        box.setWindowModality(Qt.WindowModality.WindowModal)
        answer = box.exec()
        box.deleteLater()
        if answer == buttons.Save:
            return self.save(session)
        return answer == buttons.Discard

    def _write(self, session: Session, path: Path) -> bool:
        from graph.commands import SetDocument
        from graph.files import FileError

        if not self._window.disk.may_write(session, path):
            return False
        document, back = session.document, None
        if session.path is None and re.fullmatch(rf"{UNNAMED}( \(\d+\))?", document.title):  # it has a name now
            back = document.apply(SetDocument("title", path.stem))
            session.edited.emit()
        try:
            session.save(path)
        except FileError as error:
            if back is not None:
                document.apply(back)
                session.edited.emit()
            self._window.banners.refuse(str(error))
            return False
        self._window.settings.add_recent(path)
        self._window.gallery.show_recent(self._window.settings.recent)
        self._window.reopening.note()
        self._window.disk.check()
        return True

    def _ask(self, title: str, mode: QFileDialog.AcceptMode, name: str = "") -> Path | None:
        """A file from the user, or None."""
        settings = self._window.settings
        dialog = QFileDialog(self._window, title, str(settings.folder or documents_folder()), FILTER)
        dialog.setAcceptMode(mode)
        if mode == QFileDialog.AcceptMode.AcceptSave:
            dialog.setDefaultSuffix("json")
            dialog.selectFile(name)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        chosen = dialog.exec() and dialog.selectedFiles()
        dialog.deleteLater()
        if not chosen:
            return None
        path = Path(chosen[0])
        settings.folder = path.parent
        return path


def _unlike(title: str, others: Collection[str]) -> str:
    """The title with a number that tells it from other drawings that are open, if it needs one: gpt 2 is something."""
    if title not in others:
        return title
    return next(name for number in count(2) if (name := f"{title} ({number})") not in others)
