"""The look: text can be read on every surface, and only the theme names colours."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from app import theme
from app.stylesheet import style
from app.theme import DARK, LIGHT, Theme
from graph import marking

ROOT = Path(__file__).parents[2] / "app"
SURFACES = ("canvas", "panel", "field", "node")
TEXTS = ("text", "muted", "faint", "accent", "error", "warning", "good")


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lightness(colour: str) -> float:
    """The lightness of OKLab."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_every_text_can_be_read_on_every_surface(look: Theme) -> None:
    poor = {
        (text, surface): round(contrast(getattr(look, text), getattr(look, surface)), 2)
        for text in TEXTS
        for surface in SURFACES
        if contrast(getattr(look, text), getattr(look, surface)) < 4.5
    }
    assert poor == {}
    for text in ("text", "muted", "accent", "error", "warning", "good"):
        assert contrast(getattr(look, text), look.hover) >= 4.5, text
    assert contrast(look.accent_text, look.accent) >= 4.5


def laid_on(hue: str, ground: str, share: float) -> str:
    """A hue laid thinly on a ground."""
    channels = [(int(hue[place : place + 2], 16), int(ground[place : place + 2], 16)) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02x}" for over, under in channels)


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_titles_can_be_read_on_every_colour_tag(look: Theme) -> None:
    """Nodes, frames and notes lay the hue thinly below their words, and those are written in `text`."""
    from app.canvas.paint_comments import BAND, GROUND
    from app.canvas.paint_near import TINT

    thin = ((TINT, look.node), (BAND, look.canvas), (GROUND, look.canvas), (0.1, look.panel))
    poor = {
        (name, ground): round(contrast(look.text, laid_on(hue, ground, share)), 2)
        for name, hue in {**look.tags, "none": look.faint}.items()
        for share, ground in thin
        if contrast(look.text, laid_on(hue, ground, share)) < 4.5
    }
    assert poor == {}


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_rules_of_the_style_sheet_write_what_can_be_read(look: Theme) -> None:
    """Wherever one rule names both a ground and the colour of its text, or that of what is selected."""
    from app.stylesheet import style

    sheet = re.sub(r"/\*.*?\*/", "", style(look), flags=re.S)
    poor = {}
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet):
        for ground, text in (("background", "color"), ("selection-background-color", "selection-color")):
            grounds = re.findall(rf"(?:^|[;\s]){ground}:\s*(#[0-9a-f]{{6}})", body)
            texts = re.findall(rf"(?:^|[;\s]){text}:\s*(#[0-9a-f]{{6}})", body)
            if grounds and texts and contrast(grounds[-1], texts[-1]) < 4.5:
                poor[selector.strip()] = round(contrast(grounds[-1], texts[-1]), 2)
    assert poor == {}


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_hues_stand_out_from_what_they_lie_on(look: Theme) -> None:
    poor = {
        (name, surface): round(contrast(hue, getattr(look, surface)), 2)
        for name, hue in {**look.categories, **look.kinds}.items()
        for surface in (*SURFACES, "hover")
        if contrast(hue, getattr(look, surface)) < 3
    }
    assert poor == {}
    for mark in ("accent", "error", "warning", "good", "faint"):  # the focus ring, states, the edges of switches
        assert all(contrast(getattr(look, mark), getattr(look, surface)) >= 3 for surface in (*SURFACES, "hover")), mark


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_hues_are_of_equal_lightness(look: Theme) -> None:
    """None of them calls louder than another."""
    for hues in (look.categories, look.kinds):
        light = [lightness(hue) for hue in hues.values()]
        assert max(light) - min(light) < 0.01, {name: round(lightness(hue), 3) for name, hue in hues.items()}


def test_lightness_is_measured_as_the_eye_does() -> None:
    assert lightness("#ffffff") == pytest.approx(1.0, abs=1e-3)
    assert lightness("#000000") == 0.0
    assert lightness("#ff0000") == pytest.approx(0.628, abs=1e-3)


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_every_category_has_a_hue(look: Theme) -> None:
    from blocks.spec import CATEGORIES, KINDS

    assert set(look.categories) >= set(CATEGORIES.values())
    assert set(look.kinds) >= set(KINDS)


def test_both_appearances_name_the_same_things() -> None:
    assert DARK.categories.keys() == LIGHT.categories.keys()
    assert DARK.kinds.keys() == LIGHT.kinds.keys()
    assert tuple(DARK.tags) == tuple(LIGHT.tags) == marking.TAGS
    for look in (DARK, LIGHT):
        for name, value in dataclasses.asdict(look).items():
            if isinstance(value, str) and name != "name":
                assert re.fullmatch("#[0-9a-f]{6}", value), name


def test_nothing_else_names_a_colour() -> None:
    allowed = {ROOT / "theme.py"}
    found = [
        f"{file.relative_to(ROOT)}: {match}"
        for file in ROOT.rglob("*.py")
        if file not in allowed
        for match in re.findall(r"[\"']#[0-9a-fA-F]{3,8}[\"']", file.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_pictures_that_the_style_sheet_names_are_there(look: Theme) -> None:
    pictures = re.findall(r"url\(\"([^\"]+)\"\)", style(look))
    assert pictures
    for picture in pictures:
        assert Path(picture).is_file(), picture


def test_fonts_are_the_programs_own(qapp: object) -> None:
    from PySide6.QtGui import QFontInfo

    theme.load_fonts()
    assert QFontInfo(theme.font()).family() == theme.SANS
    assert QFontInfo(theme.font(mono=True)).family() == theme.MONO
