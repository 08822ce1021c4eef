"""Every control of every panel has a name for a screen reader and a tooltip, and the keyboard reaches it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QScrollBar, QWidget

from app.panels import panel_classes
from app.panels.base import Panel
from graph.commands import SetParam

KINDS = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit)


def controls(panel: Panel) -> list[QWidget]:
    found = [widget for kind in KINDS for widget in panel.findChildren(kind) if widget.isVisible()]
    return [widget for widget in found if not isinstance(widget.parent(), QScrollBar | QComboBox)]


def test_all_panels_are_found_in_the_order_of_their_tabs():
    assert [cls.name for cls in panel_classes()] == [
        "attention_maps", "activations", "memory", "code", "problems", "history", "outline", "properties",
    ]  # fmt: skip
    assert all(cls.title for cls in panel_classes())


@pytest.mark.parametrize("cls", panel_classes(), ids=lambda cls: cls.name)
@pytest.mark.parametrize("selected", [(), ("decoder", "attn"), ("tokens",), ("decoder",)], ids="/".join)
def test_controls_have_names_and_tooltips(
    cls, selected, gpt, engine, workspace, shown, until, run_reading, inspection, attention, estimation
):
    engine.answers |= {"run": run_reading, "inspect": inspection, "attention": attention, "estimate": estimation}
    engine.answers["source"] = {"code": "import torch\n", "lines": 1}
    if cls.name == "problems":
        gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    panel = shown(cls, 1200 if cls.side == "bottom" else 332, 400)
    workspace.run()
    gpt.show(selected)
    until(lambda: workspace.run_state.state == "done" and not any(q.busy for q in getattr(panel, "_questions", ())))
    if cls.name == "properties":
        until(lambda: (panel.page is panel.node_page) == bool(selected))
    found = controls(panel)
    assert found
    for widget in found:
        name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        assert name, f"{widget} has no name"
        is_page = isinstance(widget, QPlainTextEdit) and widget.isReadOnly()  # a tooltip would cover what it shows
        assert widget.toolTip() or is_page, f"{name} has no tooltip"
        if not isinstance(widget, QAbstractButton) or widget.property("role") != "icon":
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, f"{name} cannot be reached by Tab"
