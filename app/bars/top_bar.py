"""The bar at the top: name, drawing, menus, the way to commands, Run and Export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenuBar,
    QPushButton,
    QSizePolicy,
    QSpacerItem,
    QToolButton,
    QWidget,
)

from app import theme
from app.icons import icon
from app.widgets.menu import Menu

if TYPE_CHECKING:
    from app.main_window import MainWindow

HEIGHT = 44
SEARCH_WIDTH, SEARCH_NARROWEST, SEARCH_HEIGHT, GAP, GLASS = 280, 216, 28, 24, 14
SPACING, MARGIN, TITLE_GAP, TITLE_LEAST = 8, 16, 40, 64
INSET = 8
"""From the edge of the title's button to its words."""
REST = 12
"""Qt gives so much room to what stands for the menus that have none."""
SEARCH = "Search or run a command"


class TopBar(QWidget):
    """The bar. Where there is little room the field becomes a button, then the name goes and the title ends in ….

    Signals:
        run_pressed, cancel_pressed: the first button at the right, by what it says.
        search_pressed: the field that opens the search for commands.
    """

    run_pressed = Signal()
    cancel_pressed = Signal()
    search_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self._running = False
        self.name = QLabel("Blockwright", self)
        self.name.setContentsMargins(0, 0, SPACING, 0)
        self.name.setFont(theme.font(weight=QFont.Weight.DemiBold))
        self.title = TitleButton(self)
        self.menus = QMenuBar(self)
        self.menus.setNativeMenuBar(False)
        self.menus.setAccessibleName("Menus")
        self.menus.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        rest = self.menus.findChild(QToolButton, "qt_menubar_ext_button")  # Qt's, for menus that have no room
        assert rest is not None
        self._rest = rest
        self._rest.setIconSize(QSize(REST, REST))
        self._rest.setToolTip("More menus")
        self._rest.setAccessibleName("More menus")
        self.search = QPushButton(SEARCH, self)
        self.search.setProperty("role", "search")
        self.search.setIconSize(QSize(GLASS, GLASS))
        self.search.setAccessibleName(SEARCH)
        self.search.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        keys = QHBoxLayout(self.search)
        keys.setContentsMargins(0, 0, 12, 0)
        keys.addStretch(1)
        self.keys = QLabel("", self.search)
        self.keys.setProperty("role", "faint")
        self.keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        keys.addWidget(self.keys)
        self.run = QPushButton("Run", self)
        self.run.setProperty("role", "primary")
        self.run.setFixedWidth(86)
        self.export = QPushButton("Export", self)
        self.export.setFixedWidth(78)
        self.export_menu = Menu("", self.export, name="Export")
        self.export.setMenu(self.export_menu)
        for button in (self.run, self.export):
            button.setAccessibleName(button.text())
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._gap = QSpacerItem(TITLE_GAP, 0, QSizePolicy.Policy.Fixed)
        layout = self._row = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, 0, MARGIN, 1)
        layout.setSpacing(SPACING)
        layout.addWidget(self.name)
        layout.addWidget(self.title)
        layout.addItem(self._gap)
        layout.addWidget(self.menus, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addStretch(1)
        layout.addSpacing(SEARCH_HEIGHT + SPACING)  # room for the field, at its smallest
        layout.addWidget(self.run)
        layout.addWidget(self.export)
        self.progress = Thread(self)
        self.search.clicked.connect(self.search_pressed)
        self._colour()
        self.run.clicked.connect(self._pressed)

    def connect_to(self, window: MainWindow) -> None:
        """Let the window do what is asked for here."""
        commands = window.commands
        self.search_pressed.connect(window.finder.commands)
        self.run_pressed.connect(commands["run"].trigger)
        self.cancel_pressed.connect(commands["cancel"].trigger)

    def show_run(self, running: bool, done: int = 0, total: int = 0) -> None:
        """Show whether a run is under way and how far it is."""
        if running != self._running:
            self._running = running
            self.run.setText("Cancel" if running else "Run")
            self.run.setAccessibleName(self.run.text())
            self.run.setProperty("role", "" if running else "primary")
            self.run.style().unpolish(self.run)
            self.run.style().polish(self.run)
        self.progress.show_share(running, done / total if total else 0.0)

    def open_menus(self) -> None:
        """Open the first menu, for the arrow keys to go on from."""
        self.menus.setActiveAction(self.menus.actions()[0])

    def show_cancelling(self) -> None:
        """Say at once that a cancel was heard."""
        self.run.setText("Stopping")
        self.run.setEnabled(False)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.progress.setGeometry(0, self.height() - 2, self.width(), 2)
        self._give_way()
        self._place_search()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._give_way()
            QTimer.singleShot(0, self, self._place_search)  # the menus take their place after this event
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        self.search.setIcon(icon("search", theme.current().faint, GLASS))
        self._rest.setIcon(icon("ellipsis", theme.current().text, REST))

    def _give_way(self) -> None:
        """The title takes what the rest leaves, the name of the program is there while there is room for both."""
        name = self.name.sizeHint().width() + SPACING
        title = self.title.sizeHint().width() if self.title.text() else 0
        others = self.menus.sizeHint().width() + SEARCH_HEIGHT + self.run.minimumWidth() + self.export.minimumWidth()
        room = self.width() - 2 * MARGIN - others - 4 * SPACING
        roomy = name + title + TITLE_GAP <= room
        gap = TITLE_GAP if roomy else 0
        self.title.setMaximumWidth(max(TITLE_LEAST, room - (name + gap if roomy else 0)))
        if roomy != self.name.isVisibleTo(self):
            self.name.setVisible(roomy)
            self._gap.changeSize(gap, 0, QSizePolicy.Policy.Fixed)
            inset = MARGIN if roomy else MARGIN - INSET  # so that the first words stand where they always do
            self._row.setContentsMargins(inset, 0, MARGIN, 1)
            self._row.invalidate()

    def _place_search(self) -> None:
        """The field lies in the middle of the window; where there is little room, it is a button beside Run."""
        left = self.menus.geometry().right() + GAP
        right = self.run.geometry().left() - GAP
        width = min(SEARCH_WIDTH, right - left)
        slim = width < SEARCH_NARROWEST
        if slim == bool(self.search.text()):
            self.search.setText("" if slim else SEARCH)
            self.search.setProperty("compact", "yes" if slim else "")
            self.search.style().unpolish(self.search)
            self.search.style().polish(self.search)
        self.keys.setVisible(width == SEARCH_WIDTH)  # with less, its words have all there is
        width = SEARCH_HEIGHT if slim else width
        place = right + GAP - SPACING - width if slim else max(left, min((self.width() - width) // 2, right - width))
        self.search.setGeometry(place, (HEIGHT - 1 - SEARCH_HEIGHT) // 2, width, SEARCH_HEIGHT)

    def _pressed(self) -> None:
        (self.cancel_pressed if self._running else self.run_pressed).emit()


class TitleButton(QToolButton):
    """The name of the drawing, with a dot while it is not saved; opens the list of open drawings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(Menu("", self, name="Open drawings"))
        self.setAccessibleName("Open drawings")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._modified = False

    def show_title(self, title: str, modified: bool, tooltip: str = "") -> None:
        """Show a drawing's name."""
        self._modified = modified
        shown = title if len(title) <= 32 else f"{title[:31].rstrip()}…"
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(tooltip)
        self.setAccessibleDescription(f"{title}, not saved" if modified else title)
        self.setVisible(bool(title))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        return QSize(size.width() + 12, size.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(TITLE_LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus() or self.isDown():
            painter.setPen(QColor(look.accent) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.field))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setPen(QColor(look.muted))
        painter.setFont(theme.font())
        area = self.rect().adjusted(INSET, 0, 0, 0)
        room = area.width() - INSET - (12 if self._modified else 0)
        text = painter.fontMetrics().elidedText(self.text().replace("&&", "&"), Qt.TextElideMode.ElideRight, room)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
        if self._modified:
            left = area.left() + painter.fontMetrics().horizontalAdvance(text) + 7
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent))
            painter.drawEllipse(QRectF(left, self.height() / 2 - 1.5, 5, 5))
        painter.end()


class Thread(QWidget):
    """A thin line that grows with a run; without a known end it stays short."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._share = 0.0
        self.hide()

    def show_share(self, shown: bool, share: float) -> None:
        """Show how far it is, from 0 to 1."""
        self.setVisible(shown)
        self._share = max(0.04, min(share, 1.0))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, round(self.width() * self._share), self.height(), QColor(theme.current().accent))
        painter.end()
