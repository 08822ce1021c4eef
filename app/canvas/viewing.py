"""Looking around: fit, zoom, and groups entered and left. Menus and keys call these."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from app.canvas.fit import fit
from app.canvas.surface import Surface

STEP = 1.25


class Viewing(Surface):
    """A surface that can be looked around on."""

    def fit_all(self) -> None:
        """Show the whole level."""
        self._fit(self.geometry_of.extent())

    def fit_selection(self) -> None:
        """Show what is selected, or the whole level when nothing is."""
        self._fit(self.geometry_of.bounds(self.session.selection) or self.geometry_of.extent())

    def zoom_in(self) -> None:
        """Come nearer to the middle of the view."""
        self.zoom_at(QRectF(self.rect()).center(), STEP)

    def zoom_out(self) -> None:
        """Step back from the middle of the view."""
        self.zoom_at(QRectF(self.rect()).center(), 1 / STEP)

    def zoom_reset(self) -> None:
        """Show everything at its own size."""
        self.zoom_at(QRectF(self.rect()).center(), 1 / self.camera.zoom)

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom so that what is under a point of the widget stays there."""
        self.camera.zoom_at(point, factor)
        self.view_changed()

    def enter_group(self, id: str | None = None) -> None:
        """Look into a group, by default the selected one."""
        focus = self.session.focus if id is None else (*self.session.at, id)
        if focus is not None and self.session.document.node(focus).is_group:
            self.session.enter(focus)

    def leave_group(self) -> None:
        """Go back to the level around, with the group selected."""
        at = self.session.at
        if at:
            self.session.enter(at[:-1])
            self.session.select([at[-1]])

    def _fit(self, bounds: tuple[float, float, float, float] | None) -> None:
        if bounds is None:
            self.camera.zoom_at(QRectF(self.rect()).center(), 1 / self.camera.zoom)
        else:
            fit(self.camera, bounds, self.size(), self.minimap, self.geometry_of)
        self.view_changed()
