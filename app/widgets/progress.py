"""A thin line that says that something is being worked on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme


class ThinProgress(QWidget):
    """Two pixels high and always there, so that nothing moves when work begins. Short work is never shown."""

    PATIENCE = 200
    """Milliseconds before anything is drawn."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self.share: float | None = None
        self._shown = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(self.PATIENCE)
        self._timer.timeout.connect(self._appear)
        self.setAccessibleName("Progress")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(40, 2)

    minimumSizeHint = sizeHint

    def show_busy(self, busy: bool, done: int = 0, total: int = 0) -> None:
        """Whether something is being worked on, and how far it is, where that is known."""
        self.share = done / total if busy and total > 0 else None
        if busy and not self.busy:
            self._timer.start()
        elif not busy:
            self._timer.stop()
            self._shown = False
        self.busy = busy
        self.setAccessibleDescription("" if not busy else f"{self.share:.0%}" if self.share is not None else "working")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._shown:
            return
        painter = QPainter(self)
        colour = QColor(theme.current().accent)
        whole = QRectF(self.rect())
        if self.share is None:
            colour.setAlphaF(0.5)
            painter.fillRect(whole, colour)
            return
        painter.fillRect(QRectF(0, 0, whole.width() * min(self.share, 1.0), whole.height()), colour)

    def _appear(self) -> None:
        self._shown = self.busy
        self.update()
