"""A short text, such as an einops pattern."""

from __future__ import annotations

from app.editors.line import LineEditor
from blocks.spec import Text


class TextEditor(LineEditor):
    """A line to type in."""

    rules = (Text,)
