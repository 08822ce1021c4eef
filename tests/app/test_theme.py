"""The look: text can be read on every surface, and only the theme names colours."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from app import theme
from app.stylesheet import style
from app.theme import DARK, LIGHT, Theme

ROOT = Path(__file__).parents[2] / "app"
SURFACES = ("canvas", "panel", "field", "node")
TEXTS = ("text", "muted", "faint", "accent", "error", "warning", "good")


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
    for text in ("text", "muted", "accent", "error"):
        assert contrast(getattr(look, text), look.hover) >= 4.5, text
    assert contrast(look.accent_text, look.accent) >= 4.5


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_hues_stand_out_from_what_they_lie_on(look: Theme) -> None:
    for name, hue in {**look.categories, **look.kinds}.items():
        assert contrast(hue, look.node) >= 3, name
        assert contrast(hue, look.canvas) >= 2.8, name


@pytest.mark.parametrize("look", [DARK, LIGHT], ids=lambda look: look.name)
def test_every_category_has_a_hue(look: Theme) -> None:
    from blocks.spec import CATEGORIES, KINDS

    assert set(look.categories) >= set(CATEGORIES.values())
    assert set(look.kinds) >= set(KINDS)


def test_both_appearances_name_the_same_things() -> None:
    assert DARK.categories.keys() == LIGHT.categories.keys()
    assert DARK.kinds.keys() == LIGHT.kinds.keys()
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
    pictures = re.findall(r"url\(([^)]+)\)", style(look))
    assert pictures
    for picture in pictures:
        assert Path(picture).is_file(), picture


def test_fonts_are_the_programs_own(qapp: object) -> None:
    from PySide6.QtGui import QFontInfo

    theme.load_fonts()
    assert QFontInfo(theme.font()).family() == theme.SANS
    assert QFontInfo(theme.font(mono=True)).family() == theme.MONO
