"""The drawing as a tree: a row for each node, in the order in which values flow, groups with their insides below."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

import blocks
from app.session import Session
from app.symbols import OTHER, of_block
from blocks.shapes import spell
from graph.document import Node, Path
from graph.issues import NodeReport
from graph.judge import title_of

Index = QModelIndex | QPersistentModelIndex
PATH_ROLE = Qt.ItemDataRole.UserRole + 1
FACTS_ROLE = Qt.ItemDataRole.UserRole + 2
NOWHERE = QModelIndex()
FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
MOST_TOLD = 64
"""Of so many changed rows the view is told one by one; it looks at all of them anyway when it paints."""


@dataclass(frozen=True)
class Facts:
    """What a row says: title, how often a group runs, category, state, the shape that comes out, icon."""

    title: str
    times: str = ""
    category: str = ""
    state: str = "ok"
    shape: str = ""
    kind: str = ""
    icon: str = OTHER


@dataclass(eq=False)
class _Item:
    """One row; `below` is None until someone looks."""

    key: int
    path: Path
    parent: _Item | None
    row: int = 0
    below: list[_Item] | None = None
    seen: tuple[NodeReport | None, bool] = (None, False)


class OutlineModel(QAbstractItemModel):
    """Follows a session. Levels are read when they are unfolded; an edit moves only the rows that it concerns.

    Signals:
        renamed: someone typed another title; carries the path and the text.
    """

    renamed = Signal(tuple, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._keys = count(1)
        self._items: dict[int, _Item] = {}
        self._by_path: dict[Path, _Item] = {}
        self._root = _Item(0, (), None)
        self._wish = ""
        self._kept: set[Path] | None = None

    # What is followed

    def follow(self, session: Session) -> None:
        """Show a session as it is now."""
        if session is not self._session:
            self.beginResetModel()
            self._session = session
            self._forget()
            self._sift()
            self.endResetModel()
            return
        self._sift()
        self._sync(self._root, NOWHERE)

    def sift(self, wish: str) -> None:
        """Keep only the nodes that speak of something, and the groups around them."""
        if wish != self._wish:
            self.beginResetModel()
            self._wish = wish
            self._forget()
            self._sift()
            self.endResetModel()

    @property
    def is_sifted(self) -> bool:
        """Whether nodes are left out."""
        return self._kept is not None

    def index_of(self, path: Path) -> QModelIndex:
        """The row of a node, or no index while it is left out."""
        item = self._root
        for depth in range(len(path)):
            self._below(item)
            found = self._by_path.get(path[: depth + 1])
            if found is None:
                return NOWHERE
            item = found
        return self.createIndex(item.row, 0, item.key) if path else NOWHERE

    def path(self, index: Index) -> Path:
        """The path of a row; () for none."""
        return self._item(index).path

    # Qt's questions

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return len(self._below(self._item(parent)))

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 1

    def hasChildren(self, parent: Index = NOWHERE) -> bool:
        item = self._item(parent)
        if item.below is not None:
            return bool(item.below)
        node = self._node(item.path)
        return node is not None and node.level is not None and bool(node.level.nodes) and bool(self._below(item))

    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        below = self._below(self._item(parent))
        return self.createIndex(row, column, below[row].key) if 0 <= row < len(below) and column == 0 else NOWHERE

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        above = self._item(index).parent
        return NOWHERE if above is None or above is self._root else self.createIndex(above.row, 0, above.key)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return FLAGS if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        path = self.path(index)
        if not path:
            return None
        if role == PATH_ROLE:
            return path
        if role == Qt.ItemDataRole.EditRole or role == Qt.ItemDataRole.DisplayRole:
            node = self._node(path)
            return title_of(node) if node is not None else ""
        if role == FACTS_ROLE:
            return self.facts(path)
        if role == Qt.ItemDataRole.ToolTipRole or role == Qt.ItemDataRole.AccessibleTextRole:
            return self._words(path, "\n" if role == Qt.ItemDataRole.ToolTipRole else ", ")
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        path = self.path(index)
        if role != Qt.ItemDataRole.EditRole or not path:
            return False
        self.renamed.emit(path, str(value))
        return True

    # What rows say

    def facts(self, path: Path) -> Facts:
        """What the row of a node says."""
        node, session = self._node(path), self._session
        if node is None or session is None:
            return Facts("")
        block = blocks.find(node.block)
        report = session.report.node(path)
        signal = next(iter(report.outputs.values()), None) if report is not None else None
        if signal is not None:
            signal = session.report.simplified(signal)
        category, icon = of_block(block)
        return Facts(
            title_of(node),
            _times(node, report),
            category,
            session.report.state(path),
            spell(signal.shape) if signal is not None else "",
            signal.kind if signal is not None else "",
            icon,
        )

    def _words(self, path: Path, joint: str) -> str:
        facts, session = self.facts(path), self._session
        node = self._node(path)
        block = blocks.find(node.block) if node is not None else None
        kind = "Group" if node is not None and node.is_group else block.title if block is not None else ""
        parts = [f"{facts.title} {facts.times}".strip()]
        if kind and kind != facts.title:
            parts.append(kind)
        if facts.shape:
            parts.append(facts.shape)
        states = {"error": "does not fit", "waiting": "waits for what comes in", "unused": "reaches no output"}
        report = session.report.node(path) if session is not None else None
        if report is not None and report.issues:
            parts += [issue.message for issue in report.issues[:2]]
        elif facts.state in states:
            parts.append(states[facts.state])
        return joint.join(parts)

    # Inside

    def _item(self, index: Index) -> _Item:
        return self._items.get(index.internalId(), self._root) if index.isValid() else self._root

    def _node(self, path: Path) -> Node | None:
        if self._session is None or not path:
            return None
        level = self._session.document.top
        for id in path[:-1]:
            group = level.nodes.get(id)
            if group is None or group.level is None:
                return None
            level = group.level
        return level.nodes.get(path[-1])

    def _below(self, item: _Item) -> list[_Item]:
        if item.below is None:
            item.below = [self._new(path, item, row) for row, path in enumerate(self._paths(item.path))]
        return item.below

    def _new(self, path: Path, parent: _Item, row: int) -> _Item:
        item = _Item(next(self._keys), path, parent, row)
        self._items[item.key] = self._by_path[path] = item
        return item

    def _paths(self, at: Path) -> list[Path]:
        """The nodes of a level, each after what feeds it."""
        session = self._session
        if session is None:
            return []
        node = self._node(at)
        if at and (node is None or node.level is None):
            return []
        level = session.document.top if not at else node.level  # type: ignore[union-attr]
        assert level is not None
        known = session.report.level(at)
        ids = [id for id in known.nodes if id in level] if known is not None else []
        if len(ids) != len(level.nodes):
            seen = set(ids)
            ids += [id for id in level.nodes if id not in seen]
        paths = [(*at, id) for id in ids]
        return paths if self._kept is None else [path for path in paths if path in self._kept]

    def _sift(self) -> None:
        words = self._wish.lower().split()
        if not words or self._session is None:
            self._kept = None
            return
        self._kept = set()
        for path, node in self._session.document.walk():
            facts = self.facts(path)
            text = f"{facts.title} {'/'.join(path)} {node.block} {facts.category} {facts.shape} {facts.state}".lower()
            if all(word in text for word in words):
                self._kept.update(path[:depth] for depth in range(1, len(path) + 1))

    def _forget(self) -> None:
        self._items.clear()
        self._by_path.clear()
        self._root = _Item(0, (), None)

    def _drop(self, item: _Item) -> None:
        self._items.pop(item.key, None)
        self._by_path.pop(item.path, None)
        for one in item.below or ():
            self._drop(one)

    def _sync(self, item: _Item, index: QModelIndex) -> None:
        """Bring the rows below one up to date, keeping those that stay."""
        if item.below is None:
            return
        wanted = self._paths(item.path)
        if [one.path for one in item.below] != wanted:
            self._take_away(item, index, set(wanted))
            self._reorder(item, wanted)
            self._put_in(item, index, wanted)
        self._tell(item.below, item.path)
        for one in [one for one in item.below if one.below is not None]:
            self._sync(one, self.createIndex(one.row, 0, one.key))

    def _tell(self, items: list[_Item], at: Path) -> None:
        """Say which rows speak of something that has changed."""
        session = self._session
        known = session.report.level(at) if session is not None else None
        reports = known.nodes if known is not None else {}
        used = known.used if known is not None else frozenset()
        changed: list[_Item] = []
        for item in items:
            id = item.path[-1]
            report = reports.get(id)
            if (report, id in used) != item.seen:
                item.seen = (report, id in used)
                changed.append(item)
        for item in changed[:MOST_TOLD]:
            index = self.createIndex(item.row, 0, item.key)
            self.dataChanged.emit(index, index)

    def _take_away(self, item: _Item, index: QModelIndex, wanted: set[Path]) -> None:
        assert item.below is not None
        last = len(item.below) - 1
        while last >= 0:
            if item.below[last].path in wanted:
                last -= 1
                continue
            first = last
            while first > 0 and item.below[first - 1].path not in wanted:
                first -= 1
            self.beginRemoveRows(index, first, last)
            for one in item.below[first : last + 1]:
                self._drop(one)
            del item.below[first : last + 1]
            _number(item.below)
            self.endRemoveRows()
            last = first - 1

    def _reorder(self, item: _Item, wanted: list[Path]) -> None:
        assert item.below is not None
        rank = {path: place for place, path in enumerate(wanted)}
        ordered = sorted(item.below, key=lambda one: rank[one.path])
        if ordered == item.below:
            return
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        item.below[:] = ordered
        _number(item.below)
        self.changePersistentIndexList(old, [self._again(one) for one in old])
        self.layoutChanged.emit()

    def _again(self, index: QModelIndex) -> QModelIndex:
        item = self._items.get(index.internalId())
        return self.createIndex(item.row, 0, item.key) if item is not None else NOWHERE

    def _put_in(self, item: _Item, index: QModelIndex, wanted: list[Path]) -> None:
        assert item.below is not None
        place, here = 0, {one.path for one in item.below}
        while place < len(wanted):
            if place < len(item.below) and item.below[place].path == wanted[place]:
                place += 1
                continue
            end = place
            while end < len(wanted) and wanted[end] not in here:
                end += 1
            self.beginInsertRows(index, place, end - 1)
            item.below[place:place] = [self._new(path, item, 0) for path in wanted[place:end]]
            _number(item.below)
            self.endInsertRows()
            place = end


def _number(items: list[_Item]) -> None:
    for row, item in enumerate(items):
        item.row = row


def _times(node: Node, report: NodeReport | None) -> str:
    if not node.is_group:
        return ""
    rounds = report.rounds if report is not None else node.repeat
    return f"× {rounds}" if rounds != 1 else ""
