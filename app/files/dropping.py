"""Files dropped on a drawing: a picture for an image input, another drawing as a group. Each is one step back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImageReader

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.session import Session


@dataclass(frozen=True)
class Goal:
    """Where a picture goes that is dropped.

    Args:
        input: the image input of the top level that is to see it; where there is none, one is made.
        refusal: why it goes nowhere.
    """

    input: str = ""
    refusal: str = ""


def goal_of(canvas: Canvas, path: Path, scene: QPointF | None) -> Goal:
    """Where a picture goes: to the image input that it is dropped on, else to the one that is selected or the only one.

    Args:
        canvas: what it is dropped on.
        path: the picture.
        scene: where, if it fell on the drawing.
    """
    session = canvas.session
    inputs = [id for id, node in session.document.top.nodes.items() if node.block == "ImageInput"]
    under = canvas.node_at(scene) if scene is not None and not session.at else None
    chosen = [under] if under in inputs else [id for id in inputs if id in session.selection and not session.at]
    chosen = chosen or inputs
    if len(chosen) > 1:
        return Goal(refusal=f"Drop {path.name} on the image input that is to see it")
    if session.at and not chosen:
        return Goal(refusal=f"Pictures come in at the top level: leave the group to drop {path.name}")
    return Goal(*chosen)


def show_picture(canvas: Canvas, path: Path, scene: QPointF | None) -> None:
    """Show a picture to an image input; without any, make one there."""
    from graph.commands import AddNode, SetNode

    session, goal = canvas.session, goal_of(canvas, path, scene)
    sample = {"kind": "image", "path": _path_from(session, path)}
    if goal.refusal:
        session.refuse(goal.refusal)
    elif goal.input:
        session.do(SetNode((), goal.input, "sample", sample))
    else:
        node = _image_input(session, path).with_(sample=MappingProxyType(sample))
        node = node.with_(position=canvas.corner_for(node, _place(canvas, scene)))
        if session.do(AddNode((), node)):
            session.select([node.id])


def insert_drawing(canvas: Canvas, path: Path, scene: QPointF | None) -> None:
    """Put the drawing of a file into the one that is shown, as a group."""
    from graph import files
    from graph.document import EditError, Node
    from graph.embedding import embed

    session = canvas.session
    try:
        other = files.load(path)
    except files.FileError as error:
        session.refuse(str(error))
        return
    group = Node("group", "Group", title=path.stem, level=other.top)
    place = canvas.corner_for(group, _place(canvas, scene))
    try:
        command, id = embed(session.document, session.at, other, place, path.stem)
    except EditError as error:
        session.refuse(f"Nothing is inserted from {path.name}: {error}")
        return
    if session.do(command):
        session.select([id])


def _image_input(session: Session, path: Path) -> Any:
    """An image input with the channels of a picture, of which only the head is read."""
    import blocks
    from graph.edits import new_node

    block = blocks.find("ImageInput")
    assert block is not None
    form = QImageReader(str(path)).imageFormat()
    is_grey = form in (form.Format_Grayscale8, form.Format_Grayscale16, form.Format_Mono, form.Format_MonoLSB)
    return new_node(session.document, (), block, (0.0, 0.0), **({"channels": 1} if is_grey else {}))


def _place(canvas: Canvas, scene: QPointF | None) -> QPointF:
    return canvas.map_to_scene(QRectF(canvas.rect()).center()) if scene is None else scene


def _path_from(session: Session, path: Path) -> str:
    """The path as the document keeps it: from its own folder where the file is there."""
    if session.path is not None and path.is_relative_to(session.path.parent):
        return path.relative_to(session.path.parent).as_posix()
    return str(path)
