"""What happens when the program itself is at fault: it is logged, the work is kept, and one dialog says so."""

from __future__ import annotations

import logging
import logging.handlers
import sys
import threading
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QMessageBox

from app.folders import log_folder
from app.widgets.message import MessageBox

if TYPE_CHECKING:
    from app.main_window import MainWindow

LOG_SIZE, LOGS = 2**20, 3
log = logging.getLogger("blockwright")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class _LogFile(logging.handlers.RotatingFileHandler):
    """A log file; on a full disk a line goes to the terminal, and no tale of how it could not be written."""

    def handleError(self, record: logging.LogRecord) -> None:
        if isinstance(sys.exc_info()[1], OSError):
            print(self.format(record), file=sys.stderr)
        else:
            super().handleError(record)


def start_log() -> None:
    """Write warnings and worse to the log file; a place that cannot be written is no reason not to start."""
    root = logging.getLogger()
    try:
        folder = log_folder()
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = _LogFile(
            folder / "blockwright.log", maxBytes=LOG_SIZE, backupCount=LOGS, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    qInstallMessageHandler(_from_qt)


class Faults(QObject):
    """Catches what nobody else did, in every thread, and tells the user once at a time."""

    caught = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._showing = False
        self._text = ""
        self._before = (sys.excepthook, threading.excepthook)
        self.caught.connect(self._show, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._main
        threading.excepthook = self._other
        window.closed.connect(self.stop)

    def stop(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._before

    def _main(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        if self._showing and text == self._text:
            return  # a fault that comes again and again is told once
        self._text = text
        log.error("unhandled: %s", text)
        self.caught.emit(text)

    def _other(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._main(args.exc_type, args.exc_value, args.exc_traceback)

    def _show(self, text: str) -> None:
        window = self._window
        kept = True
        if window.autosave is not None:
            try:
                kept = window.autosave.flush()
            except Exception:  # the fault may be anywhere, and this must not hide it
                log.exception("the journal could not be written")
                kept = False
        if self._showing:
            return
        self._showing = True
        box = MessageBox(window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Blockwright")
        box.setText("Blockwright has made a mistake.")
        safe = "Your drawings are safe: what was not saved is in the journal." if kept else "Save your drawings now."
        box.setInformativeText(f"{safe} You can go on; if things look odd, save and start again.")
        box.setDetailedText(text)
        show = box.addButton("Show the log", QMessageBox.ButtonRole.ActionRole)
        go_on = box.addButton("Go on", QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(go_on)
        box.setEscapeButton(go_on)  # without one, neither Esc nor the window's own button would close it
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(self._done)
        show.clicked.connect(window.dialogs.show_log)
        box.open()

    def _done(self) -> None:
        self._showing = False


def _from_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    log.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s", message)
