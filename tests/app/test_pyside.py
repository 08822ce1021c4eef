"""The Qt binding itself: 6.12.0 dropped a reference of None with each void call on Python 3.11 and died of it."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class Sender(QObject):
    sent = Signal()


def test_void_calls_and_emits_keep_the_count_of_none(qapp):
    sender = Sender()
    heard = []
    sender.sent.connect(lambda: heard.append(1))
    before = sys.getrefcount(None)
    for _ in range(100_000):
        sender.setObjectName("x")
        sender.sent.emit()
    assert len(heard) == 100_000
    assert abs(sys.getrefcount(None) - before) < 1_000
