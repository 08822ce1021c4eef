"""The look: every colour, size and font of the window, light and dark. Nothing else in the program names one."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

GRID = 4
SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_6 = 4, 8, 12, 16, 24
TEXT_TINY, TEXT_SMALL, TEXT_BODY, TEXT_TITLE, TEXT_LARGE = 11, 12, 13, 16, 20
RADIUS = 6
MOTION = 120
"""Milliseconds of a transition."""

SANS, MONO = "Inter", "JetBrains Mono"
RAMP = ("#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
"""From little to much, in pictures of numbers: viridis, which is even to the eye and to the colour-blind."""


@dataclass(frozen=True)
class Theme:
    """The colours of one appearance, as #rrggbb."""

    name: str
    canvas: str
    panel: str
    field: str
    hover: str
    line: str
    grid: str
    node: str
    node_line: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_text: str
    error: str
    warning: str
    good: str
    categories: dict[str, str]
    kinds: dict[str, str]

    def category(self, name: str) -> QColor:
        """The hue of a palette category."""
        return QColor(self.categories.get(name, self.faint))

    def kind(self, name: str) -> QColor:
        """The hue of a wire by what travels on it."""
        return QColor(self.kinds.get(name, self.kinds["features"]))


_CATEGORY_DARK = {
    "Sources": "#8e97a6", "Outputs": "#8e97a6", "Structure": "#8e97a6", "Linear": "#6f93e0", "Transformer": "#6f93e0",
    "Convolution": "#7fae5c", "Pooling": "#7fae5c", "Recurrent": "#b78fd6", "Normalization": "#d08f4f",
    "Activation": "#4fa99c", "Attention": "#a77bd4", "Position": "#c87fa8", "Arithmetic": "#4fa99c",
    "Reshaping": "#9a9c5a", "Regularization": "#9c8a76", "Mixture of experts": "#d97b78", "Flow": "#5aa6c9",
    "Losses": "#d97b78", "Diffusion and image": "#56a979",
}  # fmt: skip
_CATEGORY_LIGHT = {
    "Sources": "#7d8796", "Outputs": "#7d8796", "Structure": "#7d8796", "Linear": "#5578cc", "Transformer": "#5578cc",
    "Convolution": "#5f9038", "Pooling": "#5f9038", "Recurrent": "#9a6fc0", "Normalization": "#b9742f",
    "Activation": "#2f8d80", "Attention": "#915fc4", "Position": "#b0608f", "Arithmetic": "#2f8d80",
    "Reshaping": "#7f8136", "Regularization": "#857158", "Mixture of experts": "#c25a57", "Flow": "#3a89ae",
    "Losses": "#c25a57", "Diffusion and image": "#358e5f",
}  # fmt: skip

DARK = Theme(
    "dark", canvas="#191c21", panel="#1f2228", field="#2a2e36", hover="#333842", line="#2f343d", grid="#24282f",
    node="#262a31", node_line="#363c46", text="#e8eaed", muted="#a3abb8", faint="#9098a6", accent="#6ea8fe",
    accent_text="#0d1420", error="#f47d79", warning="#e0b054", good="#5fb878", categories=_CATEGORY_DARK,
    kinds={"tokens": "#c9a45c", "features": "#7aa2e8", "image": "#82b366", "mask": "#b08fd8", "number": "#5fb3a5"},
)  # fmt: skip
LIGHT = Theme(
    "light", canvas="#f6f7f9", panel="#ffffff", field="#f0f2f4", hover="#e6e9ed", line="#e1e4e8", grid="#dfe3e8",
    node="#ffffff", node_line="#d5dae0", text="#16191d", muted="#535b66", faint="#656d79", accent="#2461d0",
    accent_text="#ffffff", error="#b8352f", warning="#856008", good="#267542", categories=_CATEGORY_LIGHT,
    kinds={"tokens": "#a67c20", "features": "#5b86d8", "image": "#5f9038", "mask": "#8c62c0", "number": "#2f8d80"},
)  # fmt: skip

_current = DARK


def current() -> Theme:
    """The theme in use."""
    return _current


def font(size: int = TEXT_BODY, *, weight: QFont.Weight = QFont.Weight.Normal, mono: bool = False) -> QFont:
    """A font of the type scale, in pixels; numbers are set in `mono` or with tabular figures."""
    result = QFont(MONO if mono else SANS)
    result.setPixelSize(size)
    result.setWeight(weight)
    if not mono:
        result.setFeature(QFont.Tag("tnum"), 1)
    result.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return result


def load_fonts() -> None:
    """Make the program's own fonts known, so that it looks the same everywhere."""
    if SANS in QFontDatabase.families() and MONO in QFontDatabase.families():
        return
    for file in resources.files("app").joinpath("fonts").iterdir():
        if file.name.endswith((".otf", ".ttf")):
            QFontDatabase.addApplicationFontFromData(file.read_bytes())


def apply(name: str = "system") -> Theme:
    """Give the whole application a theme: "dark", "light" or what the system prefers."""
    from app.stylesheet import style  # it takes its sizes from here

    global _current
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    if name == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        name = "light" if scheme == Qt.ColorScheme.Light else "dark"
    _current = LIGHT if name == "light" else DARK
    load_fonts()
    application.setStyle("Fusion")
    application.setFont(font())
    application.setPalette(_palette(_current))
    application.setStyleSheet(style(_current))
    return _current


def _palette(theme: Theme) -> QPalette:
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.panel, QPalette.ColorRole.Base: theme.field,
        QPalette.ColorRole.AlternateBase: theme.panel, QPalette.ColorRole.Button: theme.field,
        QPalette.ColorRole.Text: theme.text, QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.ButtonText: theme.text, QPalette.ColorRole.ToolTipBase: theme.node,
        QPalette.ColorRole.ToolTipText: theme.text, QPalette.ColorRole.PlaceholderText: theme.faint,
        QPalette.ColorRole.Highlight: theme.accent, QPalette.ColorRole.HighlightedText: theme.accent_text,
        QPalette.ColorRole.Link: theme.accent, QPalette.ColorRole.Mid: theme.line,
    }  # fmt: skip
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    return palette
