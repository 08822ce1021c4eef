"""What dialogs have in common: they fit the screen. What has no room scrolls, and the buttons below stay in reach."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app import theme
from app.screens import room_beside
from app.widgets.gives_way import GivesWay


class Dialog(QDialog):
    """A dialog.

    Args:
        title: what its frame says.
        parent: over which it opens.
        width: what it takes at least.
        height: what it takes at first; 0 is what its contents need. With one, the width is that at first, too.
    """

    def __init__(self, title: str, parent: QWidget | None = None, *, width: int, height: int = 0) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._wanted = QSize(width, height)

    def fit(self) -> None:
        """Take the size of what is shown now, as far as the screen goes."""
        room = room_beside(self).size()
        if self._wanted.height():
            self.resize(self._wanted.boundedTo(room))
            return
        layout = self.layout()
        assert layout is not None
        self.setMinimumWidth(min(self._wanted.width(), room.width()))
        for _ in range(2):  # how high words are is known when they know how wide they may be
            for area in self.findChildren(GivesWay):
                _ask_anew(area, self)
            layout.activate()
            width = min(max(self._wanted.width(), layout.totalSizeHint().width()), room.width())
            words = layout.hasHeightForWidth()
            height = layout.totalHeightForWidth(width) if words else layout.totalSizeHint().height()
            self.resize(QSize(width, height).boundedTo(room))

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous():
            self.fit()
        super().showEvent(event)


def _ask_anew(widget: QWidget | None, dialog: QDialog) -> None:
    """Let what lies around a widget forget how large it was."""
    while widget is not None and widget is not dialog:
        widget.updateGeometry()
        widget = widget.parentWidget()


def body(inside: QWidget) -> GivesWay:
    """What scrolls in a dialog where it must; what is left of a dialog that was made higher lies below it."""
    area = GivesWay(inside)
    area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    return area


def foot(*buttons: QPushButton) -> QHBoxLayout:
    """The buttons below, at the right; the one that most people want is the last."""
    row = QHBoxLayout()
    row.setSpacing(theme.SPACE_2)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row
