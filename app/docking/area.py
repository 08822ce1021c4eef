"""The room around the canvas, shared out as a layout says, with lines between the parts that can be dragged."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app import theme
from app.docking.group import Group
from app.docking.layout import Layout, Middle, Part, Split, Tabs, holds_middle, share

LINE, GRIP = 1, 5
"""What lies between parts is so thick, and can be taken over so many pixels."""
CANVAS_LEAST = QSize(280, 200)
MOST_LEAST = QSize(760, 380)
"""However many panels there are, the window may be made so small; they get less than they ask for then."""


class DockArea(QWidget):
    """Puts the groups and what is in the middle where a layout has them.

    Signals:
        resized: a line was dragged, and the layout holds the new sizes.
    """

    resized = Signal()

    def __init__(self, middle: QWidget) -> None:
        super().__init__()
        self.middle = middle
        middle.setParent(self)
        self._layout = Layout(Middle())
        self.groups: Mapping[Tabs, Group] = {}
        self._grips: list[Grip] = []
        self.rects: dict[Part, QRect] = {}
        """Where each part is that can be seen."""

    def show_layout(self, layout: Layout, groups: Mapping[Tabs, Group]) -> None:
        """Take a layout, and the groups of those of its places that have something to show."""
        self._layout, self.groups = layout, groups
        for group in groups.values():
            group.show()
        least = self._least(layout.root).boundedTo(MOST_LEAST)
        self.setMinimumSize(least)
        self._place_all()

    def keep_sizes(self) -> None:
        """Let the layout hold the sizes as they are on the screen."""
        for split, _ in self._layout.parts():
            if not isinstance(split, Split):
                continue
            shown = [part for part in split.parts if part in self.rects]
            sizes = [self._extent(part, split) for part in shown]
            hidden = len(shown) < len(split.parts) and not holds_middle(split)
            scale = sum(part.size for part in shown) / max(1, sum(sizes)) if hidden else 1
            for part, size in zip(shown, sizes, strict=True):  # beside what is hidden they keep their share
                part.size = round(size * scale)

    def group_at(self, place: QPoint) -> Tabs | Middle | None:
        """What lies at a place of the area."""
        for part, rect in self.rects.items():
            if not isinstance(part, Split) and rect.contains(place):
                return part
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_all()

    def _shows(self, part: Part) -> bool:
        if isinstance(part, Split):
            return any(self._shows(child) for child in part.parts)
        return isinstance(part, Middle) or part in self.groups

    def _least(self, part: Part) -> QSize:
        if isinstance(part, Middle):
            return CANVAS_LEAST
        if isinstance(part, Tabs):
            return self.groups[part].least()
        sizes = [self._least(child) for child in part.parts if self._shows(child)]
        lines = LINE * (len(sizes) - 1)
        widths, heights = [size.width() for size in sizes], [size.height() for size in sizes]
        return QSize(max(widths), sum(heights) + lines) if part.upright else QSize(sum(widths) + lines, max(heights))

    def _place_all(self) -> None:
        self.rects = {}
        grips: list[tuple[Split, Part, Part, QRect]] = []
        self._place(self._layout.root, self.rect(), grips)
        while len(self._grips) > len(grips):
            grip = self._grips.pop()
            grip.hide()
            grip.deleteLater()
        while len(self._grips) < len(grips):
            self._grips.append(Grip(self))
        for grip, (split, before, after, line) in zip(self._grips, grips, strict=True):
            grip.show_line(split, before, after, line)

    def _place(self, part: Part, rect: QRect, grips: list[tuple[Split, Part, Part, QRect]]) -> None:
        self.rects[part] = rect
        if isinstance(part, Middle):
            self.middle.setGeometry(rect)
            return
        if isinstance(part, Tabs):
            self.groups[part].setGeometry(rect)
            return
        shown = [child for child in part.parts if self._shows(child)]
        length = (rect.height() if part.upright else rect.width()) - LINE * (len(shown) - 1)
        sizes = share(max(0, length), [(child.size, self._length(child, part), holds_middle(child)) for child in shown])
        at = rect.top() if part.upright else rect.left()
        for place, (child, size) in enumerate(zip(shown, sizes, strict=True)):
            if part.upright:
                inner, line = (
                    QRect(rect.left(), at, rect.width(), size),
                    QRect(rect.left(), at + size, rect.width(), LINE),
                )
            else:
                inner, line = (
                    QRect(at, rect.top(), size, rect.height()),
                    QRect(at + size, rect.top(), LINE, rect.height()),
                )
            self._place(child, inner, grips)
            if place + 1 < len(shown):
                grips.append((part, child, shown[place + 1], line))
            at += size + LINE

    def _length(self, part: Part, split: Split) -> int:
        least = self._least(part)
        return least.height() if split.upright else least.width()

    def _extent(self, part: Part, split: Split) -> int:
        return self.rects[part].height() if split.upright else self.rects[part].width()

    def move_line(self, split: Split, before: Part, after: Part, by: int) -> None:
        """Give one of two neighbours what the other loses."""
        sizes = self._extent(before, split), self._extent(after, split)
        low, high = self._length(before, split) - sizes[0], sizes[1] - self._length(after, split)
        by = max(min(low, 0), min(by, max(high, 0)))
        self.keep_sizes()
        both = before.size + after.size
        before.size = round(both * (sizes[0] + by) / max(1, sum(sizes)))
        after.size = both - before.size
        self._place_all()

    def stretch(self, part: Part, by: int, *, upright: bool) -> None:
        """Give a part more of a direction, or less, at the cost of the canvas where that is beside it."""
        parents = dict(self._layout.parts())
        while (split := parents[part]) is not None:
            shown = [other for other in split.parts if other in self.rects]
            if split.upright == upright and part in shown and len(shown) > 1:
                place = shown.index(part)
                beside = [shown[near] for near in (place + 1, place - 1) if 0 <= near < len(shown)]
                other = next(filter(holds_middle, beside), beside[0])
                if shown.index(other) > place:
                    self.move_line(split, part, other, by)
                else:
                    self.move_line(split, other, part, -by)
                return
            part = split


class Grip(QWidget):
    """A line between two parts, a little wider to the mouse than to the eye."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self._split: Split | None = None
        self._before: Part = Middle()
        self._after: Part = Middle()
        self._start: QPoint | None = None
        self._hot = False

    def show_line(self, split: Split, before: Part, after: Part, line: QRect) -> None:
        """Lie over a line."""
        self._split, self._before, self._after = split, before, after
        side = (GRIP - LINE) // 2
        upright = split.upright
        self.setGeometry(line.adjusted(0, -side, 0, side) if upright else line.adjusted(-side, 0, side, 0))
        self.setCursor(Qt.CursorShape.SplitVCursor if upright else Qt.CursorShape.SplitHCursor)
        self.show()
        self.raise_()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._hot = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hot = False
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._start = event.position().toPoint()
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._start is not None and self._split is not None:
            by = event.position().toPoint() - self._start
            self._area.move_line(self._split, self._before, self._after, by.y() if self._split.upright else by.x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._start is not None:
            self._start = None
            self.update()
            self._area.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        side = (GRIP - LINE) // 2
        upright = self._split is not None and self._split.upright
        line = self.rect().adjusted(0, side, 0, -side) if upright else self.rect().adjusted(side, 0, -side, 0)
        if self._hot or self._start is not None:
            wide = line.adjusted(0, -1, 0, 1) if upright else line.adjusted(-1, 0, 1, 0)
            painter.fillRect(wide, QColor(look.accent))
        else:
            painter.fillRect(line, QColor(look.line))
        painter.end()
