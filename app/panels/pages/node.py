"""The page of one node: what it is, its parameters, the shapes at its ports, what it costs, how it ran."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from app import numbers
from app.editors.base import Setting
from app.editors.sample import SampleEditor
from app.freshness import drawing_of
from app.panels.pages.cost import node_figures
from app.panels.pages.form import Form
from app.panels.pages.interface import InterfaceSection
from app.panels.pages.marks import MarksSection
from app.panels.pages.page import Head, IssueCard, Page
from app.panels.pages.variables import visible_variables
from app.panels.questions import Question
from app.widgets.field import Field
from app.widgets.figures import Figure, Figures
from app.widgets.text import Section, label
from app.workspace import Workspace
from blocks.shapes import axes_of, spell
from blocks.spec import Block, Choice, Param, Size
from graph import marking
from graph.clipboard import GROUP_PORTS
from graph.commands import UNSET, Command, Rename, SetNode, SetParam
from graph.document import GROUP, Document, Node, Path, Tie
from graph.issues import Issue, NodeReport
from graph.judge import title_of

REPEAT = Param("repeat", int, 1, Size("times, one after the other", high=4096))
ORDER = Param("rounds", str, "first to last", Choice("the order in which they run", ("first to last", "last to first")))
WEIGHTS = Param("weights", str, "own", Choice("whose weights each round uses", ("own", "shared")))


class NodePage(Page):
    """One selected node."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.path: Path = ()
        self._kind: tuple[Any, ...] = ()
        self._block: type[Block] | None = None
        self._drafts: dict[tuple[int, Path], dict[str, str]] = {}
        self.head = Head("Title")
        self.head.retitled.connect(self._retitle)
        self.card = IssueCard()
        self.card.repaired.connect(lambda: self._repair(self._port_issue))
        self._port_issue: Issue | None = None
        self.form: Form | None = None
        self.sample = SampleEditor()
        self.sample.edited.connect(self._set_sample)
        self._form_place = self.column.count() + 2
        self.interface = InterfaceSection()
        self.marks = MarksSection()
        self.marks.switched.connect(lambda off: self._mark(marking.set_off, off))
        self.marks.collapsed.connect(lambda small: self._mark(marking.set_collapsed, small))
        self.marks.coloured.connect(lambda name: self._mark(marking.tag, name))
        self.shapes = Section("Shapes")
        self.shape_figures = Figures("Shapes")
        self.shapes.body.addWidget(self.shape_figures)
        self.cost = Section("Cost")
        self.cost_figures = Figures("Cost")
        self.cost.body.addWidget(self.cost_figures)
        self.cost_note = label("", "faint", wrap=True)
        self.cost.body.addWidget(self.cost_note)
        self.kernel = Section("Kernel")
        self.address = Section("In code")
        self.id_field = Field()
        self.id_field.setAccessibleName("Name in code")
        self.id_field.setToolTip("The node's name in state_dict keys, addresses and exported code; Return renames it")
        self.id_field.ended.connect(self._rename)
        self.id_field.dismissed.connect(lambda: self.id_field.setText(self.path[-1]))
        self.address.body.addWidget(self.id_field)
        self.ties = Figures("Shared tensors")
        self.address.body.addWidget(self.ties)
        for widget in (
            self.head,
            self.card,
            self.sample,
            self.interface,
            self.shapes,
            self.marks,
            self.cost,
            self.kernel,
            self.address,
        ):
            self.column.addWidget(widget)
        self.column.addStretch(1)
        self.estimate = Question(workspace, "estimate", self, delay=400)
        self.estimate.answered.connect(lambda _data: self._show_cost())
        self.estimate.failed.connect(lambda _sentence: self._show_cost())
        workspace.answered.connect(self._hear)

    def refresh(self) -> None:
        path = self.session.focus
        assert path is not None
        node = self.session.document.node(path)
        report = self.session.report.node(path)
        self._keep_drafts()
        moved = path != self.path or (id(self.session), node.block) != self._kind
        self.path, self._kind = path, (id(self.session), node.block)
        block = report.block if report else None
        if moved and self.form is not None and block is not None and block is self._block:
            self.form.forget()
        elif moved:
            self._build(node, block)
        self._block = block
        summary = block.summary() if block else _group_summary(node) if node.is_group else "An unknown block."
        if block is not None and node.title and node.title != block.title:
            summary = f"{block.title}. {summary}"
        self.head.show_head(node.title, title_of(node.with_(title="")), summary, block)
        self._show_settings(node, report)
        if block is not None and block.role == "source":
            self.sample.show_sample(node, report, self.session)
        self.interface.setVisible(node.is_group)
        if node.is_group:
            self.interface.show_group(self.session, path)
        self.marks.show_marks([node])
        self._show_shapes(report)
        self._show_kernel()
        if not self.id_field.hasFocus():
            self.id_field.setText(node.id)
        self.id_field.set_remarks("/".join((*path[:-1], "")) if path[:-1] else "")
        self.ties.show_figures([_tie_figure(name, tie) for name, tie in node.ties.items()])
        self.ties.setVisible(bool(node.ties))
        if self.session.report.valid:
            self.estimate.ask()
        else:
            self.estimate.forget()
        self._show_cost()
        if moved:
            self.form.restore(self._drafts.get((id(self.session), path), {})) if self.form else None

    # What is built anew for another block.

    def _build(self, node: Node, block: type[Block] | None) -> None:
        if self.form is not None:
            self.column.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        self.form = None
        params = (REPEAT, ORDER, WEIGHTS) if node.is_group else block.params() if block else ()
        if params:
            main = {param.name for param in params if param.from_wire} | set(block.shown) if block else None
            self.form = Form(params, main)
            self.form.edited.connect(self._edit)
            self.form.repaired.connect(self._repair)
            self.column.insertWidget(self._form_place, self.form)
        self.sample.setVisible(block is not None and block.role == "source")

    def _keep_drafts(self) -> None:
        if self.form is not None and self.path:
            key = (self._kind[0], self.path)
            drafts = self.form.drafts()
            if drafts:
                self._drafts[key] = drafts
            else:
                self._drafts.pop(key, None)

    # What is shown.

    def _show_settings(self, node: Node, report: NodeReport | None) -> None:
        issues = report.issues if report else ()
        known = self.form.params.keys() if self.form else set()
        self._port_issue = next((issue for issue in issues if issue.param not in known), None)
        self.card.show_issue(self._port_issue)
        if self.form is None:
            return
        variables = visible_variables(self.session, self.path)
        if node.is_group:
            rounds = report.rounds if report else UNSET
            origin = "expression" if isinstance(node.repeat, str) else "set"
            settings = {
                "repeat": Setting(UNSET if node.repeat == 1 else node.repeat, rounds, origin, variables=variables),
                "rounds": Setting(
                    *(("last to first",) * 2 if node.backwards else (UNSET, "first to last")), variables=variables
                ),
                "weights": Setting(*(("shared", "shared") if node.shared else (UNSET, "own")), variables=variables),
            }
        else:
            settings = settings_of(node, report, variables, self._titles())
        self.form.show_settings(settings, issues)

    def _titles(self) -> Mapping[str, str]:
        level = self.session.document.level(self.path[:-1])
        return {id: title_of(node) for id, node in level.nodes.items()}

    def _show_shapes(self, report: NodeReport | None) -> None:
        figures: list[Figure] = []
        full = self.session.report
        for name, port in (report.input_ports if report else {}).items():
            signals = report.inputs.get(name, ()) if report else ()
            if not signals:
                wired = any(wire.input == name for wire in report.wires) if report else False
                word = "waiting" if wired else "not wired"
                figures.append(Figure(name, word, port.doc or f"needs {spell(port.pattern)}", "faint"))
            for place, signal in enumerate(signals):
                title = name if len(signals) == 1 else f"{name} {place + 1}"
                figures.append(Figure(title, str(full.simplified(signal)), f"{title}: {signal.dtype}, {signal.kind}"))
        for name, port in (report.output_ports if report else {}).items():
            signal = report.outputs.get(name) if report else None
            shape = str(full.simplified(signal)) if signal else "waiting"
            hint = f"{name}: {signal.dtype}, {signal.kind}" if signal else port.doc
            figures.append(Figure(f"→ {name}", shape, hint, "text" if signal else "faint"))
        self.shapes.setVisible(bool(figures))
        self.shape_figures.show_figures(figures)

    def _show_cost(self) -> None:
        report = self.session.report.node(self.path)
        data = self.estimate.data
        figures = node_figures(self.path, report, data, self.session.report.variables) if data and report else []
        figures += self._took()
        self.cost_figures.show_figures(figures)
        self.cost_note.setText(self.estimate.sentence)
        self.cost_note.setVisible(bool(self.estimate.sentence))
        self.cost.setVisible(bool(figures or self.estimate.sentence))

    def _took(self) -> list[Figure]:
        """How long the node took in the last run, if it ran."""
        live = self.session.live
        took = live.took(self.path)
        if took is None:
            return []
        is_old = live.drawing != drawing_of(self.session.document)
        hint = f"{numbers.percent(live.share(self.path))} of the run, all rounds together"
        hint += "; the drawing has changed since then" if is_old else ""
        return [Figure("time, last run", numbers.duration(took / 1e3), hint, "faint" if is_old else "text")]

    def _hear(self, job: str) -> None:
        """A map of the attention panel has checked the kernel."""
        if job == "attention" and self.isVisible() and self.path:
            self._show_kernel()

    def _show_kernel(self) -> None:
        """How the node's attention ran, if it is one and has run."""
        address = "/".join(self.path)
        kernels = self.workspace.run_state.data.get("kernels", {})
        kernel = next((kernel for place, kernel in kernels.items() if _without_rounds(place) == address), "")
        self.kernel.setVisible(bool(kernel))
        latest = self.workspace.latest("attention")
        checked = latest.data.get("self_check") if latest and kernel else None
        mine = latest is not None and any(_without_rounds(a) == address for a in latest.data.get("addresses", ()))
        exact = f", exact to {checked:.0e}" if checked is not None and mine else ""
        self.kernel.trailing.setText(f"{kernel}{exact}".replace("e-0", "e-"))

    # What is written.

    def _edit(self, name: str, value: Any, gesture: object) -> None:
        at, id = self.path[:-1], self.path[-1]
        node = self.session.document.node(self.path)
        if not node.is_group:
            self.do(SetParam(at, id, name, value), gesture)
        elif name == "repeat":
            self.do(SetNode(at, id, "repeat", 1 if value is UNSET else value), gesture)
        elif name == "rounds":
            self.do(SetNode(at, id, "backwards", value == "last to first"), gesture)
        else:
            self.do(SetNode(at, id, "shared", value == "shared"), gesture)

    def _retitle(self, text: str, gesture: object) -> None:
        self.do(SetNode(self.path[:-1], self.path[-1], "title", text), gesture)

    def _mark(self, make: Callable[[Document, Path, Iterable[str], Any], Command], wanted: object) -> None:
        session = self.session
        self.do(make(session.document, self.path[:-1], [self.path[-1]], wanted))

    def _rename(self) -> None:
        wish = self.id_field.text().strip()
        if not self.path or wish == self.path[-1]:
            return
        if self.do(Rename(self.path[:-1], self.path[-1], wish)):
            self.path = (*self.path[:-1], wish)
            self.session.select([wish])
        else:
            self.id_field.setText(self.path[-1])

    def _set_sample(self, sample: Mapping[str, Any], gesture: object) -> None:
        self.do(SetNode(self.path[:-1], self.path[-1], "sample", sample), gesture)

    def _repair(self, issue: Issue | None) -> None:
        if issue is not None and issue.repair is not None:
            self.do(issue.repair.command)


def settings_of(
    node: Node, report: NodeReport | None, variables: Mapping[str, Any], titles: Mapping[str, str]
) -> dict[str, Setting]:
    """How each parameter of a node stands."""
    if report is None or report.block is None:
        return {}
    found: dict[str, Setting] = {}
    for param in report.block.params():
        name = param.name
        raw = node.params.get(name, UNSET)
        origin = report.origins.get(name, "default" if raw is UNSET else "set")
        value = report.params.get(name, UNSET)
        source = _source(report, name, titles) if origin == "wire" else ""
        if origin == "wire" and not source:
            value = UNSET
        found[name] = Setting(raw, value, origin, source, variables)
    return found


def _source(report: NodeReport, name: str, titles: Mapping[str, str]) -> str:
    """The title of the node that a parameter is read off."""
    for port_name, port in report.input_ports.items():
        if name in axes_of(port.pattern):
            for wire in report.wires:
                if wire.input == port_name:
                    return titles.get(wire.source, wire.source)
    return ""


def _group_summary(node: Node) -> str:
    assert node.level is not None and node.block == GROUP
    count = sum(inner.block not in GROUP_PORTS for inner in node.level.nodes.values())
    return f"A group of {count} {'block' if count == 1 else 'blocks'}."


def _tie_figure(name: str, tie: Tie) -> Figure:
    """A parameter that is another node's."""
    when = "" if tie.when is True else f" if {tie.when.removeprefix('=')}" if isinstance(tie.when, str) else " (off)"
    return Figure(name, f"{tie.to}{when}", f"{name} is the same tensor as {tie.to}{when}")


def _without_rounds(address: str) -> str:
    """decoder/attn for decoder.3/attn."""
    return "/".join(part.partition(".")[0] for part in address.split("/"))
