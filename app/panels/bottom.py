"""What the panels below the canvas share: a thin progress line, an empty state, and what they say of the last run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app import theme
from app.freshness import drawing_of
from app.panels.base import Panel
from app.panels.questions import Question
from app.session import Session
from app.widgets.empty import EmptyState
from app.widgets.progress import ThinProgress
from app.workspace import Workspace

STALE = "from the run before the last edit"


class BottomPanel(Panel):
    """A panel with a body that gives way to one sentence and one button while there is nothing to show."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.progress = ThinProgress()
        self.empty = EmptyState()
        self.empty.asked.connect(self._act)
        self.body = QWidget()
        self._pages = QStackedLayout()
        self._questions: list[Question] = []
        self._kept: Mapping[str, Any] = {}
        self._kept_session: Session | None = None
        self.setMinimumSize(280, 80)  # parts give way as the width shrinks, so they must not hold it up
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.progress)
        layout.addLayout(self._pages, 1)
        for page in (self.body, self.empty):  # only now: a page that is added to a stack without a parent is a window
            self._pages.addWidget(page)

    def question(self, job: str, *, delay: int = 120) -> Question:
        """Something this panel asks the engine; while it waits, the progress line says so."""
        found = Question(self.workspace, job, self, delay=delay)
        found.stirred.connect(self._stir)
        self._questions.append(found)
        return found

    @property
    def is_empty(self) -> bool:
        """Whether the sentence is shown in place of the body."""
        return self._pages.currentIndex() == 1

    def show_empty(self, sentence: str, button: str = "", hint: str = "") -> None:
        """Say why there is nothing to show, and offer what to do."""
        self.empty.say(sentence, button, hint)
        self._pages.setCurrentIndex(1)

    def show_body(self) -> None:
        """There is something to show."""
        self._pages.setCurrentIndex(0)

    def show_run_missing(self, purpose: str) -> None:
        """The empty state of a panel that shows a run; `purpose` goes on after "Run the drawing to"."""
        run = self.workspace.run_state
        if run.state == "running":
            self.show_empty("Running…")
        elif run.state == "failed":
            self.show_empty(run.text, "Run again", "Run the drawing forward")
        elif not self.session.document.top.nodes:
            self.show_empty(f"Draw something, then run it to {purpose}.")
        else:
            self.show_empty(f"Run the drawing to {purpose}.", "Run", "Run the drawing forward")

    def reading(self) -> Mapping[str, Any]:
        """What the last run of this session gave; while it runs again, or has failed since, what one before gave."""
        run = self.workspace.run_state
        if run.data:
            self._kept = run.data
            self._kept_session = self.session
        elif run.state == "idle" or self._kept_session is not self.session:
            self._kept = {}
            self._kept_session = self.session
        return self._kept

    @property
    def is_stale(self) -> bool:
        """Whether the drawing has changed since the reading that is shown."""
        run = self.workspace.run_state
        return not run.data or run.drawing != drawing_of(self.session.document)

    def state_words(self) -> str:
        """What is to be said of the reading that is shown; nothing when it is of the drawing as it stands."""
        run = self.workspace.run_state
        if run.state == "running":
            return "running…"
        if run.state == "failed":
            return run.text
        return STALE if self.is_stale else ""

    def margins(self) -> tuple[int, int, int, int]:
        """The room around a body."""
        return (theme.SPACE_4, theme.SPACE_2, theme.SPACE_4, theme.SPACE_2)

    def act(self) -> None:
        """What the button of the empty state does."""
        self.workspace.run()

    def _act(self) -> None:
        self.act()

    def _stir(self) -> None:
        busy = [question for question in self._questions if question.busy]
        done, total = sum(question.done for question in busy), sum(question.total for question in busy)
        self.progress.show_busy(bool(busy), done, total)
