"""A block's help page: its equation, what it does and when to use it, its parameters, and the papers as links."""

from __future__ import annotations

import html
import inspect
import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app import theme
from app.widgets.equation import EquationView
from blocks.spec import Block, Param

LINKS = (
    (re.compile(r"(?<![\w/.])(\d{4}\.\d{4,5})(?![\w])"), r"https://arxiv.org/abs/\1"),
    (re.compile(r"(?<![\w/])((?:doi\.org|openreview\.net)/[^\s,;]*[^\s,;.)])"), r"https://\1"),
)
"""What a paper is called by, and where it is found."""


class HelpPage(QWidget):
    """The equation over the text; it has no height while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Help page")
        self.equation = EquationView()
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setProperty("role", "muted")
        self.text.setMinimumWidth(40)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName("Help")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, theme.SPACE_2, 0, 0)
        layout.setSpacing(theme.SPACE_2)
        layout.addWidget(self.equation)
        layout.addWidget(self.text)

    def show_block(self, block: type[Block] | None) -> None:
        """The page of a block, or an empty one."""
        self.equation.setVisible(bool(block and block.equation))
        self.equation.show_latex(block.equation if block else "")
        self.text.setText(help_text(block) if block else "")


def has_help(block: type[Block] | None) -> bool:
    """Whether there is more to say of a block than the line below its title."""
    return block is not None and bool(block.equation or block.params() or _paragraphs(block))


def help_text(block: type[Block]) -> str:
    """A block's docstring without its first line, and its parameters, as rich text."""
    parts = [f'<p style="margin:0 0 8px 0">{_marked(paragraph)}</p>' for paragraph in _paragraphs(block)]
    if block.params():
        strong = theme.current().text
        parts.append(f'<p style="margin:0 0 4px 0; color:{strong}; font-weight:600">Parameters</p>')
        parts += [f'<p style="margin:0 0 4px 0">{_parameter(param)}</p>' for param in block.params()]
    return "".join(parts)


def _paragraphs(block: type[Block]) -> list[str]:
    _, _, rest = inspect.cleandoc(block.__doc__ or "").partition("\n")
    return [" ".join(part.split()) for part in rest.strip().split("\n\n") if part.strip()]


def _marked(text: str) -> str:
    """Plain words with what is code in the font of code, and papers as links."""
    text = html.escape(text)
    text = re.sub(r"`([^`]+)`", lambda found: _code(found[1]), text)
    text = re.sub(r"arXiv (?=\d)", "arXiv&nbsp;", text)
    for pattern, address in LINKS:
        link = f'<a href="{address}" style="color:{theme.current().accent}; text-decoration:none">\\1</a>'
        text = pattern.sub(link, text)
    return text


def _parameter(param: Param) -> str:
    """Its name, what it is, and what it may be."""
    options = getattr(param.rule, "options", ())
    choices = f": {', '.join(_code(option) for option in options)}" if options else ""
    return f"{_code(param.name, strong=True)} {_marked(param.rule.doc)}{choices}"


def _code(text: str, *, strong: bool = False) -> str:
    colour = f"; color:{theme.current().text}" if strong else ""
    return f'<code style="font-family:{theme.MONO}{colour}">{text}</code>'
