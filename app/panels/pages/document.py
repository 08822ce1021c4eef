"""The page of the document, shown while nothing is selected: title, seed, variables, requirements, cost."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from app.editors.base import Setting
from app.panels.pages.cost import whole_figures
from app.panels.pages.form import Form
from app.panels.pages.page import Head, Page
from app.panels.pages.variables import VariableTable
from app.panels.questions import Question
from app.widgets.figures import Figures
from app.widgets.text import Section, label
from app.workspace import Workspace
from blocks.spec import Param, Size
from graph.commands import UNSET, SetDocument, SetVariable
from graph.document import Document

SEED = Param("seed", int, 0, Size("start of the random weights", low=0))


class DocumentPage(Page):
    """The document as a whole."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.head = Head("Title of the drawing")
        self.head.retitled.connect(self._retitle)
        self.form = Form((SEED,))
        self.form.edited.connect(self._set_seed)
        self.variables = Section("Variables")
        self.table = VariableTable()
        self.table.edited.connect(self._set_variable)
        self.variables.body.addWidget(self.table)
        self.requirements = Section("Requirements")
        self.requirement_list = label("", "muted", wrap=True)
        self.requirements.body.addWidget(self.requirement_list)
        self.cost = Section("Cost")
        self.cost_figures = Figures("Cost")
        self.cost_note = label("", "faint", wrap=True)
        self.cost.body.addWidget(self.cost_figures)
        self.cost.body.addWidget(self.cost_note)
        for widget in (self.head, self.form, self.variables, self.requirements, self.cost):
            self.column.addWidget(widget)
        self.column.addStretch(1)
        self.estimate = Question(workspace, "estimate", self, delay=400)
        self.estimate.answered.connect(lambda _data: self._show_cost())
        self.estimate.failed.connect(lambda _sentence: self._show_cost())

    def refresh(self) -> None:
        document, report = self.session.document, self.session.report
        self.head.show_head(document.title, "untitled", _summary(document))
        seed = Setting(document.seed if document.seed else UNSET, document.seed, "set" if document.seed else "default")
        self.form.show_settings({"seed": seed})
        self.table.show_variables(self.session, report.issues)
        sentences = [str(need) for need in report.requirements]
        self.requirement_list.setText("\n".join(sentences))
        self.requirements.setVisible(bool(sentences))
        if report.valid:
            self.estimate.ask()
        else:
            self.estimate.forget()
        self._show_cost()

    def _show_cost(self) -> None:
        data = self.estimate.data
        self.cost_figures.show_figures(whole_figures(data) if data else [])
        self.cost_note.setText(self.estimate.sentence)
        self.cost_note.setVisible(bool(self.estimate.sentence))
        self.cost.setVisible(bool(data or self.estimate.sentence))

    def _retitle(self, text: str, gesture: object) -> None:
        self.do(SetDocument("title", text or "untitled"), gesture)

    def _set_seed(self, _name: str, value: Any, gesture: object) -> None:
        self.do(SetDocument("seed", 0 if value is UNSET else value), gesture)

    def _set_variable(self, name: str, value: Any, gesture: object) -> None:
        self.do(SetVariable(name, value), gesture)


def _summary(document: Document) -> str:
    nodes = [node for _, node in document.walk()]
    groups = sum(node.is_group for node in nodes)
    blocks = len(nodes) - groups
    if not nodes:
        return "Nothing is drawn yet."
    text = f"{blocks} {'block' if blocks == 1 else 'blocks'}"
    return f"{text}, {groups} {'group' if groups == 1 else 'groups'}." if groups else f"{text}."
