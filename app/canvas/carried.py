"""Files that are carried over the canvas, or lie on the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData

FILE_ENDINGS = (".json", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")


def known_files(data: QMimeData | None) -> list[Path]:
    """The drawings and pictures among what is carried."""
    urls = data.urls() if data is not None and data.hasUrls() else []
    paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in FILE_ENDINGS]
