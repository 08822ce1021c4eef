from __future__ import annotations

import pytest

from app.panels.questions import Question
from app.session import Session
from graph.commands import Move, SetVariable


@pytest.fixture
def question(workspace, gpt, qtbot):
    made = Question(workspace, "estimate", delay=1)
    yield made
    made.forget()


def test_it_asks_once_for_the_same(question, engine, until):
    engine.answers["estimate"] = {"peak": 1}
    for _ in range(5):
        question.ask(sizes={"batch": 2})
    until(lambda: question.data == {"peak": 1})
    question.ask(sizes={"batch": 2})
    until(lambda: not question.busy)
    assert engine.count("estimate") == 1


def test_moving_a_node_asks_nothing_anew(question, engine, gpt, until):
    engine.answers["estimate"] = {"peak": 1}
    question.ask(training=True)
    until(lambda: question.data is not None)
    gpt.do(Move((), {"head": (5.0, 5.0)}))
    question.ask(training=True)
    assert not question.busy
    gpt.do(SetVariable("dim", 64))
    question.ask(training=True)
    assert question.busy
    until(lambda: engine.count("estimate") == 2)


def test_the_newest_wish_wins(question, engine, until):
    question.ask(sizes={"batch": 1})
    until(lambda: engine.count("estimate") == 1)
    question.ask(sizes={"batch": 2})
    until(lambda: engine.count("estimate") == 2)
    engine.answers["estimate"] = lambda options: {"of": options["sizes"]["batch"]}
    until(lambda: question.data is not None)
    assert question.data == {"of": 2}


def test_two_questions_of_one_job_wait_for_each_other(workspace, gpt, engine, until):
    first, second = (Question(workspace, "estimate", delay=1) for _ in range(2))
    first.ask(sizes={"batch": 1})
    until(lambda: engine.count("estimate") == 1)
    second.ask(sizes={"batch": 2})
    for _ in range(3):
        until(lambda: True)
    engine.answers["estimate"] = lambda options: {"of": options["sizes"]["batch"]}
    until(lambda: first.data is not None and second.data is not None)
    assert (first.data, second.data) == ({"of": 1}, {"of": 2})
    assert engine.count("estimate") == 2


def test_an_overtaken_request_is_asked_again(workspace, question, engine, until):
    question.ask(sizes={"batch": 3})
    until(lambda: engine.count("estimate") == 1)
    workspace.request("estimate", lambda _data: None)  # someone else's, which supersedes ours
    engine.answers["estimate"] = lambda options: {"of": options.get("sizes")}
    until(lambda: question.data is not None)
    assert question.data == {"of": {"batch": 3}}
    assert engine.count("estimate") == 3


def test_it_takes_an_answer_that_anyone_was_given(workspace, question, engine, until):
    engine.answers["estimate"] = {"peak": 7}
    workspace.request("estimate", lambda _data: None)
    until(lambda: workspace.latest("estimate") is not None)
    question.ask()
    assert question.data == {"peak": 7}
    assert engine.count("estimate") == 1


def test_a_what_if_is_not_the_latest(workspace, question, engine, until):
    engine.answers["estimate"] = {"peak": 7}
    question.ask(training=True)
    until(lambda: question.data is not None)
    assert workspace.latest("estimate") is None


def test_a_failure_is_a_sentence_and_can_be_tried_again(question, engine, until):
    engine.answers["estimate"] = ValueError("The sizes will not do.")
    question.ask(sizes={"batch": 0})
    until(lambda: bool(question.sentence))
    assert question.sentence == "The sizes will not do."
    engine.answers["estimate"] = {"peak": 1}
    question.again()
    until(lambda: question.data == {"peak": 1})
    assert question.sentence == ""


def test_without_an_engine_it_says_so(workspace, gpt, until):
    workspace.engine = None
    question = Question(workspace, "run", delay=1)
    question.ask()
    until(lambda: bool(question.sentence))
    assert question.sentence == "The engine is not running."


def test_a_closed_session_does_not_hold_up_the_others(workspace, gpt, engine, until):
    first, second = (Question(workspace, "estimate", delay=1) for _ in range(2))
    first.ask()
    until(lambda: engine.count("estimate") == 1)
    other = Session(gpt.document)
    workspace.show(other)
    workspace.close(gpt)
    second.ask(training=True)
    engine.answers["estimate"] = {"peak": 1}
    until(lambda: second.data == {"peak": 1})


def test_progress_is_told(question, engine, until):
    question.ask()
    until(lambda: engine.count("estimate") == 1)
    engine.progress(3, 12)
    until(lambda: question.done == 3)
    assert (question.busy, question.total) == (True, 12)


def test_what_a_dead_engine_took_is_asked_of_the_next(question, engine, workspace, until):
    question.ask()
    until(lambda: engine.count("estimate") == 1)
    engine.die("The engine stopped.")
    until(lambda: question.sentence == "The engine stopped.")
    assert not question.busy
    engine.answers["estimate"] = {"peak": 1}
    engine.state = "ready"
    until(lambda: question.data == {"peak": 1})
    assert engine.count("estimate") == 2


def test_what_kills_two_engines_is_asked_of_no_third(question, engine, workspace, until, qtbot):
    question.ask()
    for count in (1, 2):
        until(lambda count=count: engine.count("estimate") == count)
        engine.die("The engine stopped.")
        until(lambda: not question.busy)
        engine.state = "ready"
    for _ in range(3):
        workspace.poll()
        qtbot.wait(20)
    assert engine.count("estimate") == 2
    assert question.sentence == "The engine stopped."
