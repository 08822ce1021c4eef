"""Export: where to and how, then the progress, then what the comparison with PyTorch has found."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QCloseEvent, QDesktopServices
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app import numbers, theme
from app.folders import documents_folder
from app.widgets.dialog import Dialog, body, foot
from app.widgets.form import Form
from app.widgets.text import label

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.document import Document, Level, Path

KINDS = {
    "onnx": ("export_onnx", "Export ONNX", ".onnx", "ONNX models (*.onnx)"),
    "pytorch": ("export_pytorch", "Export PyTorch code", ".py", "Python files (*.py)"),
}
WORDS = {
    "onnx": "The file keeps batch, sequence, height and width open. It is run against PyTorch at several sizes before "
    "it is kept.",
    "pytorch": "One ordinary file with the classes used and the model; its weights lie beside it. It is run in another "
    "process and compared to the last bit.",
}
LARGE = 1 << 30
TWO_FILES = 1.5e9


class ExportDialog(Dialog):
    """The dialog of one export."""

    def __init__(self, window: MainWindow, kind: str) -> None:
        self._job, title, self._suffix, self._filter = KINDS[kind]
        super().__init__(title, window, width=520)
        self._window = window
        self._kind = kind
        self._request: int | None = None
        self.pages = QStackedWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.addWidget(self.pages)
        self._make_form(title)
        self._make_progress(title)
        self._make_result()
        self.show_page(0)
        assert window.workspace is not None
        window.workspace.answered.connect(self._predicted)

    @property
    def is_working(self) -> bool:
        """Whether the export is under way."""
        return self._request is not None

    def show_page(self, page: int) -> None:
        """Show the form (0), the progress (1) or the result (2), at the size it needs."""
        for index in range(self.pages.count()):
            policy = self.pages.widget(index).sizePolicy()
            wanted = policy.Policy.Preferred if index == page else policy.Policy.Ignored
            policy.setVerticalPolicy(wanted)
            self.pages.widget(index).setSizePolicy(policy)
        self.pages.setCurrentIndex(page)
        self.fit()

    def start(self) -> None:
        """Begin the export."""
        path = FilePath(self.path.text().strip()).expanduser()
        if not path.name or not path.parent.is_dir():
            self.fault.setText("Choose a file in a folder that exists.")
            self.fault.show()
            return
        if path.suffix != self._suffix:
            path = path.with_name(path.name + self._suffix)
            self.path.setText(str(path))
        self.fault.hide()
        workspace = self._window.workspace
        assert workspace is not None
        options: dict[str, Any] = {"path": str(path)}
        if self._kind == "onnx" and self.opset.currentData():
            options["opset"] = self.opset.currentData()
        self._window.settings.folder = path.parent
        self.bar.setRange(0, 0)
        self.doing.setText("Starting")
        self.show_page(1)
        self._request = workspace.request(
            self._job, self._done, failed=self._failed, progress=self._progress, **options
        )
        if self._request is None:
            self._failed("The engine is not running.")

    def cancel(self) -> None:
        """Give the export up; an older file at its place stays as it was."""
        request, self._request = self._request, None
        workspace = self._window.workspace
        if request is not None and workspace is not None:
            workspace.cancel(request)
            workspace.poll()
        self.show_page(0)

    def reject(self) -> None:
        if self.is_working:
            self.cancel()
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.is_working:
            self.cancel()
        super().closeEvent(event)

    def _make_form(self, title: str) -> None:
        session = self._window.session
        name = re.sub(r"[^\w\-]+", "_", session.title).strip("_") or "model"
        folder = session.path.parent if session.path else self._window.settings.folder or documents_folder()
        self.path = QLineEdit(str(folder / f"{name}{self._suffix}"))
        self.path.setAccessibleName("File")
        browse = _button("Choose …", self._browse)
        browse.setAccessibleName("Choose a file")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.path, 1)
        row.addWidget(browse)
        form = Form()
        form.add("File", row, names=self.path)
        self.opset = QComboBox()
        self.opset.setAccessibleName("Opset")
        for text, value in (("Automatic: 23, else 20", 0), ("23", 23), ("20, for older runtimes", 20)):
            self.opset.addItem(text, value)
        if self._kind == "onnx":
            form.add("Opset", self.opset)
        self.size_label = label(self._size(), "muted", wrap=True)
        form.add("Size", self.size_label)
        self.fault = label("", "error", wrap=True)
        self.fault.hide()
        page, layout = _page()
        layout.addWidget(label(title, "heading"))
        words = label(WORDS[self._kind], "muted", wrap=True)
        layout.addWidget(words)
        layout.addSpacing(8)
        layout.addLayout(form)
        layout.addWidget(self.fault)
        self.export = QPushButton("Export")
        self.export.setProperty("role", "primary")
        self.export.setDefault(True)
        self.export.clicked.connect(self.start)
        self._add_page(page, _button("Cancel", self.reject), self.export)

    def _make_progress(self, title: str) -> None:
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress")
        self.doing = label("", "muted", wrap=True)
        page, layout = _page()
        layout.addWidget(label(title, "heading"))
        layout.addSpacing(8)
        layout.addWidget(self.bar)
        layout.addWidget(self.doing)
        self.stop = _button("Cancel", self.cancel)
        self._add_page(page, self.stop)

    def _make_result(self) -> None:
        self.heading = label("", "heading")
        self.sentence = label("", wrap=True)
        self.figures = QGridLayout()
        self.figures.setHorizontalSpacing(24)
        self.figures.setVerticalSpacing(6)
        self.figures.setColumnStretch(1, 1)
        self.go = _button("Go to the block", self._go)
        self.go.setProperty("role", "link")
        self.again = _button("Back", lambda: self.show_page(0))
        self.folder = _button("Open the folder", self._open_folder)
        self.close_button = _button("Close", self.accept)
        page, layout = _page()
        layout.addWidget(self.heading)
        layout.addWidget(self.sentence)
        layout.addLayout(self.figures)
        self._add_page(page, self.go, self.again, self.folder, self.close_button)
        self._place = ""

    def _add_page(self, inside: QWidget, *buttons: QPushButton) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.SPACE_4)
        column.addWidget(body(inside))
        column.addLayout(foot(*buttons))
        self.pages.addWidget(page)

    def _size(self) -> str:
        """What the file will weigh, from the prediction."""
        workspace = self._window.workspace
        answer = workspace.latest("estimate") if workspace else None
        if answer is None:
            return "not predicted yet"
        parameters = answer.data.get("parameters_unique", answer.data.get("parameters", 0))
        weight = 4 * parameters
        text = f"{numbers.count(parameters)} parameters, about {numbers.size(weight)}"
        if self._kind == "onnx" and weight > TWO_FILES:
            text += "; the weights lie in a file of their own beside it"
        return f"{text}. This takes minutes and memory." if weight > LARGE else text

    def _predicted(self, job: str) -> None:
        if job == "estimate":
            self.size_label.setText(self._size())

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.windowTitle(), self.path.text(), self._filter)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(self._suffix[1:])
        dialog.selectFile(FilePath(self.path.text()).name)
        if dialog.exec() and dialog.selectedFiles():
            self.path.setText(dialog.selectedFiles()[0])
        dialog.deleteLater()

    def _progress(self, data: dict[str, Any]) -> None:
        if self._request is None:
            return
        self.bar.setRange(0, data.get("total") or 0)
        self.bar.setValue(data.get("done", 0))
        self.doing.setText(data.get("text", ""))

    def _done(self, data: dict[str, Any]) -> None:
        if self._request is None:
            return
        self._request = None
        self.heading.setText("Exported and checked")
        warnings = data.get("warnings") or data.get("notes") or ()
        self.sentence.setText("\n".join(warnings))
        self.sentence.setVisible(bool(warnings))
        self._show_figures(_figures(data))
        self.go.hide()
        self.again.hide()
        self.folder.show()
        self._path = FilePath(data["path"])
        self.show_page(2)
        self.close_button.setFocus()

    def _failed(self, sentence: str) -> None:
        if sentence == "cancelled" and self._request is None:
            return
        self._request = None
        workspace = self._window.workspace
        reading = workspace.reading if workspace else None
        self._place = str(reading.data.get("place") or "") if reading is not None else ""
        self.heading.setText("Not exported")
        self.sentence.setText("Another export has taken its place." if sentence == "cancelled" else sentence)
        self.sentence.show()
        self._show_figures([])
        self.go.setVisible(bool(node_of(self._window.session.document, self._place)))
        self.again.show()
        self.folder.hide()
        self.show_page(2)

    def _show_figures(self, figures: list[tuple[str, str]]) -> None:
        while (item := self.figures.takeAt(0)) is not None:
            item.widget().deleteLater()
        for row, (name, text) in enumerate(figures):
            self.figures.addWidget(label(name, "muted"), row, 0)
            value = label(text, "number", wrap=True)
            value.setAccessibleName(f"{name}: {text}")
            self.figures.addWidget(value, row, 1)

    def _go(self) -> None:
        """Show the block that the failure is about."""
        session = self._window.session
        path = node_of(session.document, self._place)
        self.accept()
        session.show(path)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))


def node_of(document: Document, place: str) -> Path:
    """The node that an address ("decoder.3/attn") or a module ("decoder.3.attn.q_proj") belongs to; () is none."""
    path: tuple[str, ...] = ()
    level: Level | None = document.top
    for word in re.split(r"[./]", place):
        if level is None:
            break
        if word in level:
            path = (*path, word)
            level = level.nodes[word].level
    return path


def _figures(data: dict[str, Any]) -> list[tuple[str, str]]:
    """What an export says of itself, in the order in which one wants to know it."""
    found: list[tuple[str, str]] = []
    if "max_abs_error" in data:
        found.append(("Largest difference", f"{data['max_abs_error']:.2g}"))
    if data.get("same_to_the_bit"):
        found.append(("Difference", "none, to the last bit"))
    checked = data.get("sizes_checked") or ()
    if checked:
        found.append((f"Checked at {len(checked)} sizes", ";  ".join(_sizes(sizes) for sizes in checked)))
    if "opset" in data:
        found.append(("Opset", str(data["opset"])))
    if "nodes" in data:
        found.append(("Nodes", numbers.exact(data["nodes"])))
    if "lines" in data:
        found.append(("Lines", numbers.exact(data["lines"])))
    found.append(("File", str(data["path"])))
    for key, title in (("data", "Weights"), ("external_data", "Weights"), ("weights", "Weights")):
        if isinstance(data.get(key), str) and data[key]:
            found.append((title, data[key]))
    return found


def _sizes(sizes: Any) -> str:
    if isinstance(sizes, dict):
        return ",\u00a0".join(f"{name}\u00a0{size}" for name, size in sizes.items())  # a line breaks between two
    return str(sizes)


def _page() -> tuple[QWidget, QVBoxLayout]:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(theme.SPACE_2)
    return page, layout


def _button(text: str, do: Any) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(text)
    button.setAutoDefault(False)
    button.clicked.connect(lambda: do())
    return button
