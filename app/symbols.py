"""Which icon stands for what: the one place that says so for categories, states and commands. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blocks.spec import Block

CATEGORIES = {
    "Sources": "log-in", "Outputs": "log-out", "Structure": "box", "Linear": "network", "Transformer": "layers",
    "Convolution": "grid-2x2", "Pooling": "minimize-2", "Recurrent": "repeat",
    "Normalization": "chart-no-axes-column", "Activation": "chart-spline", "Attention": "focus",
    "Position": "map-pin", "Arithmetic": "diff", "Reshaping": "shapes", "Regularization": "dices",
    "Mixture of experts": "users", "Flow": "arrow-left-right", "Losses": "trending-down",
    "Diffusion and image": "image", "Templates": "layout-template", "My blocks": "package",
}  # fmt: skip
"""Heading of the palette → icon."""
OTHER = "puzzle"
"""The icon of a category that is not among them, as one that a folder of blocks has just added."""
ROLES = {"group_input": "log-in", "group_output": "log-out"}
"""What is inside every group has the icon of what comes in or goes out, as on the level above."""
STATES = {"error": "circle-alert", "warning": "triangle-alert", "good": "circle-check", "info": "info"}
"""How bad something is → icon."""

ACTION_ICONS = {
    "new": "file-plus", "open": "folder-open", "save": "save", "export_onnx": "share", "export_pytorch": "share",
    "preferences": "settings", "undo": "undo-2", "redo": "redo-2", "cut": "scissors", "copy": "copy",
    "paste": "clipboard", "duplicate": "copy-plus", "delete": "trash-2", "group": "group", "ungroup": "ungroup",
    "find_node": "search", "find_block": "search", "fit_all": "maximize", "zoom_in": "zoom-in",
    "zoom_out": "zoom-out", "run": "play", "cancel": "square",
}  # fmt: skip
"""Action → icon, for those that have one everywhere; lists of commands show it, menus stay words."""


def of_category(category: str, role: str = "") -> str:
    """The icon of a category of blocks, or of a block that has a role of its own in it."""
    return ROLES.get(role) or CATEGORIES.get(category, OTHER)


def of_block(block: type[Block] | None) -> tuple[str, str]:
    """The category whose hue a node has, and its icon; without a block it is a group."""
    category, role = (block.category, block.role) if block is not None else ("Structure", "")
    return category, of_category(category, role)


def of_state(state: str) -> str:
    """The icon of a state; what is none of them is worth knowing."""
    return STATES.get(state, STATES["info"])
