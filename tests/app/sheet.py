"""A sheet of screenshots to be looked at: python tests/app/sheet.py FOLDER [part of a name …].

Each scene is written dark and light at 100 %, and dark at 200 %. It needs no screen.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app import theme
from app.main_window import MainWindow
from app.settings import Settings
from graph.commands import AddNode, Connect, SetParam
from graph.document import FROM_WIRE, Document, Node, Wire

Scene = Callable[[MainWindow], QWidget]
READY, CALM = 60.0, 0.5
"""Seconds: to wait at most until everything is loaded, and at least until a scene is at rest."""
IDLE = 30
"""Rounds of the event loop without work after which a scene is at rest."""


def template(name: str, at: tuple[str, ...] = (), select: str = "", **values: object) -> Scene:
    """A template, perhaps inside a group, perhaps with a node selected."""

    def scene(window: MainWindow) -> QWidget:
        window.filing.new_from_template(name, values)
        wait(0.2)
        window.session.enter(at)
        if select:
            window.session.select([select])
        return window

    return scene


def dialog(action: str) -> Scene:
    """A dialog that an action opens over a drawing."""

    def scene(window: MainWindow) -> QWidget:
        template("gpt")(window)
        window.commands.refresh()
        window.commands[action].trigger()
        wait(0.3)
        return next(found for found in window.findChildren(QDialog) if found.isVisible())

    return scene


def gallery(window: MainWindow) -> QWidget:
    """What one starts with."""
    window.show_gallery()
    return window


def empty(window: MainWindow) -> QWidget:
    """An empty canvas."""
    window.filing.new_empty()
    return window


def error(window: MainWindow) -> QWidget:
    """Something that does not fit, and what is said of it."""
    template("gpt", ("decoder",))(window)
    window.session.do(SetParam(("decoder",), "attn", "dim", 48))
    window.docks.reveal("problems")
    window.session.select(["attn"])
    return window


def thousand(zoom: float) -> Scene:
    """A thousand nodes, as a whole or from nearby."""

    def scene(window: MainWindow) -> QWidget:
        from app.session import Session

        window.show_session(Session(grid(25, 40)))
        wait(0.3)
        assert window.canvas is not None
        if zoom:
            window.canvas.zoom_at(window.canvas.rect().toRectF().center(), zoom / window.canvas.camera.zoom)
        return window

    return scene


def grid(rows: int, columns: int) -> Document:
    """Rows of blocks, one after the other."""
    document = Document("a thousand")
    kinds = (
        ("Linear", {"in_features": FROM_WIRE, "out_features": 64}),
        ("LayerNorm", {"dim": FROM_WIRE}),
        ("GELU", {}),
    )
    for row in range(rows):
        before, output = "", ""
        for column in range(columns):
            block, params = kinds[column % 3] if column else ("FeatureInput", {"dim": 64})
            id = f"n{row}_{column}"
            AddNode((), Node(id, block, params, position=(240.0 * column, 120.0 * row))).apply(document)
            if before:
                Connect((), Wire(before, output, id, "x")).apply(document)
            before, output = id, "features" if not column else "y"
    return document


def tour(window: MainWindow) -> QWidget:
    """The first of the first steps."""
    window.tour.start()
    return window


def search(window: MainWindow) -> QWidget:
    """The search for commands."""
    template("mlp")(window)
    window.finder.commands()
    window.finder.popup.field.setText("lin")
    return window


def wiring(window: MainWindow) -> QWidget:
    """What an output may go to."""
    from app.searching.wire_finder import find_wires

    template("gpt", ("decoder",), "attn")(window)
    find_wires(window, outwards=True)
    return window


SCENES: dict[str, Scene] = {
    "gallery": gallery, "tour": tour, "empty": empty, "error": error, "gpt": template("gpt"),
    "transformer-block": template("gpt", ("decoder",), "attn"), "unet": template("unet"),
    "thousand-far": thousand(0), "thousand-near": thousand(1.0), "search": search, "wire-list": wiring,
    "preferences": dialog("preferences"), "keys": dialog("keys"), "about": dialog("about"),
    "export-onnx": dialog("export_onnx"), "export-pytorch": dialog("export_pytorch"),
}  # fmt: skip


def wait(seconds: float, holds: Callable[[], bool] | None = None) -> None:
    """Let the window live for a while, or until something holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not (holds and holds()):
        QApplication.processEvents()
        time.sleep(0.01)


def come_to_rest() -> None:
    """Let the window live until it has had nothing to do for a while, however slow the machine."""
    idle = 0
    while idle < IDLE:
        before = time.monotonic()
        QApplication.processEvents()
        idle = idle + 1 if time.monotonic() - before < 0.002 else 0
        time.sleep(0.01)


def picture(widget: QWidget, ratio: int) -> QImage:
    """What a widget looks like on a screen of some density."""
    image = QImage(widget.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    widget.render(painter, QPoint())
    painter.end()
    return image


def main(arguments: list[str]) -> None:
    """Write the sheet."""
    folder, wanted = Path(arguments[0]), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    for name, scene in SCENES.items():
        if wanted and not any(part in name for part in wanted):
            continue
        for look in ("dark", "light"):
            settings = Settings(Path(tempfile.mkdtemp()))
            settings.has_seen_tour, settings.theme = True, look
            theme.apply(look)
            window = MainWindow(settings)
            window.resize(1440, 900)
            window.start()
            window.show()
            wait(READY, lambda window=window: window.is_ready)
            window.commands["reset_panels"].trigger()
            widget = scene(window)
            wait(CALM)
            come_to_rest()
            picture(widget, 1).save(str(folder / f"{name}-{look}.png"))
            if look == "dark":
                picture(widget, 2).save(str(folder / f"{name}-{look}-200.png"))
            for session in window.workspace.sessions if window.workspace else ():
                session.history.mark_saved()
            window.close()
            window.deleteLater()
            wait(0.05)
        print(name)


if __name__ == "__main__":
    os.environ["BLOCKWRIGHT_HOME"] = tempfile.mkdtemp()
    application = QApplication([])
    main(sys.argv[1:])
