"""One line of a form: the name of a parameter, its editor, and below it what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QLineEdit, QMenu, QPushButton, QWidget

from app import theme
from app.editors import editor_for
from app.editors.base import Setting
from app.editors.reading import spell
from app.widgets.icons import IconButton
from app.widgets.menu import Menu
from app.widgets.text import ElidedLabel, label
from blocks.spec import Param
from graph.commands import UNSET
from graph.document import FROM_WIRE

NAME = 104
"""The width of the names, so that all editors of a form begin in one line."""


class ParamRow(QWidget):
    """A parameter's line.

    Signals:
        edited: the user gave a value: plain, "=expression", FROM_WIRE, or UNSET; carries the gesture's token too.
        repaired: the repair offered below was accepted.
    """

    edited = Signal(object, object)
    repaired = Signal()

    def __init__(self, param: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.param = param
        self.setting = Setting()
        self.editor = editor_for(param)
        self.name = ElidedLabel(param.name, "muted")
        self.name.setFixedWidth(NAME)
        self.name.set_hint(self.editor.hint())
        self.name.setBuddy(self.editor.focus())
        self.fault = label("", "error", wrap=True)
        self.fault.setProperty("compact", "yes")
        self.fault.hide()
        self.repair = QPushButton()
        self.repair.setProperty("role", "link")
        self.repair.setProperty("compact", "yes")
        self.repair.clicked.connect(self.repaired)
        self.repair.hide()
        self.button = IconButton("link", "", self)
        self.button.clicked.connect(self._press)
        self.resettable = True
        self._typed_fault = ""
        self._issue = ""
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(theme.SPACE_2)
        layout.setVerticalSpacing(2)
        layout.addWidget(self.name, 0, 0)
        layout.addWidget(self.editor, 0, 1)
        layout.addWidget(self.fault, 1, 1)
        layout.addWidget(self.repair, 2, 1, Qt.AlignmentFlag.AlignLeft)
        layout.setColumnStretch(1, 1)
        self.editor.setMinimumHeight(28)
        self.editor.edited.connect(self.edited)
        self.editor.faulted.connect(self._fault_typed)
        if param.from_wire:
            self.editor.place_button(self.button)
        else:
            # A reset button shows only where the pointer or the keyboard is; the menu has the same.
            self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.button.hide()
            application = QApplication.instance()
            assert isinstance(application, QApplication)
            application.focusChanged.connect(self._focus_moved)
        for widget in self.editor.findChildren(QLineEdit):
            widget.installEventFilter(self)

    def show_setting(self, setting: Setting) -> None:
        """How the parameter stands."""
        self.setting = setting
        self.editor.show_setting(setting)
        self.name.setEnabled(True)
        if self.param.from_wire:
            if setting.origin == "wire":
                self.button.show_icon("link", "Read off the wire; press to set it here instead", "accent")
            else:
                self.button.show_icon("unlink", "Set here; press to read it off the wire", "faint")
        else:
            self._update_button()

    def show_issue(self, sentence: str, repair: str = "") -> None:
        """What validation says of the parameter, and the label of what would mend it."""
        self._issue = sentence
        self.repair.setText(repair)
        self.repair.setAccessibleName(repair)
        self._show_fault()

    def menu(self) -> QMenu:
        """What can be done with the parameter besides typing."""
        menu = Menu("", self, name=f"What can be done with {self.param.name}")
        if self.param.from_wire:
            action = menu.addAction("Read off the wire")
            action.setEnabled(self.setting.origin != "wire")
            action.triggered.connect(lambda: self.edited.emit(FROM_WIRE, object()))
        if self.resettable and not self.param.from_wire:
            reset = menu.addAction(f"Reset to {spell(self.param.default) or 'empty'}")
            reset.setEnabled(self.setting.raw is not UNSET)
            reset.triggered.connect(self._reset)
        if not isinstance(self.editor.focus(), QLineEdit):
            menu.addAction("Use an expression").triggered.connect(self._express)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(event.globalPos())

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._update_button()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._update_button()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A line edit keeps its own menu, with ours above."""
        if isinstance(event, QContextMenuEvent) and isinstance(watched, QLineEdit):
            menu = self.menu()
            own = watched.createStandardContextMenu()
            menu.addSeparator()
            menu.addActions(own.actions())
            own.setParent(menu)
            menu.popup(event.globalPos())
            return True
        return super().eventFilter(watched, event)

    def _open_menu(self, at: QPoint) -> None:
        self.menu().popup(at)

    def _press(self) -> None:
        if not self.param.from_wire:
            self._reset()
        elif self.setting.origin == "wire":
            value = self.param.default if self.setting.value is UNSET else self.setting.value
            self.edited.emit(value, object())
            self.editor.focus().setFocus()
        else:
            self._clear_draft()
            self.edited.emit(FROM_WIRE, object())

    def _reset(self) -> None:
        self._clear_draft()
        self.edited.emit(UNSET, object())

    def _clear_draft(self) -> None:
        if self.editor.draft is not None:
            self.editor.restore(spell(self.param.default))

    def _express(self) -> None:
        self.editor.restore("=")
        self.editor.focus().setFocus()

    def _fault_typed(self, sentence: str) -> None:
        self._typed_fault = sentence
        self._show_fault()

    def _show_fault(self) -> None:
        sentence = self._typed_fault or self._issue
        self.fault.setText(sentence)
        self.fault.setVisible(bool(sentence))
        self.repair.setVisible(bool(sentence and not self._typed_fault and self.repair.text()))

    def _focus_moved(self, _old: QWidget | None, _new: QWidget | None) -> None:
        self._update_button()

    def _update_button(self) -> None:
        """Offer to reset what differs from the default, where the user is."""
        if self.param.from_wire:
            return
        differs = self.resettable and self.setting.raw is not UNSET and self.setting.raw != self.param.default
        shown = differs and (self.underMouse() or self._holds_focus())
        if shown == self.button.isVisibleTo(self):
            return
        if shown:
            self.button.show_icon("rotate-ccw", f"Reset to {spell(self.param.default) or 'empty'}")
            self.editor.place_button(self.button)
            self.button.show()
            self.button.raise_()
        else:
            self.editor.place_button(None)
            self.button.hide()

    def _holds_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)
