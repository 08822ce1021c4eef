"""Keeps the bars up to date with the drawing, its run and the engine, and carries out what is asked about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from app import numbers
from app.bars.banners import REFUSAL

if TYPE_CHECKING:
    from app.bars.banners import Button
    from app.main_window import MainWindow
    from app.session import Session
    from app.workspace import Workspace
    from graph.issues import Issue, Report

ESTIMATE_DELAY = 400
RUN_BANNER = "run"


class Watch(QObject):
    """Listens to workspace and session; a burst of changes is one refresh."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace: Workspace | None = None
        self._session: Session | None = None
        self._told: tuple[int, str] = (-1, "")
        self._cancelling = False
        self._complaint = ""
        self._wished: tuple[str, Mapping[str, Any]] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.refresh)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(ESTIMATE_DELAY)
        self._calm.timeout.connect(self._estimate)

    def attach(self, workspace: Workspace) -> None:
        """Begin to listen."""
        self._workspace = workspace
        self.take_options()
        workspace.switched.connect(self._switch)
        workspace.ran.connect(self._ran)
        workspace.engine_changed.connect(self.invalidate)
        workspace.answered.connect(self.invalidate)
        self._switch(workspace.session)

    def stop(self) -> None:
        """Listen no more."""
        self._soon.stop()
        self._calm.stop()
        if self._workspace is not None:
            self._workspace.switched.disconnect(self._switch, missing_ok=True)
            self._workspace.ran.disconnect(self._ran, missing_ok=True)
            self._workspace.engine_changed.disconnect(self.invalidate, missing_ok=True)
            self._workspace.answered.disconnect(self.invalidate, missing_ok=True)
        self._leave()

    def invalidate(self, *_: object) -> None:
        """Ask for a refresh soon."""
        if not self._soon.isActive():
            self._soon.start()

    def take_options(self) -> None:
        """Let runs follow the preferences."""
        if self._workspace is None:
            return
        settings = self._window.settings
        wanted = {"device": settings.device, "dtype": settings.dtype}
        plain = {"device": "auto", "dtype": "float32"}
        self._workspace.options = {name: value for name, value in wanted.items() if value != plain[name]}
        self.invalidate()
        self._calm.start()

    def refresh(self) -> None:
        """Bring everything up to date."""
        window = self._window
        session = window.drawing
        window.commands.refresh()
        if session is None:
            window.top_bar.title.show_title("", False)
            window.setWindowTitle("Blockwright")
            window.status.show_problems(0, 0)
            window.status.show_weight(None, ())
        else:
            place = str(session.path) if session.path else "Not saved in a file yet"
            window.top_bar.title.show_title(session.title, not session.is_saved, place)
            window.setWindowTitle(f"{session.title}{'' if session.is_saved else ' •'} – Blockwright")
            self._show_report(session)
        self._show_engine()
        can_run = window.is_running or window.commands["run"].isEnabled()
        window.top_bar.run.setEnabled(can_run and not self._cancelling)
        window.top_bar.export.setEnabled(session is not None)
        window.docks.show_badges()

    def run(self) -> None:
        """Run the drawing, or say why it cannot be run."""
        problem = self.why_not()
        if problem:
            self.complain(problem)
        elif self._workspace is not None and not self._window.is_running:
            self._window.banners.clear(RUN_BANNER)
            self._workspace.run()

    def run_to_here(self) -> None:
        """Run only what leads to the selected node, and show what comes out of it; the drawing stays as it is."""
        session = self._window.drawing
        if session is None or session.focus is None or self._workspace is None or self._window.is_running:
            return
        from graph.document import EditError
        from graph.solo import ending_at
        from graph.validate import validate

        path = session.focus
        try:
            report = validate(ending_at(session.document, path, session.report))
        except EditError as error:
            session.refuse(str(error))
            return
        problem = _first_problem(report)
        if problem:
            self.complain(problem)
            return
        self._window.banners.clear(RUN_BANNER)
        self._window.docks.reveal("activations")
        self._workspace.run(until="/".join(path))

    def cancel(self) -> None:
        """Cancel the run; the button answers at once."""
        if self._workspace is None or not self._window.is_running:
            return
        self._cancelling = True
        self._window.top_bar.show_cancelling()
        self._window.status.show_last("Stopping …")
        self._workspace.cancel()
        self._workspace.poll()

    def why_not(self) -> str:
        """Why the drawing cannot be run, as a sentence, or nothing."""
        session = self._window.drawing
        if session is None:
            return "No drawing is open."
        return _first_problem(session.report)

    def complain(self, problem: str) -> None:
        """Show a problem with the ways to it."""
        session = self._window.drawing
        placed = session is not None and any(issue.path for issue in session.report.issues)
        buttons: list[Button] = [("Go there", lambda: self.next_problem())] if placed else []
        text, whole = problem, _whole_problem(session.report) if session is not None else None
        if session is not None and whole is not None and whole.repair is not None and problem == str(whole):
            label, command = whole.repair.label, whole.repair.command
            text = problem.removesuffix(f" {label}?")
            buttons = [(label, lambda: session.do(command))]
        self._window.banners.say(text, *buttons, tone="error", key=RUN_BANNER)
        self._complaint = problem
        self._window.docks.reveal("problems")

    def next_problem(self, step: int = 1) -> None:
        """Go to the next problem after the node that is selected."""
        session = self._window.drawing
        if session is None:
            return
        paths = list(dict.fromkeys(issue.path for issue in session.report.issues if issue.path))
        if not paths:
            self._window.banners.say("There are no problems.", tone="good", brief=True)
            return
        here = session.focus
        place = (paths.index(here) + step) % len(paths) if here in paths else (0 if step > 0 else -1)
        session.show(paths[place])

    def estimate_template(self, name: str, values: Mapping[str, Any]) -> None:
        """Say in the gallery what a template weighs at these values."""
        window = self._window
        self._wished = (name, values)
        if self._workspace is None or self._workspace.engine is None:
            return
        self._wished = None
        from graph.templates import TemplateError, find

        try:
            document = find(name).build(values)
        except TemplateError as error:
            window.gallery.show_estimate(str(error))
            return

        def show(data: dict[str, Any]) -> None:
            parameters = numbers.count(data.get("parameters_unique", data["parameters"]))
            peak = numbers.size(data["memory"]["peak"])
            window.gallery.show_estimate(f"{parameters} parameters, {peak} to run")

        def fail(sentence: str) -> None:
            if sentence != "cancelled":
                window.gallery.show_estimate(sentence)

        self._workspace.request("estimate", show, failed=fail, document=document)

    def _switch(self, session: Session) -> None:
        self._leave()
        self._session = session
        for signal in (session.edited, session.selected, session.entered, session.saved):
            signal.connect(self.invalidate)
        session.edited.connect(self._edited)
        session.refused.connect(self._window.banners.refuse)
        self._edited()
        self.invalidate()

    def _leave(self) -> None:
        session = self._session
        if session is None:
            return
        for signal in (session.edited, session.selected, session.entered, session.saved):
            signal.disconnect(self.invalidate, missing_ok=True)
        session.edited.disconnect(self._edited, missing_ok=True)
        session.refused.disconnect(self._window.banners.refuse, missing_ok=True)
        self._session = None

    def _edited(self) -> None:
        self._window.banners.clear(REFUSAL)
        self._calm.start()
        if self._complaint and self._session is not None and _first_problem(self._session.report) != self._complaint:
            self._complaint = ""  # it was mended, or is another by now
            self._window.banners.clear(RUN_BANNER)

    def _ran(self) -> None:
        workspace, window = self._workspace, self._window
        if workspace is None:
            return
        run = workspace.run_state
        if run.state != "running":
            self._cancelling = False
        window.top_bar.show_run(run.state == "running", run.done, run.total)
        told = (id(run), run.state)
        if told != self._told:
            self._told = told
            if run.state == "failed":
                again = ("Run again", self.run)
                if run.died:
                    window.banners.say(run.text, again, tone="error", key=RUN_BANNER)
                else:
                    window.banners.say(run.text, tone="error", key=RUN_BANNER)
            elif run.state == "done":
                for note in run.data.get("notes", ()):
                    window.banners.say(f"{note[:1].upper()}{note[1:]}", brief=True)
        self.invalidate()

    def _estimate(self) -> None:
        """Ask for the weight of the drawing, unless someone has asked already or it is known."""
        workspace = self._workspace
        if workspace is None or workspace.engine is None:
            return
        if self._wished is not None:
            self.estimate_template(*self._wished)
        session = self._window.drawing
        if session is None or not session.report.valid:
            return
        known = workspace.latest("estimate")
        if workspace.is_pending("estimate") or (known and known.revision == session.document.revision):
            return
        workspace.request("estimate", lambda _data: None, failed=lambda _sentence: None)

    def _show_report(self, session: Session) -> None:
        window = self._window
        report = session.report
        errors = sum(issue.severity == "error" for issue in report.issues)
        begun = bool(session.document.top.nodes)  # an empty canvas is no problem yet
        window.status.show_problems(errors * begun, (len(report.issues) - errors) * begun)
        answer = self._workspace.latest("estimate") if self._workspace else None
        estimate = answer.data if answer is not None and report.valid else None
        window.status.show_weight(estimate, [str(requirement) for requirement in report.requirements])

    def _show_engine(self) -> None:
        window, workspace = self._window, self._workspace
        engine = workspace.engine if workspace is not None else None
        if engine is None:
            window.status.show_engine("starting", "")
            return
        assert workspace is not None
        run = workspace.run_state
        works = engine.state == "running" and run.state != "running"  # it predicts, or exports
        window.status.show_engine("working" if works else engine.state, engine.device_name, window.settings.dtype)
        if run.state == "running" and not self._cancelling:
            share = f" ({run.done} of {run.total})" if run.total else ""
            window.status.show_last(f"{run.text or 'Running'}{share}")
        elif run.state == "done":
            kernel = run.data.get("attention_kernel", "none")
            words = "" if kernel == "none" else ", plain attention" if kernel == "math" else ", fused attention"
            took = numbers.duration(run.data.get("seconds", 0.0))
            until = run.options.get("until", "")
            end = f" to {until}," if until else ""
            window.status.show_last(f"Last run{end} {took}{words}", f"attention kernel: {kernel}")
        elif run.state in ("failed", "cancelled"):
            window.status.show_last("Run cancelled" if run.state == "cancelled" else "Run failed", run.text)
        elif self._window.is_ready:
            window.status.show_last("")


def _whole_problem(report: Report) -> Issue | None:
    """The only thing that keeps a drawing from running, where it is said of the whole drawing."""
    errors = [issue for issue in report.issues if issue.severity == "error"]
    return errors[0] if len(errors) == 1 and not errors[0].path else None


def _first_problem(report: Report) -> str:
    """What keeps a drawing from running, as a sentence, or nothing."""
    errors = [issue for issue in report.issues if issue.severity == "error"]
    if not errors:
        return ""
    if len(errors) == 1:
        return str(errors[0])
    return f"{len(errors)} problems are in the way. The first: {errors[0]}"
