"""Quiet messages over the canvas: one sentence, perhaps one button, no question that stops the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app import theme
from app.access.voice import VOICE
from app.icons import pixmap
from app.symbols import of_state
from app.widgets.icons import IconButton

if TYPE_CHECKING:
    from app.main_window import MainWindow

BRIEF = 7000
"""Milliseconds that a passing message stays."""
REFUSAL = "refusal"
"""The key of refusals: the next one takes the place of the last, and what is done takes it away."""
MOST = 3
WIDEST, MARGIN = 720, 24

Button = tuple[str, Callable[[], object]]


class Banners(QObject):
    """The messages over an area, the latest at the bottom."""

    def __init__(self, window: MainWindow, area: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._area = area
        self.shown: list[Banner] = []
        area.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return False

    def refuse(self, sentence: str) -> None:
        """Say why something that was asked for cannot be done."""
        self.say(sentence, tone="warning", brief=True, key=REFUSAL)

    def tell_of_journal(self, fault: str) -> None:
        """Say that a killed program would lose what is not saved, and why."""
        self.say(f"What you have not saved cannot be kept in the journal: {fault.rstrip('.')}.", tone="warning")

    def say(self, text: str, *buttons: Button, tone: str = "info", brief: bool = False, key: str = "") -> Banner:
        """Show a message.

        Args:
            text: one sentence or two.
            buttons: label and what it does; pressing one closes the message.
            tone: info, good, warning or error.
            brief: whether it goes by itself.
            key: a message with the same key, or the same text, gives way to this one.
        """
        for old in [banner for banner in self.shown if banner.text == text or (key and banner.key == key)]:
            self.dismiss(old)
        for old in self.shown[: max(0, len(self.shown) - MOST + 1)]:
            self.dismiss(old)
        banner = Banner(self._window, text, buttons, tone, key, self.dismiss)
        self.shown.append(banner)
        if brief:
            soon = QTimer(banner)  # its own, so that it goes with it
            soon.setSingleShot(True)
            soon.timeout.connect(lambda: self.dismiss(banner))
            soon.start(BRIEF)
        banner.show()
        self._place()
        banner.raise_()
        VOICE.say(banner, text, urgent=tone in ("warning", "error"))
        return banner

    def dismiss(self, banner: Banner) -> None:
        """Take a message away."""
        if banner in self.shown:
            self.shown.remove(banner)
            had_focus = banner.isAncestorOf(QApplication.focusWidget())
            banner.hide()
            if had_focus:
                self._window.panes.go_home()
            banner.deleteLater()
            self._place()

    def clear(self, key: str) -> None:
        """Take away the message with a key."""
        for banner in [banner for banner in self.shown if banner.key == key]:
            self.dismiss(banner)

    def _place(self) -> None:
        """Put the messages at the foot of the area."""
        area = self._area
        corner = area.mapTo(self._window, area.rect().topLeft())
        bottom = corner.y() + area.height() - MARGIN
        for banner in reversed(self.shown):
            banner.fit(min(WIDEST, max(area.width() - 2 * MARGIN, 240)))
            banner.move(corner.x() + (area.width() - banner.width()) // 2, bottom - banner.height())
            bottom -= banner.height() + 8


class Banner(QFrame):
    """One message."""

    def __init__(
        self,
        parent: QWidget,
        text: str,
        buttons: tuple[Button, ...],
        tone: str,
        key: str,
        dismiss: Callable[[Banner], None],
    ) -> None:
        super().__init__(parent)
        self.text, self.tone, self.key = text, tone, key
        self.setProperty("role", "banner")
        self.setProperty("tone", tone)
        self.setAccessibleName(text)
        self._icon = QLabel(self)
        self._label = QLabel(text, self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._icon)
        layout.addWidget(self._label, 1)
        self.buttons: list[QPushButton] = []
        for title, do in buttons:
            button = QPushButton(title, self)
            button.setProperty("role", "link")
            button.setAccessibleName(title)

            def press(_checked: bool = False, do: Callable[[], object] = do) -> None:
                dismiss(self)
                do()

            button.clicked.connect(press)
            layout.addWidget(button)
            self.buttons.append(button)
        close = IconButton("x", "Dismiss", self)
        close.clicked.connect(lambda: dismiss(self))
        layout.addWidget(close)
        self._colour()

    def fit(self, widest: int) -> None:
        """Take the size the text needs, within a width."""
        self._label.setWordWrap(False)
        self._label.setMinimumHeight(0)
        line = self._label.sizeHint().width()
        wanted = self.layout().sizeHint().width()
        height = 0
        if wanted > widest:
            self._label.setWordWrap(True)
            height = self._label.heightForWidth(max(widest - (wanted - line), 80))
            self._label.setMinimumHeight(height)
        self.resize(min(wanted, widest), max(height + 16, 40))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        look = theme.current()
        colour = {"error": look.error, "warning": look.warning, "good": look.good}.get(self.tone, look.accent)
        self._icon.setPixmap(pixmap(of_state(self.tone), colour, ratio=self.devicePixelRatioF()))
