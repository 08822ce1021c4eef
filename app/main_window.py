"""The window: bars, docks and the canvas in the middle. It shows itself at once and loads the rest behind."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QMainWindow, QStackedWidget

from app import theme
from app.access.announcer import Announcer
from app.access.last_input import LastInput
from app.actions.hints import Hints
from app.actions.table import Actions
from app.bars.banners import Banners
from app.bars.drawing_tabs import DrawingTabs
from app.bars.menus import Menus
from app.bars.status_bar import StatusBar
from app.bars.top_bar import TopBar
from app.canvases import Canvases
from app.catalogue import Catalogue, cached
from app.dialogs.dialogs import Dialogs
from app.docking.docks import Docks
from app.docking.panes import Panes
from app.engine_link import EngineLink
from app.files.carried import take_copy
from app.files.disk import Disk
from app.files.filing import Filing
from app.files.library import Library
from app.files.recovery import Recovery
from app.files.reopening import Reopening
from app.gallery.gallery import Gallery
from app.icons import icon
from app.loading import Loader, Parts
from app.palette import Palette
from app.searching.finder import Finder
from app.settings import Settings
from app.tour import Tour
from app.watch import Watch

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.files.autosave import Autosave
    from app.session import Session
    from app.workspace import Workspace
    from graph.engine import Engine

log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """The window.

    Signals:
        ready: everything is loaded; carries nothing.
        closed: it was closed and has let go of the engine.
    """

    ready = Signal()
    closed = Signal()

    def __init__(self, settings: Settings | None = None, *, engine: Engine | None = None) -> None:
        """Build what can be seen.

        Args:
            settings: what was remembered.
            engine: one that runs already and outlives the window; otherwise the window has its own.
        """
        super().__init__()
        self.settings = settings or Settings()
        self._cached = cached()
        self.catalogue = self._cached or Catalogue()
        self.workspace: Workspace | None = None
        self.autosave: Autosave | None = None
        self.engine = engine
        self._own_engine = engine is None
        self._link: EngineLink | None = None
        self._parts: Parts | None = None
        self.canvases = Canvases(self)
        self._wishes: list[Callable[[], object]] = []
        self._painted = False
        self.is_ready = False
        self.setWindowTitle("Blockwright")
        self.setWindowIcon(icon("blockwright", theme.current().text))
        self.setAcceptDrops(True)
        self.top_bar = TopBar(self)
        self.setMenuWidget(self.top_bar)
        self.status = StatusBar(self)
        self.setStatusBar(self.status)
        self.block_palette = Palette()
        self.gallery = Gallery()
        self.opening = QLabel("")
        self.opening.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.opening.setProperty("role", "muted")
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.gallery)
        self.stack.addWidget(self.opening)
        self.tabs = DrawingTabs()
        self.docks = Docks(self, self.settings, self.block_palette, self.tabs.over(self.stack))
        self.setCentralWidget(self.docks.area)
        self.banners = Banners(self, self.stack)
        self.filing = Filing(self)
        self.finder = Finder(self)
        self.panes = Panes(self)
        self.commands = Actions(self)
        self.watch = Watch(self)
        self.dialogs = Dialogs(self)
        self.recovery = Recovery(self)
        self.reopening = Reopening(self)
        self.disk = Disk(self)
        self.tour = Tour(self)
        self.library = Library(self)
        self.last_input = LastInput(self)
        self.announcer = Announcer(self)
        self._listeners = (self.watch, self.reopening, self.disk, self.tabs, self.library, self.announcer)
        self._loader = Loader(self)
        self._connect()
        self.block_palette.show_folded(self.settings.folded)
        if self._cached:
            self._show_catalogue(self._cached)
        self.gallery.show_recent(self.settings.recent)
        self.docks.restore()
        self.watch.refresh()

    # What is shown

    @property
    def session(self) -> Session:
        """The current session; there is one once the window is ready."""
        assert self.workspace is not None
        return self.workspace.session

    @property
    def drawing(self) -> Session | None:
        """The session whose canvas is in view; None while the gallery is, and before the window is ready."""
        return self.session if self.workspace is not None and self.canvas is not None else None

    @property
    def canvas(self) -> Canvas | None:
        """The canvas in view."""
        return self.canvases.shown

    @property
    def is_running(self) -> bool:
        """Whether the current drawing is being run."""
        return self.workspace is not None and self.workspace.is_running

    def start(self, path: Path | None = None, template: str | None = None) -> None:
        """Show the gallery, or open a file or template as soon as that is possible."""
        self.last_input.watch()
        if path is not None:
            self._show_opening(f"Opening {path.name} …")
            self.when_ready(lambda: self.reopening.restore(lambda: self.filing.open(path) or self.filing.show_front()))
        elif template is not None:
            self._show_opening("Drawing …")
            self.when_ready(lambda: self.filing.new_from_template(template, {}) or self.show_gallery())
        elif self.settings.reopens and self.settings.open_drawings:
            self._show_opening("Opening what was open …")
            self.when_ready(self.reopening.restore)
        else:
            self.show_gallery()

    def load(self) -> None:
        """Load what the window can show itself without; it happens by itself after the first paint."""
        if self._parts is None:
            self._loader.start(self._cached)

    def show_gallery(self, template: str | None = None) -> None:
        """Show the gallery, perhaps with one template chosen."""
        self.finder.popup.close_search()
        self.gallery.show_recent(self.settings.recent)
        self.gallery.show_back(bool(self.canvases))
        self.stack.setCurrentWidget(self.gallery)
        self.docks.show_gallery(True)
        self.tabs.show_front(False)
        if template is not None:
            self.gallery.choose(template)
        else:
            (self.gallery.chosen or self.gallery).setFocus()
        self.watch.refresh()

    def show_session(self, session: Session) -> None:
        """Show a drawing, opening it if it is new."""
        assert self.workspace is not None
        self.workspace.show(session)
        self._show_canvas(session)

    def add_block(self, name: str, scene: QPointF | None) -> None:
        """Put a block on the canvas: where it is asked for, or in the middle; without a drawing, on an empty one."""
        if not self.is_ready:
            self.when_ready(lambda: self.add_block(name, scene))
            return
        if self.canvas is None:
            self.filing.new_empty()
        assert self.canvas is not None
        self.canvas.add_block(name, scene)

    def fit(self) -> None:
        """Bring the selection into view, or everything when nothing is selected."""
        assert self.canvas is not None
        if self.session.selection:
            self.canvas.fit_selection()
        else:
            self.canvas.fit_all()

    def focus_palette(self) -> None:
        """Put the cursor into the palette's field."""
        if not self.docks.is_shown("palette"):
            self.docks.toggle("palette")
        self.block_palette.focus_search()

    def set_theme(self, name: str) -> None:
        """Take a theme and remember it."""
        self.settings.theme = name
        self._apply_theme()

    # Qt's events

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            self.commands.refresh_enabled()  # no field keeps this key, so Qt asks the actions next
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self, self.load)

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous():
            self.docks.fit()
        super().showEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_running:
            self.watch.cancel()
        elif event.key() == Qt.Key.Key_Escape and self.tour.is_shown:
            self.tour.end()
        elif event.key() == Qt.Key.Key_Escape and self.canvas is not None and self.canvas.hasFocus():
            self.canvas.leave_group()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        return self.panes.tab(1 if next else -1)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self.canvases.take_files([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])
        take_copy(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.workspace is not None and not self.filing.may_quit():
            event.ignore()
            return
        self.hide()
        self.docks.remember()
        self.settings.flush()
        self._loader.stop()
        self.last_input.stop()
        for part in self._listeners:
            part.stop()
        if self.autosave is not None:
            self.autosave.close()
        if self._link is not None:
            self._link.stop()
        if self._own_engine and self.engine is not None:
            self.engine.close()
        event.accept()
        self.closed.emit()

    # Inside

    def _connect(self) -> None:
        self.menus = Menus(self)
        self.hints = Hints(self)
        self.top_bar.connect_to(self)
        self.commands.add_to(self.stack)
        self.status.problems_pressed.connect(lambda: self.docks.reveal("problems"))
        self.block_palette.block_chosen.connect(lambda name: self.add_block(name, None))
        self.block_palette.template_chosen.connect(self.show_gallery)
        self.block_palette.folding_changed.connect(lambda folded: setattr(self.settings, "folded", folded))
        gallery = self.gallery
        gallery.asked_empty.connect(lambda: self.when_ready(self.filing.new_empty))
        gallery.asked_template.connect(self._draw_template)
        gallery.asked_file.connect(lambda path: self.when_ready(lambda: self.filing.open(path)))
        gallery.asked_open.connect(lambda: self.when_ready(self.filing.ask_open))
        gallery.dismissed.connect(lambda: self._show_canvas(self.session))
        gallery.tuned.connect(self.watch.estimate_template)
        self.tabs.connect_to(self)
        self._loader.loaded.connect(self._loaded)
        self._loader.failed.connect(self._failed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    def _draw_template(self, name: str, values: Mapping[str, Any]) -> None:
        self.when_ready(lambda: self.filing.new_from_template(name, values))

    def when_ready(self, wish: Callable[[], object]) -> None:
        """Do it now, or as soon as everything is loaded; a later wish of the impatient replaces the earlier."""
        if self.is_ready:
            wish()
        else:
            self._wishes = [wish]
            self.status.show_last("Loading …")

    def _show_opening(self, text: str) -> None:
        self.opening.setText(text)
        self.stack.setCurrentWidget(self.opening)

    def _show_catalogue(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.block_palette.show_catalogue(catalogue)
        self.gallery.show_catalogue(catalogue)
        if self.gallery.hasFocus() and self.gallery.chosen is not None:
            self.gallery.chosen.setFocus()

    def _loaded(self, parts: Parts) -> None:
        """Put the workspace together; each panel takes a turn of the event loop of its own."""
        from app.files.autosave import Autosave
        from app.workspace import Workspace

        self._parts = parts
        if self._cached is None:
            self._show_catalogue(parts.catalogue)
        workspace = Workspace()
        self.workspace = workspace
        self.autosave = Autosave(workspace, self)
        self.autosave.failed.connect(self.banners.tell_of_journal)
        self.autosave.turn(self.settings.autosave)
        if self.engine is None:
            self.engine = parts.engine(parts.jobs, device=self.settings.device)
            self.engine.start()
        self._link = EngineLink(workspace, self.engine, self)
        workspace.switched.connect(self._switched)
        workspace.closed.connect(self.canvases.drop)
        workspace.failed.connect(lambda title, sentence: self.banners.say(f"{title}. {sentence}", tone="error"))
        for part in self._listeners:
            part.attach(workspace)
        self._link.start()
        QTimer.singleShot(0, self, lambda: self._add_panels(list(parts.panels)))

    def _add_panels(self, classes: list[Any]) -> None:
        if classes:
            self.docks.add_panel(classes[0](self.workspace))
            QTimer.singleShot(0, self, lambda: self._add_panels(classes[1:]))
            return
        self.is_ready = True
        self.status.show_last("")
        self.watch.refresh()
        wishes, self._wishes = self._wishes, []
        for wish in wishes:
            wish()
        self.recovery.offer()
        self.ready.emit()

    def _failed(self, error: Exception) -> None:
        self.opening.setText("")
        text = f"Blockwright could not be loaded: {error}"
        self.banners.say(text, ("Show the log", self.dialogs.show_log), tone="error")
        self.status.show_engine("dead", "")

    def _switched(self, session: Session) -> None:
        if session in self.canvases or session.document.top.nodes:
            self._show_canvas(session)
        else:
            self.show_gallery()

    def _show_canvas(self, session: Session) -> None:
        assert self._parts is not None
        self.finder.popup.close_search()
        self.canvases.show(session, self._parts.canvas)
        self.docks.show_gallery(False)
        self.tabs.show_front(True)
        self.panes.go_home()
        self.watch.refresh()

    def _apply_theme(self) -> None:
        theme.apply(self.settings.theme)
        self.canvases.repaint()
        for panel in self.docks.panels:
            panel.invalidate()
        self.watch.refresh()

    def _system_changed(self) -> None:
        if self.settings.theme == "system":
            self._apply_theme()
