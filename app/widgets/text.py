"""Labels: by role, elided, and the heading of a section."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app import theme


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """A plain-text label in one of the theme's roles: heading, section, muted, faint, number, error."""
    result = WrapLabel(text) if wrap else QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        result.setProperty("role", role)
    return result


def line() -> QFrame:
    """A thin separator."""
    frame = QFrame()
    frame.setProperty("role", "line")
    return frame


class WrapLabel(QLabel):
    """A label of several lines; what it asks for is one line, and what it gets is what its width needs."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height())


class ElidedLabel(QLabel):
    """A label that gives way: it ends in … where there is no room, and then its tooltip is the whole text."""

    def __init__(self, text: str = "", role: str = "", *, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._mode = mode
        self._hint = ""
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_hint(self, text: str) -> None:
        """The tooltip while nothing is cut off."""
        self._hint = text
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(24, self.sizeHint().width()), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        area = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._mode, area.width())
        hint = self._hint if shown == self.text() else "\n".join(filter(None, (self.text(), self._hint)))
        if hint != self.toolTip():
            self.setToolTip(hint)
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, int(self.alignment()) | Qt.TextFlag.TextSingleLine, shown)


class Section(QWidget):
    """A part of a panel under a bold heading, with a separator above; `trailing` stands at the right of the heading."""

    def __init__(self, title: str, *, separated: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = label(title, "section")
        self.trailing = ElidedLabel("", "muted")
        self.trailing.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(theme.SPACE_1)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(theme.SPACE_2)
        head.addWidget(self.heading)
        head.addWidget(self.trailing, 1)
        self.head = head
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_2)
        if separated:
            layout.addWidget(line())
            layout.addSpacing(theme.SPACE_2)
        layout.addLayout(head)
        layout.addLayout(self.body)
