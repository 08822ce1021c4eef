"""The few things one may want otherwise: the look, motion, keys, where models run, how precisely, and files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.folders import documents_folder
from app.settings import DEVICES, DTYPES, THEMES, Settings
from app.widgets.dialog import Dialog, body, foot
from app.widgets.form import Form
from app.widgets.icons import IconButton
from app.widgets.text import label

THEME_NAMES = {"system": "Follow the system", "dark": "Dark", "light": "Light"}
DEVICE_NAMES = {"auto": "Automatic", "cpu": "CPU", "cuda": "CUDA", "mps": "Apple GPU"}

FOLDER_WIDTH = 240
"""What the name of a folder takes at most."""


class Preferences(Dialog):
    """The dialog; a change holds at once.

    Signals:
        theme_chosen: another look; carries its name.
        motion_chosen: whether things glide.
        keys_asked: the keyboard shortcuts are to be shown.
        run_changed: runs are to be made otherwise.
        autosave_chosen: whether what is not saved is kept.
    """

    theme_chosen = Signal(str)
    motion_chosen = Signal(bool)
    keys_asked = Signal()
    run_changed = Signal()
    autosave_chosen = Signal(bool)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__("Preferences", parent, width=480)
        self._settings = settings
        self.theme = _combo("Look", {name: THEME_NAMES[name] for name in THEMES}, settings.theme)
        self.motion = _check("Let things glide to their place", settings.motion, "Off, nothing moves by itself")
        self.keys = _button("Keyboard shortcuts …", "See all keys, and give commands others")
        self.device = _combo("Device", {name: DEVICE_NAMES[name] for name in DEVICES}, settings.device)
        self.device.setToolTip("Where models run; automatic takes the graphics card where there is one")
        self.dtype = _combo("Precision", {name: name for name in DTYPES}, settings.dtype)
        self.dtype.setToolTip("How precisely runs compute; exports are always checked in float32")
        self.folder = _button("", "Where file dialogs begin")
        self.forget = IconButton("rotate-ccw", "Begin where the last file dialog ended", self)
        self.reopen = _check("Open what was open", settings.reopens, "Off, a start without a file shows the gallery")
        self.autosave = _check(
            "Keep what is not saved", settings.autosave, "A killed program then loses five seconds at most"
        )
        close = QPushButton("Close")
        close.setToolTip("Close (Esc)")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        fields = QWidget()
        fields.setLayout(self._form())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(16)
        layout.addWidget(body(fields))
        layout.addLayout(foot(close))
        self._show_folder()
        self.theme.currentIndexChanged.connect(lambda: self.theme_chosen.emit(self.theme.currentData()))
        self.motion.toggled.connect(self._motion)
        self.keys.clicked.connect(self.keys_asked)
        self.device.currentIndexChanged.connect(self._run)
        self.dtype.currentIndexChanged.connect(self._run)
        self.folder.clicked.connect(self._ask_folder)
        self.forget.clicked.connect(lambda: self._take_folder(None))
        self.autosave.toggled.connect(self._autosave)
        self.reopen.toggled.connect(lambda is_on: setattr(settings, "reopens", is_on))

    def _form(self) -> Form:
        form = Form()
        folder = QHBoxLayout()
        folder.setSpacing(4)
        folder.addWidget(self.folder)
        folder.addWidget(self.forget)
        folder.addStretch(1)
        note = label(
            "Automatic takes the graphics card where there is one. Exports are always checked in float32.",
            "faint",
            wrap=True,
        )
        for title, field in (("Look", self.theme), ("Motion", self.motion), ("Keys", self.keys)):
            form.add(title, field)
        form.separate()
        form.add("Device", self.device)
        form.add("Precision", self.dtype)
        form.addRow(note)
        form.separate()
        form.add("Folder", folder, names=self.folder)
        form.add("Autosave", self.autosave)
        form.add("Start", self.reopen)
        return form

    def _run(self) -> None:
        self._settings.device = self.device.currentData()
        self._settings.dtype = self.dtype.currentData()
        self.run_changed.emit()

    def _motion(self, is_on: bool) -> None:
        self._settings.motion = is_on
        self.motion_chosen.emit(is_on)

    def _autosave(self, is_on: bool) -> None:
        self._settings.autosave = is_on
        self.autosave_chosen.emit(is_on)

    def _ask_folder(self) -> None:
        start = str(self._settings.folder or documents_folder())
        chosen = QFileDialog.getExistingDirectory(self, "Folder for drawings", start)
        if chosen:
            self._take_folder(Path(chosen))

    def _take_folder(self, folder: Path | None) -> None:
        self._settings.home = folder
        self._show_folder()

    def _show_folder(self) -> None:
        home = self._settings.home
        name = home.name or str(home) if home is not None else "Where the last file was"
        shown = self.folder.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, FOLDER_WIDTH)
        self.folder.setText(shown.replace("&", "&&"))
        self.folder.setAccessibleName(f"Folder for drawings: {name}")
        self.folder.setToolTip(str(home) if home is not None else "Choose where file dialogs begin")
        self.forget.setEnabled(home is not None)


def _check(text: str, is_on: bool, hint: str) -> QCheckBox:
    check = QCheckBox(text)
    check.setChecked(is_on)
    check.setToolTip(hint)
    check.setAccessibleName(text)
    return check


def _button(text: str, hint: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(hint)
    button.setAccessibleName(text)
    button.setAutoDefault(False)
    return button


def _combo(name: str, options: dict[str, str], chosen: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    combo.setMinimumWidth(200)
    for key, text in options.items():
        combo.addItem(text, key)
    combo.setCurrentIndex(list(options).index(chosen))
    return combo
