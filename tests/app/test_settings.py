"""What is remembered comes back, and a damaged file counts as nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from app.settings import MOST_RECENT, Settings


def test_everything_comes_back(home: Path) -> None:
    settings = Settings()
    settings.theme, settings.device, settings.dtype = "light", "cpu", "bfloat16"
    settings.folded = {"Linear", "Mixture of experts"}
    settings.motion = False
    settings.set_window(QByteArray(b"geometry"), '{"a": [1, 2, "x=y;%"]}')
    settings.folder = home
    settings.flush()
    again = Settings()
    assert (again.theme, again.device, again.dtype) == ("light", "cpu", "bfloat16")
    assert not again.motion
    assert again.folded == {"Linear", "Mixture of experts"}
    assert again.layout == '{"a": [1, 2, "x=y;%"]}'
    assert again.geometry == QByteArray(b"geometry")
    assert again.folder == home


def test_at_first_nothing_is_set() -> None:
    settings = Settings()
    assert (settings.theme, settings.device, settings.dtype) == ("system", "auto", "float32")
    assert settings.recent == []
    assert settings.motion
    assert settings.geometry is settings.folder is None
    assert settings.layout == ""


@pytest.mark.parametrize("word", ["off", "no"])
def test_motion_that_was_switched_off_stays_off_whoever_switched_it(home: Path, word: str) -> None:
    (home / "settings").mkdir()
    (home / "settings" / "window.ini").write_text(f"[look]\nmotion={word}\n")
    settings = Settings()
    assert not settings.motion
    settings.motion = True
    settings.flush()
    assert Settings().motion


def test_recent_files_are_few_and_the_latest_first(home: Path) -> None:
    settings = Settings()
    paths = [home / f"{number}.json" for number in range(MOST_RECENT + 3)]
    for path in paths:
        settings.add_recent(path)
    settings.add_recent(paths[5])
    recent = Settings().recent
    assert len(recent) == MOST_RECENT
    assert recent[:2] == [paths[5], paths[-1]]
    settings.forget_recent(paths[5])
    assert paths[5] not in Settings().recent
    settings.forget_recent()
    assert Settings().recent == []


def test_foreign_values_count_as_not_set(home: Path) -> None:
    (home / "settings").mkdir()
    (home / "settings" / "window.ini").write_text(
        "[look]\ntheme=purple\n[run]\ndevice=toaster\n[files]\nrecent=@Invalid()\nfolder=/nowhere/at/all\n"
        "[window]\ngeometry=text\nlayout=@ByteArray(x)\nhidden=memory\n"
    )
    settings = Settings()
    assert (settings.theme, settings.device) == ("system", "auto")
    assert settings.recent == []
    assert settings.folder is None
    assert settings.geometry is None
    assert settings.layout == "", "as an older program left it"


def test_a_damaged_file_is_no_obstacle(home: Path) -> None:
    (home / "settings").mkdir()
    (home / "settings" / "window.ini").write_bytes(b"\x00\xff[[[\nnonsense")
    assert Settings().theme == "system"
