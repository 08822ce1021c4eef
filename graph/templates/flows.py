"""What normalising flows share: the multi-scale drawing of RealNVP, and the same layers backwards.

A scale works on a picture, leaves half of the result as it is and hands the other half to the next scale, which lies
inside it; then both are put together in the shape of the picture. Backwards the nodes have the same ids, and so their
weights the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.document import Document
from graph.templates.sketch import GAP, ROOM, Sketch

LINE = 168


@dataclass(frozen=True)
class Link:
    """Some steps of a flow in a group: (id, block, parameters) each, in the order of the way to the latent.

    `repeat` is how often the group runs, an expression; backwards its last round runs first.
    """

    id: str
    title: str
    steps: tuple[tuple[str, str, Mapping[str, Any]], ...]
    repeat: str = ""


@dataclass(frozen=True)
class Scale:
    """The links of one scale: those before little squares of pixels become channels, and those after."""

    before: tuple[Link, ...] = ()
    after: tuple[Link, ...] = ()


def draw_flow(title: str, scales: Sequence[Scale], inverse: bool) -> Document:
    """The whole drawing: from pictures to the latent with its likelihood, or back."""
    document = Document(f"{title} backwards" if inverse else title)
    top = Sketch(document)
    size: dict[str, Any] = {"channels": "=image_channels", "image_size": "=image_size"}
    if inverse:
        top.add("z", "ImageInput", title="Latent", sample={"kind": "noise"}, **size)
    else:
        top.add("image", "ImageInput", title="Picture", **size)
    _scale(top, scales, 0, "z" if inverse else "image", inverse)
    end = top.row(0, 0, "z" if inverse else "image", ROOM, "scale_1") + ROOM
    result, title = ("image", "Picture") if inverse else ("z", "Latent")
    top.add(result, "Output", "scale_1.y", title=title)
    top.add("log_determinant", "Output", "scale_1.log_det", title="Log-determinant")
    if inverse:
        top.row(end, 0, "image")
        top.row(end, LINE // 2, "log_determinant")
        return document
    top.add("likelihood", "FlowLikelihood", "scale_1.y", "scale_1.log_det", unit="bits per dimension")
    top.add("bits", "Output", "likelihood", title="Bits per dimension")
    top.row(end, -LINE // 2, "z")
    top.row(end, 0, "likelihood", "bits")
    top.row(end, LINE // 2 + 24, "log_determinant")
    return document


def _scale(pen: Sketch, scales: Sequence[Scale], place: int, source: str, inverse: bool) -> str:
    """Draw one scale and those inside it. Returns its id."""
    id, scale, last = f"scale_{place + 1}", scales[place], place + 1 == len(scales)
    chain = _Chain(pen.group(id, f"Scale {place + 1}"), inverse)
    squeezed = bool(scale.after) or not last
    if not inverse:
        chain.links(scale.before)
    if squeezed:
        chain.step("squeeze", "Squeeze")
    if not inverse:
        chain.links(scale.after)
    if not last:
        chain.divide(scales, place + 1)
    if inverse:
        chain.links(scale.after)
    if squeezed:
        chain.step("unsqueeze", "Squeeze", title="Unsqueeze", direction="inverse")
    if inverse:
        chain.links(scale.before)
    chain.finish()
    pen.wire(source, f"{id}.x")
    return id


class _Chain:
    """The nodes of a scale, one behind the other, and the log-determinants of those that have one."""

    def __init__(self, pen: Sketch, inverse: bool) -> None:
        self._pen = pen
        self._inverse = inverse
        self._last = pen.add("x", "GroupInput", title="Latent" if inverse else "Features", port="x")
        self._log_dets: list[str] = []
        self._row: list[str | int] = ["x"]

    def step(self, id: str, block: str, **params: Any) -> None:
        """A block that has no log-determinant."""
        self._last = self._pen.add(id, block, self._last, **params)
        self._row.append(id)

    def links(self, links: Sequence[Link]) -> None:
        """Links in their order, or backwards."""
        for link in reversed(links) if self._inverse else links:
            _link(self._pen, link, self._last, self._inverse)
            self._went_through(link.id, "x")

    def divide(self, scales: Sequence[Scale], place: int) -> None:
        """Hand half of the channels to the next scale."""
        self.step("split", "Split", title="Half goes on", axis=1)
        inner = _scale(self._pen, scales, place, "split.y1", self._inverse)
        self._went_through(inner, "y")
        self._last = self._pen.add("concat", "Concat", self._last, "split.y2", title="Both halves", axis=1)
        self._row.append("concat")

    def finish(self) -> None:
        """What leaves the scale, and where all of it lies."""
        pen, before = self._pen, str(self._row[-1])
        pen.add("y", "GroupOutput", self._last, title="Features" if self._inverse else "Latent", port="y")
        total = self._log_dets[0]
        pen.row(0, 0, *self._row, ROOM, "y")
        if len(self._log_dets) > 1:
            total = pen.add("total", "Add", *self._log_dets, title="Add up")
        pen.add("log_det_sum", "GroupOutput", total, title="Log-determinant", port="log_det")
        pen.row(pen.left(before), LINE, *(["total"] if len(self._log_dets) > 1 else []), "log_det_sum")

    def _went_through(self, id: str, port: str) -> None:
        self._last = f"{id}.{port}"
        self._log_dets.append(f"{id}.log_det")
        self._row.append(id)


def _link(pen: Sketch, link: Link, source: str, inverse: bool) -> None:
    """A group of steps that adds up their log-determinants."""
    inside = pen.group(link.id, link.title, repeat=link.repeat or 1, backwards=inverse and bool(link.repeat))
    last = inside.add("x", "GroupInput", title="Features", port="x")
    steps = tuple(reversed(link.steps)) if inverse else link.steps
    way: dict[str, Any] = {"direction": "inverse"} if inverse else {}
    for id, block, params in steps:
        last = inside.add(id, block, last, **params, **way)
    inside.add("total", "Add", *(f"{id}.log_det" for id, _, _ in steps), title="Add up")
    inside.add("y", "GroupOutput", last, title="Features", port="x")
    inside.add("log_det_sum", "GroupOutput", "total", title="Log-determinant", port="log_det", rounds="sum")
    inside.row(0, 0, "x", *(part for id, _, _ in steps for part in (id, ROOM)), "y")
    inside.row(inside.left("y"), LINE, "total", GAP, "log_det_sum")
    pen.wire(source, f"{link.id}.x")
