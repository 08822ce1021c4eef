"""Pictures that were looked at and approved; what is drawn otherwise now must be looked at again.

`BLOCKWRIGHT_APPROVE=yes pytest tests/app/test_renders.py` approves what is drawn now.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6 import __version__ as pyside
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import theme
from app.actions.shortcuts import Shortcuts
from app.actions.table import ACTIONS, MENUS
from app.callout import Callout
from app.canvas.view import Canvas
from app.dialogs.keys import KeysDialog
from app.dialogs.preferences import Preferences
from app.motion import Motion
from app.panels.outline import Outline
from app.session import Session
from app.settings import Settings
from app.workspace import Workspace
from graph import templates
from graph.commands import AddNode, Connect, SetParam
from graph.document import FROM_WIRE, Document, Node, Wire

APPROVED = Path(__file__).parent / "approved"
QT = "6.11"
SMALL_CHANGE, FEW = 24, 0.004
"""A channel may be so much off without being seen; so small a share of the pixels may be off by more."""


def picture(widget: QWidget, ratio: int) -> QImage:
    """What a widget looks like on a screen of some density, painted from the first."""
    for _ in range(6):
        QApplication.processEvents()
    image = QImage(widget.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    for _ in range(3):  # what is found while painting, such as detours of wires, is there the next time
        painter = QPainter(image)
        widget.render(painter, QPoint())
        painter.end()
    return image


def pixels(image: QImage) -> np.ndarray:
    """Rows of pixels of four bytes."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[..., :3].astype(np.int16)


def canvas_of(document: Document, at: tuple[str, ...] = (), zoom: float = 0.0, select: str = "") -> Canvas:
    canvas = Canvas(Session(document))
    canvas.resize(760, 440)
    canvas.show()
    QApplication.processEvents()
    canvas.session.enter(at)
    if zoom:
        canvas.zoom_at(canvas.rect().toRectF().center(), zoom / canvas.camera.zoom)
    if select:
        canvas.session.select([select])
    return canvas


def template(name: str, at: tuple[str, ...] = (), zoom: float = 0.0, select: str = "") -> Callable[[Path], QWidget]:
    return lambda _folder: canvas_of(templates.find(name).build({}), at, zoom, select)


def error(_folder: Path) -> QWidget:
    document = templates.find("gpt").build({})
    SetParam(("decoder",), "attn", "dim", 48).apply(document)
    return canvas_of(document, ("decoder",))


def grid(zoom: float) -> Callable[[Path], QWidget]:
    def make(_folder: Path) -> QWidget:
        document = Document("a thousand")
        kinds = (("Linear", {"in_features": FROM_WIRE, "out_features": 64}), ("LayerNorm", {"dim": FROM_WIRE}))
        for row in range(25):
            for column in range(40):
                block, params = kinds[column % 2] if column else ("FeatureInput", {"dim": 64})
                node = Node(f"n{row}_{column}", block, params, position=(240.0 * column, 120.0 * row))
                AddNode((), node).apply(document)
                if column:
                    output = "y" if column > 1 else "features"
                    Connect((), Wire(f"n{row}_{column - 1}", output, node.id, "x")).apply(document)
        return canvas_of(document, (), zoom)

    return make


def outline(_folder: Path) -> QWidget:
    workspace = Workspace()
    session = Session(templates.find("gpt").build({}))
    workspace.show(session)
    panel = Outline(workspace)
    panel.resize(260, 380)
    panel.show()
    session.show(("decoder", "attn"))
    return panel


def preferences(folder: Path) -> QWidget:
    dialog = Preferences(Settings(folder))
    dialog.show()
    return dialog


def keys(folder: Path) -> QWidget:
    table = {action.id: (action.title, action.shortcuts) for action in ACTIONS if action.id in ("save", "open", "undo")}
    menus = {menu: [a.id for a in ACTIONS if a.menu == menu and a.id in table] for menu in MENUS}
    dialog = KeysDialog(Shortcuts(Settings(folder), table), menus)
    dialog.show()
    dialog.resize(480, 420)
    return dialog


def callout(_folder: Path) -> QWidget:
    frame = QWidget()
    frame.resize(420, 220)
    sheet = Callout(frame)
    sheet.say("Run it", "An example goes through the model, and the panels below show what became of it.", 3, 4)
    frame.show()
    sheet.point_at(QRect(300, 20, 80, 28))
    sheet.show()
    return frame


SCENES: dict[str, tuple[Callable[[Path], QWidget], str, int]] = {
    "gpt-dark": (template("gpt"), "dark", 1),
    "gpt-light": (template("gpt"), "light", 1),
    "gpt-dark-200": (template("gpt"), "dark", 2),
    "block-light": (template("gpt", ("decoder",), select="attn"), "light", 1),
    "unet-dark": (template("unet"), "dark", 1),
    "error-dark": (error, "dark", 1),
    "error-light": (error, "light", 1),
    "empty-dark": (lambda _folder: canvas_of(Document("empty")), "dark", 1),
    "thousand-far-dark": (grid(0), "dark", 1),
    "thousand-near-light": (grid(1.0), "light", 1),
    "outline-dark": (outline, "dark", 1),
    "outline-light": (outline, "light", 1),
    "preferences-light": (preferences, "light", 1),
    "keys-dark": (keys, "dark", 1),
    "callout-light": (callout, "light", 1),
}


@pytest.fixture
def look() -> Any:
    """Takes a theme, stops all motion, and puts both back."""
    Motion.is_on = False
    yield SimpleNamespace(take=theme.apply)
    Motion.is_on = True
    theme.apply("dark")


@pytest.mark.parametrize("name", SCENES)
def test_it_looks_as_approved(name: str, look: Any, qtbot: QtBot, tmp_path: Path) -> None:
    if not pyside.startswith(QT):
        pytest.skip(f"the pictures were approved with Qt {QT}, and letters differ a little in {pyside}")
    make, appearance, ratio = SCENES[name]
    look.take(appearance)
    widget = make(tmp_path)
    qtbot.addWidget(widget)
    image = picture(widget, ratio)
    file = APPROVED / f"{name}.png"
    if os.environ.get("BLOCKWRIGHT_APPROVE"):
        APPROVED.mkdir(exist_ok=True)
        image.save(str(file))
        return
    drawn = pixels(image)
    approved = pixels(QImage(str(file)))
    assert drawn.shape == approved.shape
    off = (np.abs(drawn - approved).max(axis=2) > SMALL_CHANGE).mean()
    if off >= FEW:
        image.save(str(tmp_path / f"{name}.png"))
    assert off < FEW, f"{off:.2%} of {name} is drawn otherwise: compare {tmp_path / name}.png with {file}"


def test_a_picture_that_is_drawn_otherwise_is_noticed(look: Any, qtbot: QtBot, tmp_path: Path) -> None:
    canvas = canvas_of(templates.find("gpt").build({}))
    qtbot.addWidget(canvas)
    before = pixels(picture(canvas, 1))
    canvas.session.select(["decoder"])
    after = pixels(picture(canvas, 1))
    assert (np.abs(before - after).max(axis=2) > SMALL_CHANGE).mean() >= FEW / 4
