"""The help page of a block: its equation, its parameters, and papers that open in the browser."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Slot
from PySide6.QtGui import QDesktopServices, QMouseEvent
from PySide6.QtWidgets import QApplication

from app.panels.pages.help import _marked, has_help, help_text
from app.panels.properties import Properties
from blocks import catalogue

ATTENTION = ("decoder", "attn")
PAPER = "https://arxiv.org/abs/1706.03762"


class Browser(QObject):
    """Stands in for the one of the system."""

    def __init__(self):
        super().__init__()
        self.opened = []

    @Slot("QUrl")
    def open(self, url):
        self.opened.append(url.toString())


@pytest.fixture
def browser(qapp):
    made = Browser()
    QDesktopServices.setUrlHandler("https", made, "open")
    yield made
    QDesktopServices.unsetUrlHandler("https")


@pytest.fixture
def panel(gpt, shown):
    return shown(Properties, 332, 860)


@pytest.fixture
def head(panel, gpt, qtbot):
    gpt.show(ATTENTION)
    qtbot.waitUntil(lambda: panel.page is panel.node_page)
    return panel.node_page.head


@pytest.fixture
def page(head, qtbot):
    qtbot.mouseClick(head.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: head.help.isVisible() and head.help.equation.is_set, timeout=20_000)
    return head.help


def test_the_equation_is_set_above_the_text(page):
    equation = page.equation
    assert equation.latex == catalogue()["MultiHeadAttention"].equation
    assert equation.height() == equation.heightForWidth(equation.width()) > 100
    assert equation.geometry().bottom() < page.text.geometry().top()
    assert "softmax" in equation.accessibleDescription() and equation.accessibleName() == "Equation"


def test_another_block_shows_another_equation(page, gpt, qtbot):
    before = page.equation.latex
    gpt.show(("decoder", "mlp"))
    qtbot.waitUntil(lambda: page.equation.latex == catalogue()["FeedForward"].equation, timeout=20_000)
    qtbot.waitUntil(lambda: page.equation.is_set, timeout=20_000)
    assert page.equation.latex != before


def test_what_computes_nothing_has_no_equation(page, gpt, qtbot):
    gpt.show(("tokens",))
    qtbot.waitUntil(lambda: not page.equation.isVisible())
    assert page.isVisible() and "vocab" in page.text.text()


def test_a_group_has_no_help(page, head, gpt, qtbot):
    gpt.show(("decoder",))
    qtbot.waitUntil(lambda: not head.button.isVisible())
    assert not page.isVisible()


def test_a_paper_opens_in_the_browser(page, qtbot, browser):
    text = page.text
    places = (QPoint(x, y) for y in range(4, text.height(), 8) for x in range(4, text.width(), 12))
    spot = next(place for place in places if hovered(text, place) == PAPER)
    qtbot.mouseClick(text, Qt.MouseButton.LeftButton, pos=spot)
    assert browser.opened == [PAPER]


def test_a_paper_opens_by_the_keyboard(page, qtbot, browser):
    page.text.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(page.text, Qt.Key.Key_Tab)
    qtbot.keyClick(page.text, Qt.Key.Key_Return)
    assert len(browser.opened) == 1 and browser.opened[0].startswith("https://arxiv.org/abs/")


def hovered(text, place):
    """The link under a place."""
    found = []
    text.linkHovered.connect(found.append)
    moved = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(place), text.mapToGlobal(QPointF(place)),
        Qt.MouseButton.NoButton, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(text, moved)
    text.linkHovered.disconnect(found.append)
    return found[-1] if found else ""


def test_what_papers_are_called_by_becomes_links(qapp):
    text = _marked("Peng 2023, arXiv 2309.00071 and 1601.06759; x + 0.044715 in 2016, see doi.org/10.1162/a.9.1, so.")
    assert re.findall(r'href="([^"]*)"', text) == [
        "https://arxiv.org/abs/2309.00071", "https://arxiv.org/abs/1601.06759", "https://doi.org/10.1162/a.9.1",
    ]  # fmt: skip
    assert "&lt;b&gt;" in _marked("<b>") and "<b>" not in _marked("<b>")


def test_every_paper_of_the_catalogue_is_a_link(qapp):
    for name, block in catalogue().items():
        text = help_text(block)
        for paper in re.findall(r"\b\d{4}\.\d{4,5}\b", block.__doc__ or ""):
            assert f'href="https://arxiv.org/abs/{paper}"' in text, name


def test_the_parameters_are_listed(qapp):
    text = help_text(catalogue()["GELU"])
    assert "Parameters" in text and "approximate" in text and "how it is computed" in text and ">tanh<" in text
    assert "Parameters" not in help_text(catalogue()["ReLU"])
    assert has_help(catalogue()["ReLU"]) and not has_help(None)


def test_what_is_code_is_shown_as_code_in_parameters_too():
    assert "`" not in "".join(help_text(block) for block in catalogue().values())
