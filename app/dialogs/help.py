"""The pages of the Help menu."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from app import theme
from app.actions.panels import moving_actions, showing_actions
from app.actions.table import ACTIONS, MENUS
from app.folders import log_folder
from app.icons import pixmap
from app.widgets.message import MessageBox

if TYPE_CHECKING:
    from app.main_window import MainWindow


def show_keys(window: MainWindow) -> None:
    """Show every shortcut, by menu, and the gestures of the canvas; they can be changed there."""
    from app.dialogs.keys import KeysDialog

    menus = {menu: [action.id for action in ACTIONS if action.menu == menu] for menu in MENUS}
    menus["Panels"] = [action.id for action in (*showing_actions(), *moving_actions()) if not action.menu]
    dialog = KeysDialog(window.commands.shortcuts, menus, window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
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
    box = MessageBox(parent)
    box.setWindowTitle("About Blockwright")
    box.setText(f"Blockwright {version}")
    box.setIconPixmap(pixmap("blockwright", theme.current().accent, 48, parent.devicePixelRatioF()))
    box.setInformativeText(
        "Draw a neural network, see its shapes, run it, look inside, export it.\n\n"
        "MIT licence. Inter and JetBrains Mono are under the SIL Open Font License, the icons of Lucide under ISC."
    )
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    for part in box.findChildren(QLabel):
        part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
