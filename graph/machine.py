"""How much memory this machine has left, and bytes as people say them."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import torch


def available_memory(device: str | torch.device = "cpu") -> int | None:
    """Bytes that can still be allocated on a device, or None where the machine does not tell."""
    kind = torch.device(device)
    if kind.type == "cuda":
        return int(torch.cuda.mem_get_info(kind)[0])
    if sys.platform == "linux":
        return _linux()
    if sys.platform == "win32":
        return _windows()
    try:
        # All there is, not what is free: macOS compresses and drops caches before it fails.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def bytes_text(count: float) -> str:
    """Bytes in the unit that reads best: 512 B, 1.25 GiB."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{size:.0f} {unit}" if unit == "B" or abs(size) >= 100 else f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB" if abs(size) < 1000 else f"{size:,.0f} TiB"


def _linux() -> int | None:
    free: int | None = None
    text = _read(Path("/proc/meminfo"))
    for line in text.splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    # A container may be allowed less than the machine has.
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        most, now = _read(Path(limit)).strip(), _read(Path(used)).strip()
        if most.isdecimal() and now.isdecimal():
            left = max(0, int(most) - int(now))
            free = left if free is None else min(free, left)
    return free


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


class _MemoryStatus(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total", ctypes.c_ulonglong),
        ("available", ctypes.c_ulonglong),
        ("total_page_file", ctypes.c_ulonglong),
        ("available_page_file", ctypes.c_ulonglong),
        ("total_virtual", ctypes.c_ulonglong),
        ("available_virtual", ctypes.c_ulonglong),
        ("extended", ctypes.c_ulonglong),
    ]


def _windows() -> int | None:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  # absent elsewhere, which a type checker minds
    return int(status.available) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
