"""What message boxes have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox

from app import theme


def give_air(box: QMessageBox) -> None:
    """Keep the same margins as the other dialogs."""
    layout = box.layout()
    assert layout is not None
    layout.setContentsMargins(theme.SPACE_6, theme.SPACE_6, theme.SPACE_6, theme.SPACE_4)
