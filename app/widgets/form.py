"""The lines of a dialog: a name at the left, what it names at the right, all of one height."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from app import theme
from app.widgets.text import WrapLabel, label, line

HEIGHT = 28


class Form(QFormLayout):
    """Names and fields. A screen reader says the name with its field."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(theme.SPACE_6)
        self.setVerticalSpacing(theme.SPACE_1)
        self.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)

    def separate(self) -> None:
        """Draw a line below what is there."""
        holder = QWidget()
        rows = QVBoxLayout(holder)
        rows.setContentsMargins(0, theme.SPACE_2, 0, theme.SPACE_2)
        rows.addWidget(line())
        self.addRow(holder)

    def add(self, title: str, field: QWidget | QLayout, *, names: QWidget | None = None) -> QLabel:
        """Add a line.

        Args:
            title: the name.
            field: what stands beside it.
            names: the control that the name belongs to, where the field is a layout of several.

        Returns:
            The label with the name.
        """
        name = label(title, "muted")
        name.setFixedHeight(HEIGHT)
        if isinstance(field, WrapLabel):  # it asks for no width of its own, so a form would give it none
            policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            field.setSizePolicy(policy)
        control = names or (field if isinstance(field, QWidget) else None)
        if control is not None:
            name.setBuddy(control)
            control.setMinimumHeight(HEIGHT)
        if control is not None and not isinstance(control, WrapLabel):
            name.setFixedHeight(max(HEIGHT, control.sizeHint().height()))  # so that both stand on one line
        self.addRow(name, field)
        return name
