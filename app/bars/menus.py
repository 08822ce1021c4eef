"""The menus that change while the program runs: recent files, open drawings, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.actions.bookmarks import NUMBERS
from app.actions.panels import MOVING, PANEL_IDS
from app.widgets.menu import Menu

if TYPE_CHECKING:
    from pathlib import Path

    from app.main_window import MainWindow
    from app.session import Session


class Menus:
    """Fills the menus of the bar from the table of actions, and the changing ones when they open."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        menus = window.commands.fill(window.top_bar.menus)
        self.recent = Menu("Open recent", menus["File"])
        menus["File"].insertMenu(window.commands["save"], self.recent)
        self.recent.aboutToShow.connect(self._list_recent)
        self._add_bookmarks(menus["View"])
        self.panels = Menu("Panels", menus["View"])
        menus["View"].insertMenu(window.commands["reset_panels"], self.panels)
        self.panels.aboutToShow.connect(window.commands.refresh)
        for id in (*PANEL_IDS.values(), "", *MOVING):
            self.panels.addAction(window.commands[id]) if id else self.panels.addSeparator()
        self.exports = window.top_bar.export_menu
        for id in ("export_onnx", "export_pytorch"):
            self.exports.addAction(window.commands[id])
        self.exports.aboutToShow.connect(window.commands.refresh)
        self.drawings = window.top_bar.title.menu()
        self.drawings.aboutToShow.connect(self._list_drawings)

    def pop_up_drawing(self, session: Session, at: QPoint) -> None:
        """The menu of a tab: close it or the others, and where its file lies."""
        window = self._window
        menu = Menu("", window, name=f"Drawing {session.title}")
        menu.addAction("Close", lambda: window.filing.close(session))
        others = menu.addAction("Close others", lambda: window.filing.close_others(session))
        others.setEnabled(window.workspace is not None and len(window.workspace.sessions) > 1)
        menu.addSeparator()
        menu.addAction("Save", lambda: window.filing.save(session)).setEnabled(not session.is_saved)
        copied = menu.addAction("Copy path", lambda: QGuiApplication.clipboard().setText(str(session.path)))
        shown = menu.addAction("Show in folder", lambda: show_folder(session.path))
        for action in (copied, shown):
            action.setEnabled(session.path is not None)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _add_bookmarks(self, menu: QMenu) -> None:
        """Nine places to go to, and the same to be set."""
        window = self._window
        self.bookmarks = Menu("Bookmarks", menu)
        menu.addMenu(self.bookmarks)
        self.bookmarks.aboutToShow.connect(window.commands.refresh)
        for number in NUMBERS:
            self.bookmarks.addAction(window.commands[f"bookmark_{number}"])
        self.bookmarks.addSeparator()
        marks = Menu("Set here", self.bookmarks)
        self.bookmarks.addMenu(marks)
        for number in NUMBERS:
            marks.addAction(window.commands[f"set_bookmark_{number}"])

    def _list_recent(self) -> None:
        window, menu = self._window, self.recent
        menu.clear()
        for path in window.settings.recent:
            opened = menu.addAction(str(path).replace("&", "&&"))
            opened.triggered.connect(
                lambda _checked=False, path=path: window.when_ready(lambda: window.filing.open(path))
            )
        if menu.isEmpty():
            menu.addAction("Nothing yet").setEnabled(False)
            return
        menu.addSeparator()
        menu.addAction("Forget them", self._forget_recent)

    def _forget_recent(self) -> None:
        self._window.settings.forget_recent()
        self._window.gallery.show_recent([])

    def _list_drawings(self) -> None:
        window, menu = self._window, self.drawings
        menu.clear()
        for session in window.workspace.sessions if window.workspace else ():
            action = menu.addAction(session.title.replace("&", "&&") + ("" if session.is_saved else "  •"))
            action.setCheckable(True)
            action.setChecked(session is window.drawing)
            action.triggered.connect(lambda _checked=False, session=session: window.show_session(session))
        menu.addSeparator()
        for id in ("save", "save_as", "close"):
            menu.addAction(window.commands[id])
        window.commands.refresh()


def show_folder(path: Path | None) -> None:
    """Open the folder in which a file lies."""
    if path is not None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
