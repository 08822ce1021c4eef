"""The page of several selected things: how many of what, the parameters that blocks have in common, how all look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtWidgets import QWidget

from app.editors.base import Setting
from app.panels.pages.form import Form
from app.panels.pages.marks import MarksSection
from app.panels.pages.node import settings_of
from app.panels.pages.page import Page, several
from app.panels.pages.variables import visible_variables
from app.widgets.text import label
from app.workspace import Workspace
from blocks.spec import Param
from graph import marking
from graph.colouring import colour_all
from graph.commands import UNSET, Command, Sequence, SetParam
from graph.document import Document, Path
from graph.judge import title_of


class ManyPage(Page):
    """Several selected nodes, frames and notes; a change is made to all of them in one step."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.heading = label("", "heading")
        self.summary = label("", "muted", wrap=True)
        self.marks = MarksSection()
        self.marks.switched.connect(lambda off: self._mark(marking.set_off, off))
        self.marks.collapsed.connect(lambda small: self._mark(marking.set_collapsed, small))
        self.marks.coloured.connect(self._colour)
        self.column.addWidget(self.heading)
        self.column.addWidget(self.summary)
        self.column.addWidget(self.marks)
        self.column.addStretch(1)
        self.form: Form | None = None
        self._params: tuple[Param, ...] = ()

    def refresh(self) -> None:
        session = self.session
        level, report = session.document.level(session.at), session.report.level(session.at)
        nodes = [level.nodes[id] for id in level.nodes if id in session.selection]
        known = [report.nodes.get(node.id) if report else None for node in nodes]
        written = [level.comments[id] for id in level.comments if id in session.comments]
        self.heading.setText(f"{len(nodes) + len(written)} selected")
        kinds = Counter(title_of(node.with_(title="")) for node in nodes)
        kinds.update(comment.kind.capitalize() for comment in written)
        self.marks.show_marks(nodes, [comment.colour for comment in written])
        self.summary.setText(", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in kinds.items()))
        params = _common([one.block.params() if one and one.block else () for one in known])
        if params != self._params or self.form is None:
            self._build(params, {name for one in known if one and one.block for name in one.block.shown})
        assert self.form is not None
        self.form.setVisible(bool(params))
        if not nodes:
            return
        variables = visible_variables(session, (*session.at, nodes[0].id))
        titles = {id: title_of(node) for id, node in level.nodes.items()}
        all_settings = [settings_of(node, one, variables, titles) for node, one in zip(nodes, known, strict=True)]
        merged = {param.name: _merge([settings[param.name] for settings in all_settings]) for param in params}
        self.form.show_settings(merged)

    def _build(self, params: tuple[Param, ...], main: set[str]) -> None:
        if self.form is not None:
            self.column.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        self._params = params
        self.form = Form(params, main)
        self.form.edited.connect(self._edit)
        self.column.insertWidget(2, self.form)

    def _mark(self, make: Callable[[Document, Path, Iterable[str], bool], Command], wanted: bool) -> None:
        session = self.session
        self.do(make(session.document, session.at, session.selection, wanted))

    def _colour(self, name: str) -> None:
        session = self.session
        self.do(colour_all(session.document, session.at, session.selection, session.comments, name))

    def _edit(self, name: str, value: Any, gesture: object) -> None:
        at, ids = self.session.at, sorted(self.session.selection)
        steps = tuple(SetParam(at, id, name, value) for id in ids)
        key = ("param", at, tuple(ids), name)
        self.do(Sequence(steps, f"Set {name} of {len(ids)} nodes", key), gesture)


def _common(tables: list[tuple[Param, ...]]) -> tuple[Param, ...]:
    """The parameters that all have."""
    if not tables:
        return ()
    first, *rest = tables
    others = [{param.name: param for param in table} for table in rest]
    return tuple(
        param for param in first if all(param.name in table and _alike(param, table[param.name]) for table in others)
    )


def _alike(param: Param, other: Param) -> bool:
    """Whether one editor does for both: the same kind of value, and of a choice the same words."""
    options = [getattr(one.rule, "options", None) for one in (param, other)]
    return type(param.rule) is type(other.rule) and param.type is other.type and options[0] == options[1]


def _merge(settings: list[Setting]) -> Setting:
    """One setting for all: the common one, or none where they differ."""
    first = settings[0]
    if several([one.raw for one in settings]) or several([one.value for one in settings]):
        origin = "wire" if all(one.origin == "wire" for one in settings) else "set"
        return Setting(UNSET, UNSET, origin, variables=first.variables, several=True)
    return first
