"""Every control of the pages for what is no single node has a name and a tooltip, and Tab reaches it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QScrollBar

from app.panels.properties import Properties
from graph import comments
from graph.comments import Comment
from graph.document import Wire

KINDS = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit)


@pytest.fixture
def panel(gpt, shown):
    frame = Comment("frame", "frame", "Embeddings", (-40.0, -60.0), (520.0, 400.0))
    gpt.do(comments.change((), [frame, Comment("note", "note", "tied", (0.0, 900.0))], "Add"))
    return shown(Properties, 332, 800)


@pytest.mark.parametrize(
    ("page", "choose"),
    [
        ("comment_page", lambda session: session.select((), ["frame"])),
        ("comment_page", lambda session: session.select((), ["note"])),
        ("many_page", lambda session: session.select(["head", "final_norm"], ["frame"])),
        ("wire_page", lambda session: session.mark(Wire("decoder", "x", "final_norm", "x"))),
        ("node_page", lambda session: session.select(["head"])),
    ],
)
def test_controls_have_names_and_tooltips_and_are_reached(page, choose, panel, gpt, qtbot):
    choose(gpt)
    qtbot.waitUntil(lambda: panel.page is getattr(panel, page))
    found = [widget for kind in KINDS for widget in panel.page.findChildren(kind) if widget.isVisible()]
    assert found
    for widget in found:
        if isinstance(widget.parent(), QScrollBar | QComboBox):
            continue
        name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        assert name, f"{widget} has no name"
        assert widget.toolTip(), f"{name} has no tooltip"
        quiet = isinstance(widget, QAbstractButton) and widget.property("role") == "icon"
        assert quiet or widget.focusPolicy() & Qt.FocusPolicy.TabFocus, f"{name} cannot be reached by Tab"


def test_pages_fit_a_narrow_panel(panel, gpt, qtbot):
    panel.resize(240, 600)
    for choose in (
        lambda: gpt.select((), ["frame"]),
        lambda: gpt.select((), ["note"]),
        lambda: gpt.mark(Wire("decoder", "x", "final_norm", "x")),
        lambda: gpt.select(["head", "final_norm"], ["frame"]),
        lambda: gpt.select(["decoder"]),
        lambda: gpt.select(["head"]),
    ):
        choose()
        qtbot.wait(20)
        page = panel.page
        room = page.parentWidget().width()  # beside the bar that scrolls it
        assert page.minimumSizeHint().width() <= room, f"{type(page).__name__} would be cut off"
