"""The few things one may want otherwise: the look, where models run and how precisely."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.settings import DEVICES, DTYPES, THEMES, Settings
from app.widgets.text import label, line

THEME_NAMES = {"system": "Follow the system", "dark": "Dark", "light": "Light"}
DEVICE_NAMES = {"auto": "Automatic", "cpu": "CPU", "cuda": "CUDA", "mps": "Apple GPU"}


class Preferences(QDialog):
    """The dialog; a change holds at once.

    Signals:
        theme_chosen: another look; carries its name.
        run_changed: runs are to be made otherwise.
    """

    theme_chosen = Signal(str)
    run_changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self.setMinimumWidth(420)
        self._settings = settings
        self.theme = _combo("Look", {name: THEME_NAMES[name] for name in THEMES}, settings.theme)
        self.device = _combo("Device", {name: DEVICE_NAMES[name] for name in DEVICES}, settings.device)
        self.dtype = _combo("Precision", {name: name for name in DTYPES}, settings.dtype)
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.addRow(label("Look", "muted"), self.theme)
        form.addRow(line())
        form.addRow(label("Device", "muted"), self.device)
        form.addRow(label("Precision", "muted"), self.dtype)
        words = "Automatic takes the graphics card where there is one. Exports are always checked in float32."
        note = label(words, "faint")
        note.setWordWrap(True)
        close = QPushButton("Close")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        layout.addLayout(form)
        layout.addWidget(note)
        layout.addLayout(row)
        self.theme.currentIndexChanged.connect(lambda: self.theme_chosen.emit(self.theme.currentData()))
        self.device.currentIndexChanged.connect(self._run)
        self.dtype.currentIndexChanged.connect(self._run)

    def _run(self) -> None:
        self._settings.device = self.device.currentData()
        self._settings.dtype = self.dtype.currentData()
        self.run_changed.emit()


def _combo(name: str, options: dict[str, str], chosen: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    for key, text in options.items():
        combo.addItem(text, key)
    combo.setCurrentIndex(list(options).index(chosen))
    return combo
