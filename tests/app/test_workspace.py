"""The workspace: who is open, who is told what, with an engine that only pretends."""

from __future__ import annotations

from typing import Any

import pytest

from app.session import Session
from app.workspace import Workspace
from graph.document import Document
from graph.engine import Reading
from graph.templates import find


class Pretender:
    """Takes requests and gives the readings that a test puts into `readings`."""

    state = "ready"
    device_name = "nowhere"

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.cancelled: list[int] = []
        self.readings: list[Reading] = []

    def submit(self, job: str, document: Any, revision: int = 0, **options: Any) -> int:
        self.asked.append((job, options))
        return len(self.asked)

    def cancel(self, id: int) -> None:
        self.cancelled.append(id)

    def poll(self) -> list[Reading]:
        readings, self.readings = self.readings, []
        return readings


@pytest.fixture
def engine() -> Pretender:
    return Pretender()


@pytest.fixture
def workspace(engine: Pretender) -> Workspace:
    workspace = Workspace(engine)  # type: ignore[arg-type]
    workspace.show(Session(find("unet").build({"depth": 1})))
    return workspace


def tell(workspace: Workspace, engine: Pretender, request: int, kind: Any, **data: Any) -> None:
    engine.readings.append(
        Reading(request, workspace.session.document.revision, engine.asked[request - 1][0], kind, data)
    )
    workspace.poll()


def test_a_blank_session_gives_way_to_the_first_drawing(workspace: Workspace) -> None:
    assert len(workspace.sessions) == 1
    workspace.show(Session(find("gpt").build({})))
    assert len(workspace.sessions) == 2


def test_closing_the_last_leaves_an_empty_one_and_cancels_what_it_waits_for(
    workspace: Workspace, engine: Pretender
) -> None:
    workspace.run()
    heard: list[Session] = []
    workspace.switched.connect(heard.append)
    workspace.close(workspace.session)
    assert engine.cancelled == [1]
    assert len(workspace.sessions) == 1
    assert heard == [workspace.session]
    assert not workspace.session.document.top.nodes


def test_a_run_goes_from_running_to_done(workspace: Workspace, engine: Pretender) -> None:
    states: list[str] = []
    workspace.ran.connect(lambda: states.append(workspace.run_state.state))
    workspace.run()
    assert workspace.is_running
    tell(workspace, engine, 1, "progress", done=2, total=5, text="block")
    assert (workspace.run_state.done, workspace.run_state.total) == (2, 5)
    tell(workspace, engine, 1, "result", seconds=0.5)
    assert states == ["running", "running", "done"]
    assert workspace.run_state.data["seconds"] == 0.5
    assert workspace.latest("run").data["seconds"] == 0.5


@pytest.mark.parametrize(
    ("kind", "state", "died"), [("error", "failed", False), ("died", "failed", True), ("cancelled", "cancelled", False)]
)
def test_a_run_that_ends_otherwise_says_how(
    workspace: Workspace, engine: Pretender, kind: str, state: str, died: bool
) -> None:
    workspace.run()
    tell(workspace, engine, 1, kind, message="It broke.", fault=False)
    run = workspace.run_state
    assert (run.state, run.died) == (state, died)
    assert run.text == ("Cancelled." if kind == "cancelled" else "It broke.")
    assert run.fault is False


def test_answers_are_shared_and_those_on_other_drawings_are_not(workspace: Workspace, engine: Pretender) -> None:
    heard: list[str] = []
    workspace.answered.connect(heard.append)
    workspace.request("estimate", lambda _data: None)
    assert workspace.is_pending("estimate")
    workspace.request("estimate", lambda _data: None, document=Document())
    tell(workspace, engine, 1, "result", parameters=1)
    tell(workspace, engine, 2, "result", parameters=2)
    assert heard == ["estimate"]
    assert workspace.latest("estimate").data == {"parameters": 1}
    assert not workspace.is_pending("estimate")
    workspace.show(Session(find("gpt").build({})))
    assert workspace.latest("estimate") is None


def test_what_comes_for_a_closed_session_is_dropped(workspace: Workspace, engine: Pretender) -> None:
    heard: list[Any] = []
    workspace.request("inspect", heard.append, failed=heard.append)
    workspace.close(workspace.session)
    tell(workspace, engine, 1, "result", value=1)
    assert heard == []


def test_preferences_and_the_folder_go_with_every_request(
    workspace: Workspace, engine: Pretender, tmp_path: Any
) -> None:
    workspace.options = {"dtype": "bfloat16", "device": "cpu"}
    workspace.session.save(tmp_path / "drawn.json")
    workspace.request("run", lambda _data: None, device="cuda")
    assert engine.asked[-1][1] == {"dtype": "bfloat16", "device": "cuda", "folder": str(tmp_path)}


def test_without_an_engine_a_run_says_so() -> None:
    workspace = Workspace()
    workspace.run()
    assert workspace.run_state.state == "failed"
    assert workspace.request("run", lambda _data: None) is None
