"""LaTeX set as pictures, in a thread: what a help page shows. Knows nothing of Qt.

An equation is lines of clauses: a double backslash ends a line, a wide space (quad) is where one may be broken. Each
clause is set by itself, so that the page can lay them out in the width it has. To import what sets them takes 0.3 s and
to set a long equation 0.2 s, which a window must not wait for.
"""

from __future__ import annotations

import logging
import threading
import warnings
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from xml.etree import ElementTree

log = logging.getLogger(__name__)

SIZE = 15
"""Pixels of the type: as large to the eye as body text, whose letters are taller for their size."""


@dataclass(frozen=True)
class Clause:
    """A piece that is not broken: an SVG in black, and how far it reaches from the start of its base line."""

    svg: str
    left: float
    above: float
    width: float
    height: float


@dataclass(frozen=True)
class Equation:
    """Lines of clauses; none where the LaTeX cannot be set."""

    lines: tuple[tuple[Clause, ...], ...] = ()


class Typesetter:
    """Sets equations one after the other, in a thread that lives as long as there are some to set."""

    def __init__(self) -> None:
        self._done: dict[str, Equation] = {}
        self._wanted: list[str] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def find(self, latex: str, *, begin: bool = True) -> Equation | None:
        """An equation, or None while it is being set; ask again a moment later. The newest wish comes first.

        Args:
            latex: the equation.
            begin: set it if that has not been done yet.
        """
        with self._lock:
            found = self._done.get(latex)
            if found is None and begin:
                self._wanted = [other for other in self._wanted if other != latex] + [latex]
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="typesetter", daemon=True)
                    self._thread.start()
            return found

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread = None
                    return
                latex = self._wanted[-1]
            try:
                equation = typeset(latex)
            except Exception:  # a custom block's LaTeX may be anything, and is then shown as it is
                log.warning("this equation cannot be set: %s", latex, exc_info=True)
                equation = Equation()
            with self._lock:
                self._done[latex] = equation
                self._wanted.remove(latex)


def prepare() -> None:
    """Import what sets equations, so that the first one comes sooner."""
    _ziamath()


def clauses(latex: str) -> list[list[str]]:
    """The clauses of each line."""
    lines = [[clause.strip() for clause in line.split(r"\quad")] for line in latex.split(r"\\")]
    full = [[clause for clause in line if clause] for line in lines]
    return [line for line in full if line]


def typeset(latex: str) -> Equation:
    """Set an equation here and now.

    Raises:
        Exception: whatever ziamath raises for LaTeX that it does not know.
    """
    return Equation(tuple(tuple(_set(clause) for clause in line) for line in clauses(latex)))


def _set(latex: str) -> Clause:
    ziamath = _ziamath()
    # A bare underscore is an operator to it, with room at both sides; in braces it is a letter.
    made = ziamath.Latex(latex.replace(r"\_", r"{\_}"), size=SIZE)
    root = made.svgxml()
    left, top, width, height = (float(number) for number in root.attrib["viewBox"].split())
    return Clause(ElementTree.tostring(root, encoding="unicode"), left, -top, width, height)


@lru_cache(1)
def _ziamath() -> ModuleType:
    with warnings.catch_warnings():
        # ziamath 0.13 and ziafont 0.11 read their fonts with importlib.resources.path, which is deprecated.
        warnings.filterwarnings("ignore", "path is deprecated", DeprecationWarning)
        import ziamath
    ziamath.config.svg2 = False  # plain paths: Qt's renderer does not know symbols
    return ziamath


TYPESETTER = Typesetter()
"""The one of the program, so that no equation is set twice."""
