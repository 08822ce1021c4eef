"""What the window remembers from one start to the next, in an ini file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from app.folders import settings_folder

MOST_RECENT = 12
THEMES = ("system", "dark", "light")
DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("float32", "bfloat16", "float16", "float64")


class Settings:
    """Theme, recent files, layout and preferences; a damaged or foreign value counts as not set."""

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or settings_folder()
        self._store = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        """The appearance: system, dark or light."""
        return self._choice("look/theme", THEMES)

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("look/theme", name)

    @property
    def timings(self) -> bool:
        """Whether nodes show how long they took."""
        return self._store.value("look/timings") == "on"

    @timings.setter
    def timings(self, wanted: bool) -> None:
        self._store.setValue("look/timings", "on" if wanted else "off")

    @property
    def device(self) -> str:
        """Where models run: auto, cpu, cuda or mps."""
        return self._choice("run/device", DEVICES)

    @device.setter
    def device(self, name: str) -> None:
        self._store.setValue("run/device", name)

    @property
    def dtype(self) -> str:
        """The precision of runs."""
        return self._choice("run/dtype", DTYPES)

    @dtype.setter
    def dtype(self, name: str) -> None:
        self._store.setValue("run/dtype", name)

    @property
    def recent(self) -> list[Path]:
        """The files that were open last, the latest first."""
        value = self._store.value("files/recent")
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [Path(name) for name in names if isinstance(name, str) and name][:MOST_RECENT]

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        path = path.resolve()
        self._set_recent([path, *(other for other in self.recent if other != path)])

    @property
    def open_drawings(self) -> list[Path]:
        """The files that were open, in the order of their tabs."""
        value = self._store.value("files/open")
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [Path(name) for name in names if isinstance(name, str) and name]

    @property
    def front_drawing(self) -> Path | None:
        """The one of them that was in front."""
        value = self._store.value("files/front")
        return Path(value) if isinstance(value, str) and value else None

    def set_open_drawings(self, paths: list[Path], front: Path | None) -> None:
        """Remember which files are open and which of them is in front."""
        names, first = [str(path) for path in paths], str(front or "")
        if (names, first) != ([str(path) for path in self.open_drawings], str(self.front_drawing or "")):
            self._store.setValue("files/open", names)
            self._store.setValue("files/front", first)
            self._store.sync()  # so that a killed program's come back, too

    @property
    def reopens(self) -> bool:
        """Whether a start without a file opens what was open last."""
        return self._switch("files/reopen")

    @reopens.setter
    def reopens(self, wanted: bool) -> None:
        self._store.setValue("files/reopen", "on" if wanted else "off")

    def forget_recent(self, path: Path | None = None) -> None:
        """Take a file off the recent ones, or all of them."""
        self._set_recent([] if path is None else [other for other in self.recent if other != path])

    @property
    def folder(self) -> Path | None:
        """Where file dialogs begin: the folder for drawings where the user has named one, else where the last ended."""
        return self.home or self._existing("files/folder")

    @folder.setter
    def folder(self, path: Path) -> None:
        self._store.setValue("files/folder", str(path))

    @property
    def home(self) -> Path | None:
        """The folder for drawings that the user has named."""
        return self._existing("files/home")

    @home.setter
    def home(self, path: Path | None) -> None:
        self._store.setValue("files/home", str(path) if path is not None else "")

    @property
    def motion(self) -> bool:
        """Whether things may glide; a program before wrote "no" from its menu and "off" from its preferences."""
        return self._store.value("look/motion") not in ("off", "no")

    @motion.setter
    def motion(self, is_on: bool) -> None:
        self._store.setValue("look/motion", "on" if is_on else "off")

    @property
    def autosave(self) -> bool:
        """Whether what is not saved is kept, for the case that the program is killed."""
        return self._switch("files/autosave")

    @autosave.setter
    def autosave(self, is_on: bool) -> None:
        self._store.setValue("files/autosave", "on" if is_on else "off")

    @property
    def has_seen_tour(self) -> bool:
        """Whether the first steps were shown, to the end or not."""
        return self._store.value("window/tour") == "seen"

    @has_seen_tour.setter
    def has_seen_tour(self, has: bool) -> None:
        self._store.setValue("window/tour", "seen" if has else "")

    @property
    def geometry(self) -> QByteArray | None:
        """Where the window was."""
        return self._bytes("window/geometry")

    @property
    def layout(self) -> str:
        """How its panels lie, as text; empty where nothing is remembered, or something of an older program."""
        value = self._store.value("window/layout")
        return value if isinstance(value, str) else ""

    @layout.setter
    def layout(self, text: str) -> None:
        self._store.setValue("window/layout", text)
        for old in ("window/hidden", "window/panel"):  # a program before kept these
            self._store.remove(old)

    def set_window(self, geometry: QByteArray, layout: str) -> None:
        """Remember where the window is and how its panels lie."""
        self._store.setValue("window/geometry", geometry)
        self.layout = layout

    @property
    def folded(self) -> set[str]:
        """The palette categories that are folded away."""
        value = self._store.value("palette/folded")
        return {name for name in str(value).split("|") if name} if isinstance(value, str) else set()

    @folded.setter
    def folded(self, names: set[str]) -> None:
        self._store.setValue("palette/folded", "|".join(sorted(names)))

    @property
    def uses(self) -> dict[str, int]:
        """How often each block was put on a canvas, the latest first."""
        value = self._store.value("palette/uses")
        pairs = [part.rpartition(":") for part in value.split("|")] if isinstance(value, str) else []
        return {name: int(count) for name, _, count in pairs if name.isidentifier() and count.isdecimal()}

    def add_use(self, block: str) -> None:
        """Count a block once more, and put it at the head."""
        uses = self.uses
        uses = {block: uses.pop(block, 0) + 1, **uses}
        self._store.setValue("palette/uses", "|".join(f"{name}:{count}" for name, count in uses.items()))

    @property
    def shortcuts(self) -> dict[str, tuple[str, ...]]:
        """Actions whose keys are not those of the program, each with its keys; none is an empty tuple."""
        self._store.beginGroup("keys")
        names = self._store.childKeys()
        self._store.endGroup()
        found: dict[str, tuple[str, ...]] = {}
        for name in names:
            value = self._store.value(f"keys/{name}")
            if isinstance(value, str):
                found[name] = tuple(keys for keys in value.split(" ") if keys)
        return found

    def set_shortcut(self, action: str, keys: tuple[str, ...] | None) -> None:
        """Remember the keys of an action; None forgets them."""
        if keys is None:
            self._store.remove(f"keys/{action}")
        else:
            self._store.setValue(f"keys/{action}", " ".join(keys))

    def flush(self) -> None:
        """Write what has been set to disk."""
        self._store.sync()

    def _set_recent(self, paths: list[Path]) -> None:
        self._store.setValue("files/recent", [str(path) for path in paths[:MOST_RECENT]])
        self._store.sync()  # so that a second window, or a crash, knows them

    def _existing(self, key: str) -> Path | None:
        value = self._store.value(key)
        return Path(value) if isinstance(value, str) and value and Path(value).is_dir() else None

    def _switch(self, key: str) -> bool:
        """Whether a switch is on; it is unless it was turned off."""
        return self._store.value(key) != "off"

    def _choice(self, key: str, options: tuple[str, ...]) -> str:
        value = self._store.value(key)
        return value if isinstance(value, str) and value in options else options[0]

    def _bytes(self, key: str) -> QByteArray | None:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
