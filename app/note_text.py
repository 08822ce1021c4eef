"""The text of notes as it is set in their cards, and how high it becomes. Canvas and panels both need it."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextDocument, QTextOption

from app import theme

INSET = 12.0
NOTE_INSET = 8.0
EMPTY = "*Empty note*"


def lay_text(text: str, width: float, font: QFont) -> QTextDocument:
    """The text of a note in the lines of a card of that width."""
    found = QTextDocument()
    found.setDocumentMargin(0)
    found.setDefaultFont(font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    found.setDefaultTextOption(option)
    found.setMarkdown(text or EMPTY, QTextDocument.MarkdownFeature.MarkdownNoHTML)
    found.setTextWidth(max(20.0, width - 2 * INSET))
    return found


def note_height(text: str, width: float) -> float:
    """How high a card of that width must be for its text."""
    return -(-(lay_text(text, width, theme.font(theme.TEXT_SMALL)).size().height() + 2 * NOTE_INSET) // 4) * 4
