"""Which attention kernel ran, as torch's profiler saw it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch.autograd import profiler_legacy

# The newer profiler starts Kineto: a second of time and lines on stderr. Change over when torch drops this one.

NAMES = {
    "_scaled_dot_product_flash_attention_for_cpu": "flash",
    "_scaled_dot_product_flash_attention": "flash",
    "_scaled_dot_product_efficient_attention": "efficient",
    "_scaled_dot_product_cudnn_attention": "cudnn",
    "_scaled_dot_product_fused_attention_overrideable": "fused",
    "_scaled_dot_product_attention_math": "math",
    "_scaled_dot_product_attention_math_for_mps": "mps",
}


class KernelProbe:
    """Profiles one attention call at a time."""

    def __init__(self) -> None:
        self._profile: Any = None

    def start(self) -> None:
        """Begin to watch."""
        self._profile = profiler_legacy.profile()
        self._profile.__enter__()

    def stop(self) -> str:
        """End, and name the kernel that ran since."""
        if self._profile is None:
            return "none"
        profile, self._profile = self._profile, None
        profile.__exit__(None, None, None)
        return kernel_of(event.name for event in profile.function_events or ())


def kernel_of(operators: Iterable[str]) -> str:
    """The kernel behind the names of operators that ran."""
    found = {NAMES[name] for name in (text.rpartition("::")[2] for text in operators) if name in NAMES}
    return " + ".join(sorted(found)) or "none"


def joint(kernels: Iterable[str]) -> str:
    """One line for several calls."""
    return " + ".join(sorted(set(kernels) - {"none"})) or "none"
