"""The name and the summary of a block of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.widgets.dialog import Dialog, foot
from app.widgets.form import Form
from app.widgets.text import label

if TYPE_CHECKING:
    from app.files.library import Library


class BlockDialog(Dialog):
    """Asks for them; one that would replace another says so.

    Signals:
        given: Save was pressed; carries the title and the summary.
    """

    given = Signal(str, str)

    def __init__(
        self, library: Library, heading: str, title: str, summary: str, parent: QWidget, *, own: Path | None = None
    ) -> None:
        super().__init__(heading, parent, width=420)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._library, self._own = library, own
        self.title = QLineEdit(title)
        self.title.setAccessibleName("Name of the block")
        self.title.setToolTip("What palette and search call it")
        self.title.setMaxLength(80)
        self.title.selectAll()
        self.summary = QLineEdit(summary)
        self.summary.setAccessibleName("Summary")
        self.summary.setToolTip("What it is good for, in a line")
        self.summary.setPlaceholderText("What it is good for")
        self.summary.setMaxLength(300)
        form = Form()
        form.add("Name", self.title)
        form.add("Summary", self.summary)
        self.note = label("", "faint", wrap=True)
        self.keep = QPushButton("Save")
        self.keep.setProperty("role", "primary")
        self.keep.setDefault(True)
        self.keep.clicked.connect(self._give)
        leave = QPushButton("Cancel")
        leave.clicked.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.SPACE_6, theme.SPACE_6, theme.SPACE_6, theme.SPACE_4)
        layout.setSpacing(theme.SPACE_4)
        layout.addLayout(form)
        layout.addWidget(self.note)
        layout.addLayout(foot(leave, self.keep))
        self.title.textChanged.connect(self._look)
        self._look()

    def _look(self) -> None:
        """Say what Save will do."""
        title = self.title.text().strip()
        target = self._library.file_for(title) if title else None
        replaces = target is not None and target != self._own and target.exists()
        self.keep.setEnabled(bool(title))
        self.keep.setText("Replace" if replaces else "Save")
        self.note.setText(
            "There is a block of that name; it is replaced. Drawings that use it keep their copies." if replaces
            else "It is a copy: what is drawn here later does not change it."
        )  # fmt: skip

    def _give(self) -> None:
        self.given.emit(self.title.text().strip(), self.summary.text().strip())
        self.accept()
