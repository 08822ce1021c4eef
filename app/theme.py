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
    tags: dict[str, str]

    def category(self, name: str) -> QColor:
        """The hue of a palette category."""
        return QColor(self.categories.get(name, self.faint))

    def kind(self, name: str) -> QColor:
        """The hue of a wire by what travels on it."""
        return QColor(self.kinds.get(name, self.kinds["features"]))

    def tag(self, name: str) -> QColor | None:
        """The hue of a colour tag, or None where there is no such tag."""
        return QColor(self.tags[name]) if name in self.tags else None


_CATEGORY_DARK = {
    "Sources": "#919aa9", "Outputs": "#919aa9", "Structure": "#919aa9", "Linear": "#7498e5", "Transformer": "#7498e5",
    "Convolution": "#7baa58", "Pooling": "#7baa58", "Recurrent": "#ae86cd", "Normalization": "#ca8a4a",
    "Activation": "#52ac9f", "Attention": "#ae82dc", "Position": "#c87fa8", "Arithmetic": "#52ac9f",
    "Reshaping": "#9d9f5d", "Regularization": "#a99682", "Mixture of experts": "#d97b78", "Flow": "#58a4c7",
    "Losses": "#d97b78", "Diffusion and image": "#5bae7e",
}  # fmt: skip
_CATEGORY_LIGHT = {
    "Sources": "#747e8d", "Outputs": "#747e8d", "Structure": "#747e8d", "Linear": "#5679cd", "Transformer": "#5679cd",
    "Convolution": "#5c8d35", "Pooling": "#5c8d35", "Recurrent": "#9267b7", "Normalization": "#af6b24",
    "Activation": "#318e81", "Attention": "#9361c6", "Position": "#ae5e8d", "Arithmetic": "#318e81",
    "Reshaping": "#808237", "Regularization": "#8e7a60", "Mixture of experts": "#c05855", "Flow": "#3887ac",
    "Losses": "#c05855", "Diffusion and image": "#389162",
}  # fmt: skip

DARK = Theme(
    "dark", canvas="#191c21", panel="#1f2228", field="#2a2e36", hover="#333842", line="#2f343d", grid="#24282f",
    node="#262a31", node_line="#363c46", text="#e8eaed", muted="#a3abb8", faint="#9098a6", accent="#6ea8fe",
    accent_text="#0d1420", error="#f47d79", warning="#e0b054", good="#5fb878", categories=_CATEGORY_DARK,
    kinds={"tokens": "#c09c54", "features": "#7aa2e7", "image": "#81b265", "mask": "#b190d9", "number": "#5fb3a5"},
    tags={
        "red": "#d0716e", "orange": "#c98a4b", "yellow": "#b3a04a", "green": "#6ba368", "blue": "#5f93cf",
        "purple": "#a07fcb",
    },
)  # fmt: skip
LIGHT = Theme(
    "light", canvas="#f6f7f9", panel="#ffffff", field="#f0f2f4", hover="#e6e9ed", line="#e1e4e8", grid="#dfe3e8",
    node="#ffffff", node_line="#d5dae0", text="#16191d", muted="#535b66", faint="#656d79", accent="#2461d0",
    accent_text="#ffffff", error="#b8352f", warning="#856008", good="#267542", categories=_CATEGORY_LIGHT,
    kinds={"tokens": "#9f7515", "features": "#517bcc", "image": "#5c8d35", "mask": "#8f65c3", "number": "#318e81"},
    tags={
        "red": "#c9605c", "orange": "#bd7a33", "yellow": "#a08a20", "green": "#4f9150", "blue": "#4579c4",
        "purple": "#8a63bd",
    },
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
    application.setStyleSheet("")  # all that is shown takes a new sheet much faster than another one
    if application.style().name() != "fusion":
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
