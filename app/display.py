"""Whether a window can open here; Qt itself would end the program, with an abort instead of a sentence."""

from __future__ import annotations

import ctypes
import os
import sys

NEEDED = {
    "libxcb-cursor.so.0": "libxcb-cursor0", "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1", "libxcb-shape.so.0": "libxcb-shape0",
}  # fmt: skip
"""What Qt takes from the system and the system's smallest form lacks, and the packages that bring it."""
WITHOUT_SCREEN = ("offscreen", "minimal", "vnc")


def display_fault() -> str | None:
    """Why no window can open here, as a sentence, or None where one can."""
    chosen = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if sys.platform != "linux" or chosen in WITHOUT_SCREEN:
        return None
    if os.environ.get("WAYLAND_DISPLAY") and chosen != "xcb":
        return None
    display = os.environ.get("DISPLAY")
    if not display:
        return "There is no display to open a window on."
    missing = [package for library, package in NEEDED.items() if not _is_there(library)]
    if missing:
        return f"Qt needs {' '.join(missing)} to open a window: install what is named with the system's packages."
    if not _answers():
        return f"The display {display} does not answer."
    return None


def _is_there(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _answers() -> bool:
    """Whether the X server that DISPLAY names takes a connection."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # Qt brings what it needs, and will know better
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    for function in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        function.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    fault = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not fault
