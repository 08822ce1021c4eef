"""How wide texts are in the program's typeface, so that drawings measure the same without a screen. No Qt."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Advances of Inter from the space to the tilde, in thousandths of the size.
_BOLD = (
    248, 309, 396, 643, 649, 844, 663, 213, 393, 393, 543, 673, 291, 466, 290, 379, 670, 670, 670, 670, 669, 670, 670,
    670, 670, 670, 290, 289, 673, 673, 673, 544, 999, 724, 657, 744, 724, 608, 586, 755, 744, 275, 561, 677, 566, 906,
    741, 775, 643, 776, 651, 649, 660, 734, 724, 1007, 690, 705, 653, 393, 379, 393, 481, 468, 497, 575, 630, 577, 630,
    593, 377, 625, 613, 261, 261, 569, 261, 898, 610, 608, 625, 625, 397, 549, 380, 608, 576, 837, 562, 576, 562, 393,
    358, 393, 673,
)  # fmt: skip
_REGULAR = (
    281, 278, 403, 631, 638, 812, 639, 222, 362, 362, 500, 659, 276, 460, 276, 357, 648, 648, 648, 648, 648, 648, 648,
    648, 648, 648, 276, 276, 659, 659, 659, 507, 936, 676, 651, 727, 719, 598, 587, 743, 740, 264, 543, 652, 562, 889,
    753, 761, 635, 761, 639, 638, 642, 741, 676, 949, 642, 665, 625, 362, 357, 362, 469, 452, 497, 564, 621, 558, 621,
    582, 361, 609, 591, 237, 237, 544, 237, 869, 585, 597, 609, 609, 372, 523, 364, 581, 557, 812, 540, 557, 541, 362,
    327, 362, 659,
)  # fmt: skip
_OTHER, _WIDE, _MONO = 680, 1000, 600


@lru_cache(4096)
def width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """The width of a text set in a size, in the same unit as the size."""
    if mono:
        return len(text) * _MONO * size / 1000
    table = _BOLD if bold else _REGULAR
    return sum(_advance(letter, table) for letter in text) * size / 1000


def _advance(letter: str, table: tuple[int, ...]) -> int:
    place = ord(letter) - 32
    if 0 <= place < len(table):
        return table[place]
    if letter == "\u2009":
        return 180
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _OTHER
