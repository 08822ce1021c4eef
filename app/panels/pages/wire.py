"""The page of a wire: from where to where, and what travels on it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app import theme
from app.panels.pages.page import IssueCard, Page
from app.widgets.figures import Figure, Figures
from app.widgets.text import Section, label
from app.workspace import Workspace
from graph import rewiring
from graph.document import Wire
from graph.issues import Issue
from graph.judge import title_of


class WirePage(Page):
    """The wire that is marked."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.heading = label("Wire", "heading")
        self.summary = label("", "muted", wrap=True)
        self.card = IssueCard()
        self.card.repaired.connect(self._repair)
        self._issue: Issue | None = None
        self.ends = Section("Ends")
        self.end_figures = Figures("Ends")
        self.ends.body.addWidget(self.end_figures)
        self.source = _button("Go to start", "Go to where it comes from")
        self.target = _button("Go to end", "Go to where it leads")
        self.source.clicked.connect(lambda: self._go("source"))
        self.target.clicked.connect(lambda: self._go("target"))
        self.carries = Section("What it carries")
        self.carried = Figures("What it carries")
        self.carries.body.addWidget(self.carried)
        self.cut = _button("Cut", "Take the wire away (Delete on the canvas)")
        self.cut.clicked.connect(self._cut)
        head, line = QHBoxLayout(), QHBoxLayout()
        for row, widgets in ((head, (self.heading, self.cut)), (line, (self.source, self.target))):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme.SPACE_2)
            for widget in widgets:
                row.addWidget(widget)
        head.insertStretch(1, 1)
        line.addStretch(1)
        self.column.addLayout(head)
        for widget in (self.summary, self.card):
            self.column.addWidget(widget)
        self.column.addLayout(line)
        for section in (self.ends, self.carries):
            self.column.addWidget(section)
        self.column.addStretch(1)

    @property
    def wire(self) -> Wire:
        """The wire that is shown."""
        assert self.session.wire is not None
        return self.session.wire

    def refresh(self) -> None:
        session, wire = self.session, self.wire
        level = session.document.level(session.at)
        start, end = title_of(level.node(wire.source)), title_of(level.node(wire.target))
        self.summary.setText(f"{start} → {end}")
        self.source.setToolTip(f"Go to where it comes from: {start}")
        self.target.setToolTip(f"Go to where it leads: {end}")
        self.end_figures.show_figures(
            [
                Figure("from", f"{start}, {wire.output}", f"Output {wire.output} of {wire.source}"),
                Figure("to", f"{end}, {self._input()}", f"Input {wire.input} of {wire.target}"),
            ]
        )
        report = session.report
        signal = report.signal((*session.at, wire.source), wire.output)
        if signal is None:
            waiting = Figure("shape", "waiting", f"{start} gives nothing yet", "faint")
            self.carried.show_figures([waiting])
        else:
            shape = str(report.simplified(signal))
            hue = theme.current().kind(signal.kind).name()
            meaning = "What the numbers stand for, which gives the wire its colour"
            self.carried.show_figures(
                [
                    Figure("shape", shape, shape),
                    Figure("kind", signal.kind or "any", meaning, swatch=hue),
                    Figure("type", signal.dtype, "The type of its numbers; a run sets how precise real ones are"),
                ]
            )
        target = report.node((*session.at, wire.target))
        issues = target.issues if target is not None else ()
        self._issue = next((issue for issue in issues if issue.port == wire.input), None)
        self.card.show_issue(self._issue)

    def _input(self) -> str:
        """The input, and of one that takes several wires which of them."""
        session, wire = self.session, self.wire
        peers = [
            other for other in session.document.level(session.at).incoming(wire.target) if other.input == wire.input
        ]
        place = sorted(other.order for other in peers).index(wire.order) + 1
        return wire.input if len(peers) == 1 else f"{wire.input} {place} of {len(peers)}"

    def _go(self, end: str) -> None:
        self.session.show((*self.session.at, getattr(self.wire, end)))

    def _cut(self) -> None:
        self.do(rewiring.cut(self.session.at, [self.wire]))

    def _repair(self) -> None:
        if self._issue is not None and self._issue.repair is not None:
            self.do(self._issue.repair.command)


def _button(text: str, hint: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "small")
    button.setToolTip(hint)
    button.setAccessibleName(text)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
