"""A large drawing is read in a thread while the window goes on painting; it is the same drawing."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QTimer

from app import workspace
from app.canvas import geometry
from app.canvas.geometry import LevelGeometry
from app.files import opening
from benchmarks.canvas import network
from graph import files


@pytest.fixture
def large(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "LARGE", 1000)
    path = tmp_path / "large.json"
    files.save(network(120), path)
    return path


def test_the_window_lives_while_a_large_drawing_is_read(qapp, large, monkeypatch):
    beats, threads = [], []
    slow = workspace.read

    def reading(path):
        threads.append(threading.current_thread())
        while len(beats) < 3:  # it is for the window to let it go on
            threading.Event().wait(0.001)
        return slow(path)

    monkeypatch.setattr(workspace, "read", reading)
    timer = QTimer()
    timer.timeout.connect(lambda: beats.append(1))
    timer.start(1)
    session = opening.read_apart(large)
    timer.stop()
    assert threads[0] is not threading.main_thread()
    assert session.path == large
    assert len(session.document.top.nodes) == len(files.load(large).top.nodes)


def test_what_is_laid_out_before_is_what_would_be_laid_out(qapp, large):
    session = opening.read_apart(large)
    level, report = session.document.top, session.report.top
    assert level in geometry._ready
    shown, anew = LevelGeometry(), LevelGeometry()
    other = files.load(large)
    shown.update(other.top, None)
    version = shown.version
    assert shown.update(level, report)
    assert shown.version > version
    assert level not in geometry._ready
    anew.update(level, report)
    assert shown.ids == anew.ids
    assert np.array_equal(shown.rects, anew.rects)
    assert np.array_equal(shown.ends, anew.ends)
    assert shown.wires == anew.wires


def test_a_fault_of_the_file_is_told_as_ever(qapp, large, tmp_path):
    large.write_text(large.read_text()[:-400])
    with pytest.raises(files.FileError):
        opening.read_apart(large)
    with pytest.raises(files.FileError):
        opening.read_apart(tmp_path / "nowhere.json")


def test_a_window_opens_it(window, large):
    assert window.filing.open(large)
    assert window.workspace.session.path == large
    assert len(window.canvas.geometry_of.ids) == len(window.workspace.session.document.top.nodes)
