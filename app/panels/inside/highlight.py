"""Python in colours: words of the language, names that are defined, numbers, texts and comments."""

from __future__ import annotations

import keyword
import re

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from app import theme

_TOKENS = re.compile(
    r"(?P<comment>#.*)"
    r"|(?P<text>[rbf]{0,2}(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'))"
    r"|(?P<defined>(?<=\bdef )\w+|(?<=\bclass )\w+)"
    rf"|(?P<word>\b(?:{'|'.join(keyword.kwlist)}|self)\b)"
    r"|(?P<number>\b\d[\d_]*\.?\d*(?:e[+-]?\d+)?\b)"
)
_FENCE = '"""'


class PythonHighlighter(QSyntaxHighlighter):
    """Colours of the theme for a document of Python."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats = _formats()

    def recolour(self) -> None:
        """Take the colours of another theme."""
        self._formats = _formats()
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        start = 0
        self.setCurrentBlockState(0)
        if self.previousBlockState() == 1:  # within a docstring
            end = text.find(_FENCE)
            if end < 0:
                self.setFormat(0, len(text), self._formats["text"])
                self.setCurrentBlockState(1)
                return
            start = end + len(_FENCE)
            self.setFormat(0, start, self._formats["text"])
        while start < len(text):
            fence = text.find(_FENCE, start)
            self._highlight(text, start, len(text) if fence < 0 else fence)
            if fence < 0:
                return
            end = text.find(_FENCE, fence + len(_FENCE))
            stop = len(text) if end < 0 else end + len(_FENCE)
            self.setFormat(fence, stop - fence, self._formats["text"])
            if end < 0:
                self.setCurrentBlockState(1)
            start = stop

    def _highlight(self, text: str, start: int, stop: int) -> None:
        for match in _TOKENS.finditer(text, start, stop):
            kind = match.lastgroup
            assert kind is not None
            self.setFormat(match.start(), match.end() - match.start(), self._formats[kind])


def _formats() -> dict[str, QTextCharFormat]:
    colours = theme.current()
    tones = {
        "comment": colours.faint,
        "text": colours.categories["Convolution"],
        "defined": colours.accent,
        "word": colours.categories["Attention"],
        "number": colours.categories["Normalization"],
    }
    formats: dict[str, QTextCharFormat] = {}
    for kind, tone in tones.items():
        formats[kind] = QTextCharFormat()
        formats[kind].setForeground(QColor(tone))
    return formats
