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
BELOW = 88
WIDER = 96
"""Between neighbours where a wire from or to another row passes between them."""
IN_FIRST_ROW, IN_A_ROW = 4, 5


@dataclass(frozen=True)
class Link:
    """Some steps of a flow in a group: (id, block, parameters) each, in the order of the way to the latent."""

    id: str
    title: str
    steps: tuple[tuple[str, str, Mapping[str, Any]], ...]


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
    _scale(top, scales, 0, "z" if inverse else "image", "", inverse)
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


def _scale(pen: Sketch, scales: Sequence[Scale], place: int, source: str, log_det: str, inverse: bool) -> str:
    """Draw one scale and those inside it; `log_det` is what was added up so far, if anything was. Returns its id."""
    id, scale, last = f"scale_{place + 1}", scales[place], place + 1 == len(scales)
    chain = _Chain(pen.group(id, f"Scale {place + 1}"), bool(log_det), inverse)
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
    if log_det:
        pen.wire(log_det, f"{id}.log_det")
    return id


class _Chain:
    """The nodes of a scale, one behind the other, with the log-determinants added up along the way."""

    def __init__(self, pen: Sketch, fed: bool, inverse: bool) -> None:
        self._pen = pen
        self._inverse = inverse
        self._last = pen.add("x", "GroupInput", title="Latent" if inverse else "Features", port="x")
        self._fed = fed
        self._log_det = pen.add("log_det", "GroupInput", title="Log-determinant", port="log_det") if fed else ""
        self._rows: list[list[str | int]] = [[]]

    def step(self, id: str, block: str, **params: Any) -> None:
        """A block that adds nothing to the log-determinant."""
        self._last = self._pen.add(id, block, self._last, **params)
        self._rows[-1].append(id)

    def links(self, links: Sequence[Link]) -> None:
        """Links in their order, or backwards."""
        for link in reversed(links) if self._inverse else links:
            _link(self._pen, link, self._last, self._log_det, self._inverse)
            self._last, self._log_det = f"{link.id}.y", f"{link.id}.log_det"
            if len(self._rows[-1]) >= (IN_A_ROW if self._rows[1:] else IN_FIRST_ROW):
                self._rows.append([])
            self._rows[-1].append(link.id)

    def divide(self, scales: Sequence[Scale], place: int) -> None:
        """Hand half of the channels to the next scale."""
        self._pen.add("split", "Split", self._last, title="Half goes on", axis=1)
        inner = _scale(self._pen, scales, place, "split.y1", self._log_det, self._inverse)
        self._log_det = f"{inner}.log_det"
        self._last = self._pen.add("concat", "Concat", f"{inner}.y", "split.y2", title="Both halves", axis=1)
        if len(self._rows[-1]) > 1:
            self._rows.append([])
        self._rows[-1] += ["split", WIDER, inner, WIDER, "concat"]

    def finish(self) -> None:
        """What leaves the scale, and where all of it lies."""
        pen = self._pen
        pen.add("y", "GroupOutput", self._last, title="Features" if self._inverse else "Latent", port="y")
        pen.add("log_det_sum", "GroupOutput", self._log_det, title="Log-determinant", port="log_det")
        self._rows[-1].append("y")
        start = pen.row(0, 0, "x") + GAP
        if self._fed:
            start = pen.row(0, BELOW, "log_det") + GAP
        for line, row in enumerate(self._rows):
            pen.row(start, line * LINE, *row)
        pen.row(pen.left("y"), (len(self._rows) - 1) * LINE + BELOW, "log_det_sum")


def _link(pen: Sketch, link: Link, source: str, log_det: str, inverse: bool) -> None:
    """A group of steps that adds up their log-determinants."""
    inside = pen.group(link.id, link.title)
    last = inside.add("x", "GroupInput", title="Features", port="x")
    if log_det:
        inside.add("log_det", "GroupInput", title="Log-determinant", port="log_det")
    steps = tuple(reversed(link.steps)) if inverse else link.steps
    way: dict[str, Any] = {"direction": "inverse"} if inverse else {}
    for id, block, params in steps:
        last = inside.add(id, block, last, **params, **way)
    terms = [f"{id}.log_det" for id, _, _ in steps]
    inside.add("total", "Add", *(["log_det"] if log_det else []), *terms, title="Add up")
    inside.add("y", "GroupOutput", last, title="Features", port="y")
    inside.add("log_det_sum", "GroupOutput", "total", title="Log-determinant", port="log_det")
    inside.row(0, 0, "x", *(part for id, _, _ in steps for part in (id, ROOM)), "y")
    if log_det:
        inside.row(0, LINE, "log_det")
    inside.row(inside.left("y"), LINE, "total", GAP, "log_det_sum")
    pen.wire(source, f"{link.id}.x")
    if log_det:
        pen.wire(log_det, f"{link.id}.log_det")
