"""What a run feeds a source: a typed text or table, a picture, a file, one value, or random numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QImageReader, QPixmap
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.editors.base import Setting
from app.editors.row import NAME, ParamRow
from app.files.carried import take_copy
from app.session import Session
from app.widgets.combo import Combo
from app.widgets.text import ElidedLabel, Section, label
from blocks.spec import Number, Param, Size
from graph.commands import UNSET
from graph.document import Node
from graph.issues import NodeReport

KINDS = {
    "tokens": ("text", "random", "file"),
    "image": ("image", "random", "noise", "file"),
    "number": ("value", "random", "file"),
    "features": ("random", "table", "file", "value"),
    "mask": ("random", "file", "value"),
}
"""What travels from a source → the samples that make sense for it, the usual one first."""
WORDS = {
    "text": "a text", "image": "a picture", "random": "random numbers", "noise": "normal noise",
    "file": "an array (.npy)", "table": "a typed table", "value": "one value everywhere",
}  # fmt: skip
SEED = Param("seed", int, 0, Size("another draw", low=0))
VALUE = Param("value", float, 0.0, Number("in every place"))
FILES = {
    "image": "Pictures (*.png *.jpg *.jpeg *.webp *.bmp *.gif *.tif *.tiff)",
    "file": "Arrays (*.npy)",
    "tokenizer": "Tokenizers (tokenizer.json *.json)",
}
BYTES = "bytes"
THUMBNAIL = 112


class SampleEditor(Section):
    """The sample of a source; `edited` carries the new sample and the token of the gesture."""

    edited = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Sample", parent=parent)
        self.sample: Mapping[str, Any] = {}
        self._folder: FilePath | None = None
        self._kinds: tuple[str, ...] = ()
        self._zeros = "0"
        self.kind = Combo()
        self.kind.setAccessibleName("Kind of sample")
        self.kind.setToolTip("What a run feeds this source")
        self.kind.activated.connect(lambda place: self._switch(self.kind.itemData(place)))
        self.text = _TextBox("Sample text", "The text that a run reads", "Type what the model is to read")
        self.text.edited.connect(lambda text, gesture: self._put("text", text, gesture))
        self.table = _TextBox(
            "Sample table", "The numbers that a run reads, a row a line", "Type a row of numbers a line"
        )
        self.table.edited.connect(lambda text, gesture: self._put("text", text, gesture))
        self.count = label("", "faint")
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.tokenizer = Combo()
        self.tokenizer.setAccessibleName("Tokenizer")
        self.tokenizer.setToolTip("How the text is cut into tokens")
        self.tokenizer.activated.connect(self._pick_tokenizer)
        self.seed = ParamRow(SEED)
        self.seed.edited.connect(lambda value, gesture: self._put("seed", 0 if value is UNSET else value, gesture))
        self.value = ParamRow(VALUE)
        self.value.edited.connect(lambda value, gesture: self._put("value", 0.0 if value is UNSET else value, gesture))
        self.picture = QLabel()
        self.picture.setAccessibleName("The picture")
        self.picture.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self.file_name = ElidedLabel("", "muted", mode=Qt.TextElideMode.ElideMiddle)
        self.choose = QPushButton("Choose…")
        self.choose.setProperty("role", "small")
        self.choose.clicked.connect(self._choose_file)
        self._build()
        self.setAcceptDrops(True)

    def show_sample(self, node: Node, report: NodeReport | None, session: Session) -> None:
        """The sample of a node as it stands."""
        self._folder = session.path.parent if session.path else None
        port = next(iter(report.output_ports.values()), None) if report else None
        self._kinds = KINDS.get(port.kind or "features", KINDS["features"]) if port else KINDS["features"]
        self.sample = node.sample
        width = report.params.get("dim") if report else None
        self._zeros = " ".join(["0"] * (width if isinstance(width, int) else 1))
        kind = str(node.sample.get("kind", "random"))
        shown = self._kinds if kind in self._kinds else (*self._kinds, kind)
        if [self.kind.itemData(place) for place in range(self.kind.count())] != list(shown):
            self.kind.clear()
            for name in shown:
                self.kind.addItem(WORDS.get(name, name), name)
        self.kind.setCurrentIndex(shown.index(kind))
        for names, widget in self._parts:
            widget.setVisible(kind in names)
        self._file_part.setVisible(kind in ("image", "file"))
        self.picture.setVisible(False)
        if kind == "text":
            self._show_text()
        elif kind == "table":
            self.table.show_text(str(node.sample.get("text", "")))
        elif kind in ("random", "noise"):
            seed = node.sample.get("seed", 0)
            self.seed.show_setting(Setting(seed if seed else UNSET, seed, "set" if seed else "default"))
        elif kind == "value":
            value = node.sample.get("value", 0.0)
            self.value.show_setting(Setting(value, value, "set"))
        else:
            self._show_file(kind)

    def _build(self) -> None:
        row = QGridLayout()
        row.setHorizontalSpacing(theme.SPACE_2)
        row.setVerticalSpacing(theme.SPACE_2)
        row.setColumnMinimumWidth(0, NAME)
        row.setColumnStretch(1, 1)
        row.addWidget(label("fed with", "muted"), 0, 0)
        row.addWidget(self.kind, 0, 1)
        self._text_part = QWidget()
        part = QGridLayout(self._text_part)
        part.setContentsMargins(0, 0, 0, 0)
        part.setHorizontalSpacing(theme.SPACE_2)
        part.setVerticalSpacing(theme.SPACE_1)
        part.setColumnMinimumWidth(0, NAME)
        part.setColumnStretch(1, 1)
        part.addWidget(self.text, 0, 0, 1, 2)
        part.addWidget(self.count, 1, 0, 1, 2)
        part.addWidget(label("tokenizer", "muted"), 2, 0)
        part.addWidget(self.tokenizer, 2, 1)
        self._file_part = QWidget()
        line = QHBoxLayout()
        line.setSpacing(theme.SPACE_2)
        line.addWidget(self.file_name, 1)
        line.addWidget(self.choose)
        column = QVBoxLayout(self._file_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.SPACE_2)
        column.addWidget(self.picture)
        column.addLayout(line)
        self.body.setSpacing(theme.SPACE_2)
        self.body.addLayout(row)
        self._parts = (
            (("text",), self._text_part), (("table",), self.table), (("random", "noise"), self.seed),
            (("value",), self.value),
        )  # fmt: skip
        for widget in (self._text_part, self.table, self.seed, self.value, self._file_part):
            self.body.addWidget(widget)

    def dragEnterEvent(self, event: Any) -> None:
        if self._dropped(event):
            take_copy(event)

    def dropEvent(self, event: Any) -> None:
        path = self._dropped(event)
        if path:
            self._set_file("file" if path.endswith(".npy") else "image", path)
            take_copy(event)

    def _dropped(self, event: Any) -> str:
        """The path of a file that is dragged over the editor and would do."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        endings = {"file": (".npy",), "image": tuple(FILES["image"].replace(")", "").split("*")[1:])}
        for path in paths[:1]:
            for kind in self._kinds:
                if path.lower().endswith(tuple(ending.strip() for ending in endings.get(kind, ()))):
                    return path
        return ""

    def _show_text(self) -> None:
        text = str(self.sample.get("text", ""))
        self.text.show_text(text)
        tokenizer = str(self.sample.get("tokenizer") or BYTES)
        size = len(text.encode())
        self.count.setText(
            f"{size} {'byte' if size == 1 else 'bytes'}" if tokenizer == BYTES else f"{len(text)} letters"
        )
        with QSignalBlocker(self.tokenizer):
            self.tokenizer.clear()
            self.tokenizer.addItem("bytes", BYTES)
            if tokenizer != BYTES:
                self.tokenizer.addItem(FilePath(tokenizer).name, tokenizer)
                self.tokenizer.setCurrentIndex(1)
            self.tokenizer.addItem("a tokenizer.json…", None)

    def _show_file(self, kind: str) -> None:
        path = str(self.sample.get("path", ""))
        self.file_name.setText(FilePath(path).name if path else "nothing chosen")
        self.file_name.set_hint(path)
        self.choose.setAccessibleName("Choose a picture" if kind == "image" else "Choose an array")
        self.choose.setToolTip(self.choose.accessibleName())
        if kind != "image" or not path:
            return
        full = self._folder / path if self._folder else FilePath(path)
        thumbnail = _thumbnail(full, self.devicePixelRatioF())
        self.picture.setVisible(True)
        if thumbnail is None:
            self.picture.setText("This file cannot be read as a picture.")
            self.picture.setProperty("role", "faint")
        else:
            self.picture.setPixmap(thumbnail)

    def _switch(self, kind: str) -> None:
        """Another kind of sample, with what it needs to be one."""
        if kind in ("image", "file"):
            self._choose_file(kind)
        else:
            fresh: dict[str, Any] = {"kind": kind}
            if kind == "text":
                fresh |= {"text": "To be, or not to be, that is the question", "tokenizer": BYTES}
            elif kind == "table":
                fresh["text"] = self._zeros
            elif kind == "value":
                fresh["value"] = 0.0
            self.edited.emit(MappingProxyType(fresh), object())

    def _choose_file(self, kind: str | bool = False) -> None:
        kind = kind if isinstance(kind, str) else str(self.sample.get("kind"))
        path, _ = QFileDialog.getOpenFileName(self, "Choose a file", str(self._folder or ""), FILES[kind])
        if path:
            self._set_file(kind, path)
        else:
            self.kind.setCurrentIndex(self.kind.findData(self.sample.get("kind", "random")))

    def _set_file(self, kind: str, path: str) -> None:
        self.edited.emit(MappingProxyType({"kind": kind, "path": self._relative(path)}), object())

    def _pick_tokenizer(self, place: int) -> None:
        tokenizer = self.tokenizer.itemData(place)
        if tokenizer is None:
            path, _ = QFileDialog.getOpenFileName(
                self, "Choose a tokenizer.json", str(self._folder or ""), FILES["tokenizer"]
            )
            if not path:
                self._show_text()
                return
            tokenizer = self._relative(path)
        self._put("tokenizer", tokenizer, object())

    def _relative(self, path: str) -> str:
        """The path as the drawing keeps it: relative to the drawing's file where they lie together."""
        if self._folder is None:
            return path
        try:
            relative = os.path.relpath(path, self._folder)
        except ValueError:  # another drive
            return path
        return path if relative.startswith("..") else FilePath(relative).as_posix()

    def _put(self, key: str, value: Any, gesture: object) -> None:
        self.edited.emit(MappingProxyType({**self.sample, key: value}), gesture)


class _TextBox(QPlainTextEdit):
    """A few lines to type in; `edited` carries the text and the token of the visit."""

    edited = Signal(str, object)

    def __init__(self, name: str, hint: str, invitation: str) -> None:
        super().__init__()
        self._gesture: object = object()
        self._showing = False
        self.setFixedHeight(76)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(invitation)
        self.setAccessibleName(name)
        self.setToolTip(hint)
        self.textChanged.connect(self._tell)

    def show_text(self, text: str) -> None:
        """Show a text without anyone having typed it."""
        if text != self.toPlainText():
            self._showing = True
            self.setPlainText(text)
            self._showing = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._gesture = object()
        super().focusInEvent(event)

    def _tell(self) -> None:
        if not self._showing:
            self.edited.emit(self.toPlainText(), self._gesture)


def _thumbnail(path: FilePath, ratio: float) -> QPixmap | None:
    """A small picture of a picture, decoded no larger than needed."""
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid():
        return None
    side = round(THUMBNAIL * ratio)
    reader.setScaledSize(size.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    if image.isNull():
        return None
    pixmap = QPixmap.fromImage(image)
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
