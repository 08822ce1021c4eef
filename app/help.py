"""The pages of the Help menu."""

from __future__ import annotations

from importlib import metadata

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QMessageBox, QScrollArea, QVBoxLayout, QWidget

from app.actions import ACTIONS, MENUS, shortcut_text
from app.folders import log_folder
from app.widgets.text import label

CANVAS_KEYS = (
    ("Find a block at the pointer", "Tab, or double-click"),
    ("Wire two ports", "drag from one to the other"),
    ("Find what fits a wire", "drop it on the empty canvas"),
    ("Put a block into a wire", "drop it on the wire"),
    ("Move without wiring", "Alt while dragging"),
    ("Select several", "drag a frame, or Shift and click"),
    ("Pan", "middle button, Space and drag, or two fingers"),
    ("Zoom", "wheel, or pinch"),
    ("Enter a group", "double-click, or Enter"),
    ("Leave a group", "Esc, or the path at the top left"),
)


def show_keys(parent: QWidget) -> None:
    """Show every shortcut, by menu, and the gestures of the canvas."""
    dialog = QDialog(parent)
    dialog.setWindowTitle("Keyboard shortcuts")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.resize(560, 640)
    body = QWidget()
    grid = QGridLayout(body)
    grid.setContentsMargins(24, 24, 24, 24)
    grid.setHorizontalSpacing(32)
    grid.setVerticalSpacing(6)
    row = 0
    tables = {
        menu: [(a.title.removesuffix(" …"), shortcut_text(a)) for a in ACTIONS if a.menu == menu] for menu in MENUS
    }
    for title, lines in [*tables.items(), ("On the canvas", list(CANVAS_KEYS))]:
        shown = [(name, keys) for name, keys in lines if keys]
        if not shown:
            continue
        heading = label(title.upper(), "category")
        heading.setContentsMargins(0, 12 if row else 0, 0, 0)
        grid.addWidget(heading, row, 0, 1, 2)
        for name, keys in shown:
            row += 1
            grid.addWidget(label(name), row, 0)
            grid.addWidget(label(keys, "muted"), row, 1)
        row += 1
    grid.setRowStretch(row, 1)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setWidget(body)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(scroll)
    dialog.open()


def show_log() -> None:
    """Open the folder of the log."""
    folder = log_folder()
    folder.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def show_about(parent: QWidget) -> None:
    """Show name, version and licence."""
    try:
        version = metadata.version("blockwright")
    except metadata.PackageNotFoundError:  # run from a folder that was never installed
        version = "from source"
    box = QMessageBox(parent)
    box.setWindowTitle("About Blockwright")
    box.setText(f"Blockwright {version}")
    box.setInformativeText(
        "Draw a neural network, see its shapes, run it, look inside, export it.\n\n"
        "MIT licence. Inter and JetBrains Mono are under the SIL Open Font License."
    )
    for part in box.findChildren(QLabel):
        part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
