"""What the memory panel is asked: which view, inference or training, number type, sizes, fast memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QVBoxLayout, QWidget

from app import numbers, theme
from app.panels.pages.cost import WIDTHS
from app.widgets.combo import Combo
from app.widgets.field import Field
from app.widgets.segments import Segments
from app.widgets.text import label
from graph.attention_cost import CHIPS, SRAM

LONGEST_BESIDE = 7
"""Letters of a size's name that leave room for its number where two stand in a row."""
SRAM_STEP = 1000
WIDTH = 184


class WhatIf(QWidget):
    """The column of controls on the left.

    Signals:
        asked: another answer is wanted; carries nothing.
        turned: another view of the same answer is; carries nothing.
    """

    asked = Signal()
    turned = Signal()

    def __init__(self, dtype: str, parent: QWidget | None = None) -> None:
        """Make the controls; `dtype` is what a run would take."""
        super().__init__(parent)
        self.training = False
        self.dtype = dtype
        self.sram = SRAM
        self.sizes: dict[str, int] = {}
        self.fields: dict[str, Field] = {}
        self.view = Segments(
            "Show",
            [
                ("kinds", "By kind", "What memory is needed for"),
                ("attention", "Attention", "What each attention would hold, and what it reads and writes"),
            ],
        )
        self.view.chosen.connect(lambda _key: self.turned.emit())
        self.mode = Segments(
            "Purpose",
            [
                ("inference", "Inference", "One pass forward"),
                ("training", "Training", "One step with gradients and AdamW"),
            ],
        )
        self.mode.chosen.connect(self._choose_mode)
        self.kind = Combo()
        self.kind.setAccessibleName("Number type")
        self.kind.setToolTip("The type of weights and activations")
        for name in WIDTHS:
            self.kind.addItem(name, name)
        self.kind.setCurrentIndex(self.kind.findData(dtype))
        self.kind.activated.connect(self._choose_dtype)
        self.fast = Field(str(SRAM))
        self.fast.setProperty("compact", "yes")
        self.fast.setAccessibleName("Numbers in fast memory")
        self.fast.setPlaceholderText(str(SRAM))
        self.fast.set_remarks("", "fast memory")
        self.fast.textEdited.connect(self._set_sram)
        self.fast.stepped.connect(self._step_sram)
        self.reset = QPushButton("As in the drawing")
        self.reset.setProperty("role", "link")
        self.reset.setProperty("compact", "yes")
        self.reset.setToolTip("Back to the sizes that a run would have")
        self.reset.clicked.connect(self._forget_sizes)
        self.fault = label("", "error", wrap=True)
        self.fault.setProperty("compact", "yes")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.SPACE_2)
        self._grid.setVerticalSpacing(theme.SPACE_1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_2)
        layout.addWidget(self.view, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.mode, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.kind)
        layout.addLayout(self._grid)
        layout.addWidget(self.fast)
        layout.addWidget(self.fault)
        layout.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)

    @property
    def is_attention(self) -> bool:
        """Whether the attention card is asked for."""
        return self.view.choice == "attention"

    def options(self, dtype: str) -> dict[str, Any]:
        """What differs from a run as the drawing and the workspace have it, which would take `dtype`."""
        options: dict[str, Any] = {"sizes": dict(self.sizes)} if self.sizes else {}
        if self.training:
            options["training"] = True
        if self.dtype != dtype:
            options["dtype"] = self.dtype
        if self.sram != SRAM:
            options["sram"] = self.sram
        return options

    def show_kinds(self) -> None:
        """Turn back from the attention card."""
        self.view.show_choice("kinds")
        self.turned.emit()

    def show_state(self, sentence: str) -> None:
        """Show what is wrong with what was asked, if anything, and the controls that the view has a use for."""
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence))
        self.reset.setVisible(bool(self.sizes))
        self.fast.setVisible(self.is_attention)
        self.mode.setVisible(not self.is_attention)  # the kernels are those of one pass forward

    def show_fields(self, sizes: Mapping[str, int], *, refused: bool) -> None:
        """A field for each axis that may be set; where it was refused, what was typed stays."""
        if list(self.fields) != list(sizes):
            for field in self.fields.values():
                self._grid.removeWidget(field)
                field.deleteLater()
            self.fields = {}
            columns = 1 if max(map(len, sizes), default=0) > LONGEST_BESIDE else 2
            for place, name in enumerate(sizes):
                field = Field()
                field.setProperty("compact", "yes")
                field.setAccessibleName(f"Size of {name}")
                field.setToolTip(f"What if {name} were this?")
                field.textEdited.connect(lambda text, name=name: self._set_size(name, text))
                field.stepped.connect(lambda steps, name=name: self._step_size(name, steps))
                self._grid.addWidget(field, place // columns, place % columns)
                field.show()
                self.fields[name] = field
        for name, field in self.fields.items():
            field.set_remarks("", name)
            if not field.hasFocus() and not refused:
                field.setText(str(sizes[name]))

    def show_chips(self, dtype: str) -> None:
        """Say in the tip how many numbers of a type the fast memories of known chips hold."""
        width = WIDTHS.get(dtype, 4)
        chips = ", ".join(f"{chip} {numbers.exact(size // width)}" for chip, size in CHIPS.items())
        self.fast.setToolTip(
            "How many numbers fit into the fast memory (SRAM) of one processor, where a fused kernel works.\n"
            f"In {dtype}: {chips}."
        )

    def _choose_mode(self, key: str) -> None:
        self.training = key == "training"
        self.asked.emit()

    def _choose_dtype(self, place: int) -> None:
        self.dtype = self.kind.itemData(place)
        self.asked.emit()

    def _set_sram(self, text: str) -> None:
        words = text.strip()
        good = not words or (words.isdecimal() and int(words) > 0)
        self.fast.set_fault(not good)
        if good:
            self.sram = int(words) if words else SRAM
            self.asked.emit()

    def _step_sram(self, steps: int) -> None:
        self.sram = max(SRAM_STEP, self.sram + steps * SRAM_STEP)
        self.fast.setText(str(self.sram))
        self.fast.set_fault(False)
        self.asked.emit()

    def _set_size(self, name: str, text: str) -> None:
        words = text.strip()
        if not words:
            self.sizes.pop(name, None)
        elif words.isdecimal() and int(words) > 0:
            self.sizes[name] = int(words)
        else:
            self.fields[name].set_fault(True)
            return
        self.fields[name].set_fault(False)
        self.asked.emit()

    def _step_size(self, name: str, steps: int) -> None:
        text = self.fields[name].text()
        size = max(1, (int(text) if text.isdecimal() else 1) + steps)
        self.fields[name].setText(str(size))
        self._set_size(name, str(size))

    def _forget_sizes(self) -> None:
        self.sizes = {}
        for field in self.fields.values():
            field.set_fault(False)
        self.asked.emit()
        self.turned.emit()
