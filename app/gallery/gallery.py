"""The first thing one sees: templates to start from, what was open last, an empty canvas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.catalogue import Catalogue
from app.gallery.card import EMPTY, Card
from app.gallery.setup import NARROW, WIDTH, Setup
from app.searching import search
from app.widgets.text import ElidedLabel, label

CARD_GAP, MARGIN = 16, 24
MOST_RECENT = 6
CONTENT_WIDTH = 1180
ONE_COLUMN = 2 * MARGIN + Card.WIDTH + CARD_GAP + 22
"""What a column of cards needs beside the variables, with its scroll bar."""
FILTER_WIDTH, FILTER_LEAST = 200, 120
LEAST_HEIGHT, LOW = 320, 520
"""With less than the first the gallery scrolls; with less than the second it stays nearer to its edges."""
ESTIMATE_DELAY = 250


class Gallery(QWidget):
    """Cards at the left, the variables of the chosen one at the right.

    Signals:
        asked_template: draw a template; carries its name and the values of its variables.
        asked_empty: an empty canvas.
        asked_file: open a recent file.
        asked_open: ask for a file.
        dismissed: go back to the drawing.
        tuned: other values are set; carries name and values, a moment after the last change.
    """

    asked_template = Signal(str, dict)
    asked_empty = Signal()
    asked_file = Signal(Path)
    asked_open = Signal()
    dismissed = Signal()
    tuned = Signal(str, dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Start")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.cards: list[Card] = []
        self.setup = Setup()
        self._grid = QGridLayout()
        self._grid.setSpacing(CARD_GAP)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._headings: dict[str, QWidget] = {}
        self._nothing = label("No architecture is called that.", "muted")
        self._nothing.hide()
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._recent_title = label("Recent", "section")
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Find an architecture")
        self.filter.setAccessibleName("Find an architecture")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(FILTER_WIDTH)
        self.filter.textChanged.connect(self._filter)
        self.filter.returnPressed.connect(self._focus_first)
        self._empty = QPushButton("Empty canvas")
        self._empty.setAccessibleName("Empty canvas")
        self._empty.clicked.connect(self.asked_empty)
        self._open = QPushButton("Open a file …")
        self._open.setAccessibleName("Open a file")
        self._back = QPushButton("Back to the drawing")
        self._back.setAccessibleName("Back to the drawing")
        self._back.hide()
        self._columns = 0
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(ESTIMATE_DELAY)
        self._delay.timeout.connect(self._tell)
        ways = QHBoxLayout()
        ways.setSpacing(8)
        ways.addWidget(self.filter, 100)
        ways.addStretch(1)
        for widget in (self._back, self._empty, self._open):
            ways.addWidget(widget)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(8)
        self._head.addWidget(label("Start with an architecture", "large"), 1)
        self._head.addLayout(ways)
        cards = QWidget()
        left = QVBoxLayout(cards)
        left.setContentsMargins(0, 0, 12, 0)
        left.setSpacing(8)
        left.addWidget(self._recent_title)
        left.addLayout(self._recent)
        left.addLayout(self._grid)
        left.addWidget(self._nothing)
        left.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(cards)
        content = QWidget()
        content.setMaximumWidth(CONTENT_WIDTH)
        sides = QHBoxLayout()
        sides.setSpacing(CARD_GAP)
        sides.addWidget(self._scroll, 1)
        sides.addWidget(self.setup)
        self._column = QVBoxLayout(content)
        self._column.setSpacing(16)
        self._column.addLayout(self._head)
        self._column.addLayout(sides, 1)
        self._page = QWidget()
        middle = QHBoxLayout(self._page)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addStretch(1)
        middle.addWidget(content, 100)
        middle.addStretch(1)
        self._whole = QScrollArea()  # which gives no size: a page with words of several lines would get all it asks for
        self._whole.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._whole.setWidget(self._page)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._whole)
        self._open.clicked.connect(self.asked_open)
        self._back.clicked.connect(self.dismissed)
        self.setup.drawn.connect(self._draw)
        self.setup.changed.connect(self._delay.start)
        self.show_recent([])

    @property
    def chosen(self) -> Card | None:
        """The card that is chosen."""
        return next((card for card in self.cards if card.isChecked()), None)

    def show_catalogue(self, catalogue: Catalogue) -> None:
        """Fill in the templates."""
        for widget in (*self.cards, *self._headings.values()):
            widget.deleteLater()
        self.cards = [Card(template, self) for template in catalogue.templates]
        families = dict.fromkeys(template.family for template in catalogue.templates)
        self._headings = {family: label(family, "section") for family in families}
        self.cards.append(Card(None, self))
        for card in self.cards:
            card.toggled.connect(self._choose)
            card.opened.connect(self._open_card)
        self._columns = 0
        self._lay_out()
        self.cards[0].setChecked(True)

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List what was open last."""
        while (item := self._recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._recent_title.setVisible(bool(paths))
        for path in list(paths)[:MOST_RECENT]:
            self._recent.addWidget(_RecentRow(path, self.asked_file.emit))

    def show_back(self, possible: bool) -> None:
        """Whether there is a drawing to go back to."""
        self._back.setVisible(possible)

    def choose(self, name: str) -> None:
        """Choose a template by its name."""
        for card in self.cards:
            if card.name == name:
                card.setChecked(True)
                card.setFocus()
                self._scroll.ensureWidgetVisible(card)

    def show_estimate(self, text: str) -> None:
        """Say what the chosen template weighs."""
        self.setup.show_estimate(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._back.isVisible():
            self.dismissed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._lay_out()

    def _lay_out(self) -> None:
        room, least, bar = self.size(), QSize(ONE_COLUMN + NARROW, LEAST_HEIGHT), self._whole.horizontalScrollBar()
        if room.width() < least.width():
            room.setHeight(room.height() - bar.sizeHint().height())
        self._page.resize(room.expandedTo(least))
        narrow = self.width() < ONE_COLUMN + WIDTH
        self.filter.setMinimumWidth(FILTER_LEAST if narrow else FILTER_WIDTH)
        self.setup.take_width(NARROW if narrow else WIDTH)
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._head.setDirection(down if narrow else across)
        top = 16 if self.height() < LOW else 32
        self._column.setContentsMargins(MARGIN, top, MARGIN, min(top, MARGIN))
        room = min(self._page.width(), CONTENT_WIDTH) - 3 * MARGIN - CARD_GAP - self.setup.minimumWidth()
        columns = max(1, min(3, (room + CARD_GAP) // (Card.WIDTH + CARD_GAP)))
        if columns != self._columns:
            self._columns = columns
            self._place_cards()

    def _place_cards(self) -> None:
        """A heading over the cards of each family; cards that the filter leaves out take no room."""
        wanted = [card for card in self.cards if self._matches(card)]
        for widget in (*self.cards, *self._headings.values()):
            self._grid.removeWidget(widget)
            if widget not in wanted:  # hiding would take the keyboard from what is shown again
                widget.hide()
        row = place = 0
        family = None
        for card in wanted:
            of_card = card.template.family if card.template else family
            if of_card is not None and of_card != family:
                row += 1 if place else 0
                self._grid.addWidget(self._headings[of_card], row, 0, 1, self._columns)
                self._headings[of_card].show()
                family, place, row = of_card, 0, row + 1
            self._grid.addWidget(card, row, place)
            card.show()
            place += 1
            if place == self._columns:
                row, place = row + 1, 0
        self._nothing.setVisible(not wanted)

    def _matches(self, card: Card) -> bool:
        words = self.filter.text()
        return not words.strip() or search.best(words, [card.title], [card.name], [card.summary]) > 0

    def _filter(self) -> None:
        self._place_cards()
        card = self.chosen
        if card is None or not self._matches(card):
            first = next((card for card in self.cards if self._matches(card)), None)
            if first is not None:
                first.setChecked(True)

    def _focus_first(self) -> None:
        """From the filter on to the card that is chosen."""
        card = self.chosen
        if card is not None and card.isVisible():
            card.setFocus()

    def _choose(self, on: bool) -> None:
        card = self.chosen
        if on and card is not None:
            self.setup.show_template(card.template)
            self._delay.start()

    def _open_card(self) -> None:
        card = self.chosen
        if card is not None and card.name == EMPTY:
            self.asked_empty.emit()
        else:
            self.setup.draw()

    def _draw(self, name: str, values: dict[str, Any]) -> None:
        if name == EMPTY:
            self.asked_empty.emit()
        else:
            self.asked_template.emit(name, values)

    def _tell(self) -> None:
        card = self.chosen
        if card is not None and card.template is not None and self.isVisible():
            values = self.setup.values()
            if values is not None:
                self.tuned.emit(card.name, values)


class _RecentRow(QPushButton):
    """A file that was open before: its name and where it lies."""

    def __init__(self, path: Path, asked: Any) -> None:
        super().__init__()
        self.setProperty("role", "row")
        self.setAccessibleName(f"Open {path.name}")
        self.setToolTip(str(path))
        self.setFixedHeight(32)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(16)
        name = ElidedLabel(path.stem)
        name.setFixedWidth(200)
        place = ElidedLabel(_home(path.parent), "faint", mode=Qt.TextElideMode.ElideMiddle)
        for part in (name, place):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row.addWidget(name)
        row.addWidget(place, 1)
        self.clicked.connect(lambda: asked(path))


def _home(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}".removesuffix("/.")
    except ValueError:
        return str(path)
