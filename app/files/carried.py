"""Files that are dragged over the window, or lie on the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
FILE_ENDINGS = (".json", *PICTURES)


def known_files(data: QMimeData | None) -> list[Path]:
    """The drawings and pictures among what is carried."""
    urls = data.urls() if data is not None and data.hasUrls() else []
    paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in FILE_ENDINGS]


def is_picture(path: Path) -> bool:
    """Whether a file is a picture, by its name."""
    return path.suffix.lower() in PICTURES


def take_copy(event: QDropEvent) -> None:
    """Take what is carried as a copy, whatever keys are held: a file manager deletes what it is told was moved."""
    if event.possibleActions() & Qt.DropAction.CopyAction:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
    else:
        event.acceptProposedAction()
