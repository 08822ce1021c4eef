"""The first steps: four small callouts that point at the real controls, one after the other, shown once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer

from app.callout import Callout

if TYPE_CHECKING:
    from app.main_window import MainWindow

PULSE = 100
"""Milliseconds after which a callout looks where its control is now: drawings are panned and zoomed."""

Place = Callable[["MainWindow"], "QRect | None"]


@dataclass(frozen=True)
class Step:
    """One callout: a title, a sentence or two, and where in the window it points, or None while that is not there."""

    title: str
    text: str
    place: Place


def _around(name: str) -> Place:
    """The place of a control of the top bar."""

    def place(window: MainWindow) -> QRect | None:
        widget = getattr(window.top_bar, name)
        return QRect(widget.mapTo(window, QPoint()), widget.size()) if widget.isVisible() else None

    return place


def _draw_button(window: MainWindow) -> QRect | None:
    button = window.gallery.setup.button
    return QRect(button.mapTo(window, QPoint()), button.size()) if button.isVisible() else None


def _group(window: MainWindow) -> QRect | None:
    """A group on the canvas, else the canvas as a whole."""
    canvas = window.canvas
    if canvas is None:
        return None
    geometry, area = canvas.geometry_of, canvas.rect()
    corner = canvas.mapTo(window, QPoint())
    for node in geometry.nodes:
        bounds = geometry.bounds([node.id]) if node.is_group else None
        rect = canvas.camera.rect_to_screen(*bounds).toAlignedRect() if bounds is not None else QRect()
        if rect.isValid() and area.contains(rect.center()):
            return rect.intersected(area).translated(corner)
    return QRect(corner + QPoint(area.width() // 2, area.height() // 4), QSize(1, 1))


def _below_the_hint(window: MainWindow) -> QRect | None:
    """A place on an empty canvas under what stands there in words."""
    canvas = window.canvas
    if canvas is None:
        return None
    return QRect(canvas.mapTo(window, QPoint(canvas.width() // 2, canvas.height() * 5 // 8)), QSize(1, 1))


STEPS = (
    Step(
        "Pick an architecture",
        "Choose one at the left and draw it. Its sizes can be set here, and changed at any time later.",
        _draw_button,
    ),
    Step(
        "Look inside",
        "A double-click, or Enter, opens a group. Click any block: its parameters and shapes are at the right.",
        _group,
    ),
    Step(
        "Run it",
        "An example goes through the model, and the panels below show what each block made of it.",
        _around("run"),
    ),
    Step("Take it with you", "As ONNX, checked against PyTorch, or as one PyTorch file.", _around("export")),
)
DRAW = Step(
    "Draw",
    "Drag a block from the left, or double-click the canvas and type its name. Drag from port to port to wire them.",
    _below_the_hint,
)
"""What is said in place of the second step to who begins with an empty canvas."""


class Tour(QObject):
    """Leads through the steps. It stops nothing: the window can be worked with meanwhile, and the steps follow."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.callout: Callout | None = None
        self.step = -1
        self._said = STEPS[0]
        self._last: QRect | None = None
        self._keeps_focus = False
        window.ready.connect(self._greet)
        window.stack.currentChanged.connect(self._page_changed)
        window.top_bar.run_pressed.connect(lambda: self._follow(2))
        self._pulse = QTimer(self)
        self._pulse.setInterval(PULSE)
        self._pulse.timeout.connect(self._place)
        window.top_bar.export_menu.aboutToShow.connect(lambda: self._follow(3))

    @property
    def is_shown(self) -> bool:
        """Whether a callout is there."""
        return self.callout is not None

    def start(self) -> None:
        """Begin at the first step, with the gallery."""
        window = self._window
        if not window.is_ready:
            window.when_ready(self.start)
            return
        self.end()
        window.settings.has_seen_tour = True
        if window.canvas is not None:
            window.show_gallery()
        self.callout = Callout(window)
        self.callout.next_pressed.connect(self.forward)
        self.callout.back_pressed.connect(self.back)
        self.callout.skip_pressed.connect(self.end)
        self._pulse.start()
        self._show(0, focus=True)

    def end(self) -> None:
        """Take the callout away."""
        callout, self.callout = self.callout, None
        self.step = -1
        if callout is None:
            return
        self._pulse.stop()
        had_focus = callout.isAncestorOf(self._window.focusWidget())
        callout.hide()
        callout.deleteLater()
        if had_focus:
            self._window.panes.go_home()

    def forward(self) -> None:
        """Go to the next step, doing what this one asks for where the next one needs it; after the last, end."""
        window = self._window
        if self.step == 0 and window.canvas is None:
            if window.workspace is not None and window.workspace.session.document.top.nodes:
                window.gallery.dismissed.emit()
            else:
                self._keeps_focus = self._has_focus()
                window.gallery.setup.button.click()  # the change of the page leads on
            return
        if self.step + 1 < len(STEPS):
            self._show(self.step + 1)
        else:
            self.end()

    def back(self) -> None:
        """Go to the step before."""
        if self.step == 1:
            self._window.show_gallery()
        if self.step > 0:
            self._show(self.step - 1)

    def _greet(self) -> None:
        """Begin by itself where nobody has seen the steps yet, and nothing else was asked for."""
        window = self._window
        if not window.settings.has_seen_tour and window.canvas is None and window.gallery.isVisible():
            self.start()

    def _page_changed(self) -> None:
        if self.step == 0 and self._window.canvas is not None:
            focus, self._keeps_focus = self._keeps_focus, False
            self._show(1, focus=False)
            if focus:  # what is shown takes the keyboard first
                QTimer.singleShot(0, self, self._take_focus)
        else:
            self._place()

    def _follow(self, step: int) -> None:
        """The user has done what a step speaks of."""
        if self.step == step:
            self.forward()

    def _show(self, step: int, *, focus: bool = False) -> None:
        callout = self.callout
        if callout is None:
            return
        focus = focus or self._has_focus()
        self.step = step
        self._last = None
        self._said = self._step(step)
        callout.say(self._said.title, self._said.text, step + 1, len(STEPS))
        self._place()
        if focus:
            self._take_focus()

    def _step(self, step: int) -> Step:
        canvas = self._window.canvas
        is_empty = canvas is not None and not canvas.session.document.top.nodes
        return DRAW if step == 1 and is_empty else STEPS[step]

    def _has_focus(self) -> bool:
        return self.callout is not None and self.callout.isAncestorOf(self._window.focusWidget())

    def _take_focus(self) -> None:
        if self.callout is not None:
            self.callout.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        if self.callout is None:
            return
        place = self._said.place(self._window)
        self.callout.setVisible(place is not None)
        if place is not None and place != self._last:
            self.callout.point_at(place)
            self.callout.raise_()
        self._last = place
