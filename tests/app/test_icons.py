"""Icons: each name has a file of the set and each file a use; they paint, sharp, in the colour that is asked for."""

from __future__ import annotations

import ast
import fnmatch
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QListView

import blocks
from app import icons, symbols, theme
from app.actions.table import ACTIONS
from app.canvas.ink import faces
from app.canvas.labels import plain_label
from app.canvas.paint_near import NearPainter
from app.icons.painting import paint_icon
from app.icons.styled import url
from app.searching.entries import Entry, EntryDelegate, EntryModel
from app.theme import DARK, LIGHT, Theme
from app.widgets.icons import IconButton
from blocks.spec import CATEGORIES
from graph.document import Node
from graph.layout import HEADER, ICON, INSET_LEFT, INSET_RIGHT, TITLE_LEFT, WIDEST, measure

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "app" / "icons" / "lucide"
FILES = {file.stem: file for file in sorted(FOLDER.glob("*.svg"))}
ASKERS = ("icon", "pixmap", "paint_icon", "url", "IconButton", "show_icon")
"""Whatever is called with the name of an icon."""


def asked_for() -> set[str]:
    """All names of icons in the program."""
    names = {*symbols.CATEGORIES.values(), *symbols.ROLES.values(), *symbols.STATES.values(), symbols.OTHER}
    names |= set(symbols.ACTION_ICONS.values())
    for file in (ROOT / "app").rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            given = [word.value for word in call.keywords if word.arg == "icon"]
            if called in ASKERS:  # the name comes first, or second after a painter
                given += call.args[:2] if called == "paint_icon" else call.args[:1]
            for part in given:
                choice = [part.body, part.orelse] if isinstance(part, ast.IfExp) else [part]
                names |= {word.value for word in choice if isinstance(word, ast.Constant)}
    return names - {""}


def seen(name: str, colour: str, pixels: int, line: float) -> QImage:
    return icons.drawn(name, colour, pixels, line).toImage().convertToFormat(QImage.Format.Format_ARGB32)


def strokes(image: QImage) -> list[QColor]:
    """The pixels that are covered by more than half."""
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return [colour for x, y in places if (colour := image.pixelColor(x, y)).alpha() > 127]


def is_like(colour: QColor, name: str) -> bool:
    """Whether two colours are the same but for what laying one over nothing takes away."""
    wanted = QColor(name)
    return max(abs(one - other) for one, other in zip(colour.getRgb()[:3], wanted.getRgb()[:3], strict=True)) <= 4


def test_every_icon_has_its_file_and_every_file_its_use() -> None:
    assert asked_for() - set(icons.OWN) == set(FILES)
    assert all((ROOT / "app" / "icons" / f"{name}.svg").is_file() for name in icons.OWN)


def test_the_files_are_those_of_one_release_as_they_came() -> None:
    (version,) = re.findall(r"`lucide-static` ([\d.]+)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    for name, file in FILES.items():
        text = file.read_text(encoding="utf-8")
        assert text.startswith(f"<!-- @license lucide-static v{version} - ISC -->\n"), name
        root = ElementTree.fromstring(text)
        known = {key: root.get(key) for key in ("class", "viewBox", "stroke", "stroke-width", "fill")}
        assert known == {
            "class": f"lucide lucide-{name}", "viewBox": "0 0 24 24", "stroke": "currentColor", "stroke-width": "2",
            "fill": "none",
        }, name  # fmt: skip


def test_the_licence_goes_with_the_icons_into_the_wheel() -> None:
    assert "Permission to use, copy, modify, and/or distribute" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = settings["package-data"]["*"]
    for file in (FOLDER / "LICENSE", *FILES.values()):
        assert any(fnmatch.fnmatchcase(file.name, pattern) for pattern in patterns), file.name
    assert any(fnmatch.fnmatchcase("app.icons.lucide", pattern) for pattern in settings["packages"]["find"]["include"])


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_each_paints_something_in_the_colour_it_is_given(qapp: object, look: Theme) -> None:
    for name in FILES:
        for ratio in (1.0, 1.25, 1.5, 2.0):
            picture = icons.pixmap(name, look.text, icons.SIZE, ratio)
            assert picture.size() == QSize(round(icons.SIZE * ratio), round(icons.SIZE * ratio))
            assert picture.devicePixelRatio() == ratio
        inked = strokes(seen(name, look.text, 32, 3.0))
        assert len(inked) > 20, name
        assert all(is_like(colour, look.text) for colour in inked), name


def test_lines_are_as_wide_in_every_size() -> None:
    """A large icon is not a bold one."""
    for size in (12, 14, 16, 24, 32):
        (width,) = re.findall(r'stroke-width="([\d.]+)"', icons.text("plus", "red", icons.LINE * icons.VIEW / size))
        assert float(width) * size / icons.VIEW == pytest.approx(icons.LINE, rel=1e-4)
    small, large = (len(strokes(seen("plus", "#000000", size, 4.0))) for size in (24, 48))
    assert 1.5 < large / small < 2.5, "twice as long, and not twice as wide too"


def test_an_icon_has_a_picture_of_its_own_for_every_usual_screen(qapp: object) -> None:
    made = icons.icon("x", "#ff0000")
    for ratio in (1.0, 1.25, 1.5, 2.0, 3.0):
        picture = made.pixmap(QSize(16, 16), ratio)
        assert picture.toImage() == icons.pixmap("x", "#ff0000", 16, ratio).toImage(), ratio


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("zoom", [0.6, 0.79, 1.0, 1.37])
def test_a_painted_icon_lies_on_whole_pixels(qapp: object, ratio: float, zoom: float) -> None:
    """Wherever the drawing is: what comes to the screen is the picture itself, to the last pixel."""
    pixels = int(14 * ratio * zoom + 0.5)
    whole = seen("image", "#ff0000", pixels, max(icons.LINE * pixels / 14, 1.25))
    for shift in (0.0, 0.3, 0.7):
        image = QImage(round(80 * ratio), round(80 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.translate(7 + shift, 5 + shift)
        painter.scale(zoom, zoom)
        before = painter.worldTransform()
        paint_icon(painter, "image", "#ff0000", 15.0, 18.0, 14.0)
        assert painter.worldTransform() == before
        painter.end()
        middle = QPointF(7 + shift + 22 * zoom, 5 + shift + 18 * zoom) * ratio
        near = [
            (x, y)
            for x in range(round(middle.x()) - pixels // 2 - 2, round(middle.x()) - pixels // 2 + 3)
            for y in range(round(middle.y()) - pixels // 2 - 2, round(middle.y()) - pixels // 2 + 3)
            if image.copy(x, y, pixels, pixels).convertToFormat(QImage.Format.Format_ARGB32) == whole
        ]
        assert len(near) == 1, (shift, near)


def test_every_category_has_an_icon_that_no_other_has() -> None:
    chosen = [symbols.CATEGORIES[category] for category in CATEGORIES.values()]
    assert len(set(chosen)) == len(chosen)
    assert symbols.OTHER not in chosen


def test_a_new_category_gets_an_icon_too() -> None:
    assert symbols.of_category("Quantum") == symbols.OTHER
    assert Entry("A block", category="Quantum").picture == symbols.OTHER


def test_what_a_group_takes_and_gives_looks_like_the_drawings_own() -> None:
    assert symbols.of_category("Structure", "group_input") == symbols.CATEGORIES["Sources"]
    assert symbols.of_category("Structure", "group_output") == symbols.CATEGORIES["Outputs"]
    assert symbols.of_category("Structure") == symbols.CATEGORIES["Structure"]


def test_a_line_under_the_heading_of_its_category_leaves_the_icon_to_it() -> None:
    assert Entry("Linear", category="Linear").picture == "network"
    assert Entry("Linear", category="Linear", is_filed=True).picture == ""
    assert Entry("GPT", "template", category="Structure").picture == "layout-template"
    assert Entry("Save", "action", icon="save").picture == "save"
    assert Entry("Quit", "action").picture == ""


def test_icons_stand_for_actions_that_there_are() -> None:
    assert set(symbols.ACTION_ICONS) <= {action.id for action in ACTIONS}


def test_files_for_style_sheets_are_coloured_and_kept(home: Path) -> None:
    made = url.__wrapped__("check", "#123456", 16)
    (file,) = (home / "cache" / "icons").iterdir()
    assert made == f'url("{file.as_posix()}")'
    text = file.read_text(encoding="utf-8")
    before = file.stat().st_mtime_ns
    assert url.__wrapped__("check", "#123456", 16) == made
    assert file.stat().st_mtime_ns == before, "what is there is left alone"
    file.write_text("half of", encoding="utf-8")
    url.__wrapped__("check", "#123456", 16)
    assert file.read_text(encoding="utf-8") == text
    assert 'stroke="#123456"' in text and "currentColor" not in text
    assert ElementTree.fromstring(text).get("stroke-width") == "2"


def test_a_cache_that_cannot_be_written_does_no_harm(home: Path) -> None:
    (home / "cache").write_text("a file where the folder would be", encoding="utf-8")
    made = Path(url.__wrapped__("check", "#123456", 16).removeprefix('url("').removesuffix('")'))
    assert made.is_file() and home not in made.parents


def test_a_button_follows_the_theme(qapp: QApplication) -> None:
    button = IconButton("x", "Close")
    try:
        theme.apply("light")
        qapp.processEvents()
        image = button.icon().pixmap(QSize(16, 16), 2.0).toImage()
        assert strokes(image) and all(is_like(colour, LIGHT.muted) for colour in strokes(image))
    finally:
        theme.apply("dark")
        button.deleteLater()


def test_a_category_that_the_icon_tells_leaves_the_room_to_the_title(qtbot: QtBot) -> None:
    """A narrow palette shows the whole name of a block, and its category only where there is room for both."""
    shown = QListView()
    qtbot.addWidget(shown)
    model = EntryModel(shown)
    model.show([Entry("Instance norm", detail="Normalization", category="Normalization"),
                Entry("Instance norm", detail="Ctrl+Shift+I", category="Normalization")])  # fmt: skip
    shown.setModel(model)
    shown.setItemDelegate(EntryDelegate(shown))
    shown.show()

    def right_of_title(wide: int, row: int) -> bool:
        """Whether anything is painted in the last 24 pixels."""
        shown.resize(wide, 120)
        QApplication.processEvents()
        rect = shown.visualRect(model.index(row, 0))
        image = shown.viewport().grab(rect).toImage()
        ground = image.pixelColor(1, 1)
        end = image.width() - 17
        return any(image.pixelColor(x, y) != ground for x in range(end - 12, end) for y in range(image.height()))

    assert right_of_title(400, 0) and right_of_title(400, 1)
    assert not right_of_title(184, 0)
    assert right_of_title(184, 1), "keys are said nowhere else"


@pytest.mark.parametrize("look", ["dark", "light"])
def test_every_block_shows_the_icon_of_its_category_before_its_title(qapp: object, look: str) -> None:
    """And the title still has the room that it needs."""
    theme.apply(look)
    try:
        painter_of_nodes = NearPainter()
        for block in {
            block.category: block for block in blocks.catalogue().values() if block.role == "module"
        }.values():
            node = Node("a", block.__name__)
            box, label = measure(node), plain_label(node)
            if box.is_dot:
                continue
            image = QImage(round(box.width), round(box.height), QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            painter = QPainter(image)
            painter_of_nodes.node(painter, box, label)
            painter.end()
            wanted = QImage(ICON, ICON, image.format())
            wanted.fill(QColor(theme.current().node))
            painter = QPainter(wanted)
            hue = theme.current().category(block.category).name()
            painter.drawPixmap(0, 0, icons.drawn(symbols.CATEGORIES[block.category], hue, ICON, icons.LINE))
            painter.end()
            assert image.copy(INSET_LEFT - 1, HEADER // 2 - ICON // 2, ICON, ICON) == wanted, block.category
            room = box.width - INSET_RIGHT - TITLE_LEFT
            assert faces().title.width(block.title) <= room or box.width == WIDEST, block.title
    finally:
        theme.apply("dark")


def test_small_icons_are_moved_to_where_they_are_sharp(qapp: object) -> None:
    """A line that covers one pixel wholly is sharper than one that covers two by half."""

    def sharpness(image: QImage) -> float:
        places = ((x, y) for x in range(image.width()) for y in range(image.height()))
        return sum(image.pixelColor(x, y).alphaF() ** 2 for x, y in places)

    for name in ("grid-2x2", "plus", "circle-alert"):
        for pixels in (12, 14, 16, 18):
            plain = QImage(pixels, pixels, QImage.Format.Format_ARGB32)
            plain.fill(Qt.GlobalColor.transparent)
            painter = QPainter(plain)
            stroke = round(icons.LINE * icons.VIEW / pixels, 1)
            QSvgRenderer(icons.text(name, "#000000", stroke).encode()).render(painter, QRectF(plain.rect()))
            painter.end()
            assert sharpness(seen(name, "#000000", pixels, icons.LINE)) >= 0.99 * sharpness(plain), (name, pixels)
    solid = [colour for colour in strokes(seen("grid-2x2", "#000000", 14, icons.LINE)) if colour.alpha() > 240]
    assert len(solid) > 16, "a line from side to side that covers its pixels"
    assert seen("grid-2x2", "#000000", 48, 4.0).width() == 48
