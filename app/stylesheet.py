"""The theme as Qt's style sheet; only this file writes style rules, and only the theme names colours.

A widget asks for a look by its dynamic property `role`: heading, section, category, muted, faint, number, error, line,
primary, link, flat, segment, small, code, title.
"""

from __future__ import annotations

from app.icons.styled import url
from app.theme import MONO, RADIUS, TEXT_BODY, TEXT_LARGE, TEXT_SMALL, TEXT_TINY, TEXT_TITLE, Theme

_LARGE, _BOX, _CHECK, _ARROW, _STEP = 32, 16, 12, 12, 10
"""Pixels of the icons that style sheets show."""
_MAIN_AT_RIGHT = 3
"""Qt's number for boxes whose main button is the last, as in the dialogs of the program."""


def style(theme: Theme) -> str:
    """The whole style sheet of an appearance."""
    parts = (_basics, _menus, _fields, _buttons, _labels, _docks, _lists, _scroll_bars, _bars, _panels)
    return "\n".join(part(theme) for part in parts)


def _basics(t: Theme) -> str:
    return f"""
    QMainWindow, QDialog, QWidget#floatWindow {{ background: {t.panel}; }}
    QMessageBox {{ messagebox-warning-icon: {url("triangle-alert", t.warning, _LARGE)};
        messagebox-critical-icon: {url("circle-alert", t.error, _LARGE)};
        messagebox-information-icon: {url("info", t.accent, _LARGE)};
        messagebox-question-icon: {url("circle-question-mark", t.accent, _LARGE)}; }}
    QFileDialog {{ backward-icon: {url("chevron-left", t.text, _BOX)};
        forward-icon: {url("chevron-right", t.text, _BOX)};
        filedialog-parent-directory-icon: {url("chevron-up", t.text, _BOX)};
        filedialog-new-directory-icon: {url("plus", t.text, _BOX)};
        filedialog-listview-icon: {url("grid-2x2", t.text, _BOX)};
        filedialog-detailedview-icon: {url("layers", t.text, _BOX)}; }}
    QMessageBox QLabel#qt_msgbox_label {{ font-size: {TEXT_TITLE}px; font-weight: 600; }}
    QMessageBox QLabel#qt_msgbox_informativelabel {{ color: {t.muted}; }}
    QToolTip {{ background: {t.node}; color: {t.text}; border: 1px solid {t.node_line}; padding: 2px;
        font-size: {TEXT_SMALL}px; }}
    QFrame[role="line"] {{ background: {t.line}; border: 0; max-height: 1px; min-height: 1px; }}
    QFrame[role="upright"] {{ background: {t.line}; border: 0; max-width: 1px; min-width: 1px; }}
    QFrame[role="popup"] {{ background: {t.node}; border: 1px solid {t.node_line}; border-radius: {RADIUS + 2}px; }}
    QFrame[role="banner"] {{ background: {t.node}; border: 1px solid {t.node_line}; border-radius: {RADIUS + 2}px; }}
    QFrame[role="banner"][tone="error"] {{ border: 1px solid {t.error}; }}
    QFrame[role="banner"][tone="warning"] {{ border: 1px solid {t.warning}; }}
    QSplitter::handle {{ background: {t.line}; }}
    """


def _menus(t: Theme) -> str:
    return f"""
    QMenuBar {{ background: transparent; padding: 0; spacing: 0; }}
    QMenuBar::item {{ padding: 4px 12px; border-radius: 4px; color: {t.muted}; background: transparent; }}
    QMenuBar::item:selected {{ background: {t.field}; color: {t.text}; }}
    QMenuBar > QToolButton {{ padding: 0; border: 0; }}
    QMenu {{ background: {t.node}; border: 1px solid {t.node_line}; padding: 4px; }}
    QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: 4px; }}
    QMenu::item:selected {{ background: {t.hover}; }}
    QMenu::item:disabled {{ color: {t.faint}; }}
    QMenu::indicator {{ width: {_CHECK}px; height: {_CHECK}px; margin-left: 8px; }}
    QMenu::indicator:checked {{ image: {url("check", t.accent, _CHECK)}; }}
    QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 8px; }}
    QMenu::right-arrow {{ image: {url("chevron-right", t.faint, _ARROW)}; width: {_ARROW}px; height: {_ARROW}px; }}
    """


def _fields(t: Theme) -> str:
    return f"""
    QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
        background: {t.field}; border: 1px solid transparent; border-radius: {RADIUS}px; padding: 4px 8px;
        selection-background-color: {t.accent}; selection-color: {t.accent_text}; min-height: 20px; color: {t.text}; }}
    QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{
        border: 1px solid {t.accent}; }}
    QLineEdit {{ lineedit-clear-button-icon: {url("x", t.muted, _BOX)}; }}
    QLineEdit[state="error"] {{ border: 1px solid {t.error}; }}
    QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{ color: {t.faint}; }}
    QComboBox::drop-down {{ border: 0; width: 24px; }}
    QComboBox::down-arrow {{
        image: {url("chevron-down", t.faint, _ARROW)}; width: {_ARROW}px; height: {_ARROW}px; }}
    QComboBox QAbstractItemView {{ background: {t.node}; border: 1px solid {t.node_line}; outline: 0; padding: 4px;
        selection-background-color: {t.hover}; selection-color: {t.text}; }}
    QComboBox QAbstractItemView::item {{ min-height: 24px; padding: 0 8px; border-radius: 4px; }}
    QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{
        border: 0; width: 20px; background: transparent; }}
    QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {{
        image: {url("chevron-up", t.faint, _STEP)}; width: {_STEP}px; height: {_STEP}px; }}
    QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {{
        image: {url("chevron-down", t.faint, _STEP)}; width: {_STEP}px; height: {_STEP}px; }}
    QCheckBox {{ spacing: 8px; color: {t.text}; border: 1px solid transparent; border-radius: 4px; outline: 0;
        padding: 1px 3px; margin-left: -4px; }}
    QCheckBox:focus {{ border: 1px solid {t.accent}; }}
    QCheckBox::indicator {{ width: {_BOX}px; height: {_BOX}px; border-radius: 4px; background: {t.field};
        border: 1px solid {t.faint}; }}
    QCheckBox::indicator:checked {{ background: {t.accent}; border: 1px solid {t.accent};
        image: {url("check", t.accent_text, _BOX)}; }}
    QCheckBox:disabled {{ color: {t.faint}; }}
    QCheckBox::indicator:disabled {{ background: {t.field}; border: 1px solid {t.hover}; }}
    QCheckBox::indicator:checked:disabled {{ image: {url("check", t.faint, _BOX)}; }}
    QCheckBox::indicator:focus {{ border: 1px solid {t.accent}; }}
    QRadioButton {{ color: {t.text}; spacing: 8px; }}
    """


def _buttons(t: Theme) -> str:
    return f"""
    QPushButton {{ background: {t.field}; color: {t.text}; border: 1px solid transparent; border-radius: {RADIUS}px;
        padding: 4px 16px; min-height: 20px; outline: 0; }}
    QPushButton:hover {{ background: {t.hover}; }}
    QPushButton:focus {{ border: 1px solid {t.accent}; }}
    QPushButton:disabled {{ color: {t.faint}; }}
    QPushButton:checked {{ background: {t.hover}; }}
    QPushButton[role="primary"] {{ background: {t.accent}; color: {t.accent_text}; font-weight: 600; }}
    QPushButton[role="primary"]:focus {{ border: 1px solid {t.text}; }}
    QPushButton[role="primary"]:disabled {{ background: {t.field}; color: {t.faint}; }}
    QMessageBox QPushButton:default, QFileDialog QPushButton:default {{ background: {t.accent};
        color: {t.accent_text}; font-weight: 600; }}
    QMessageBox QPushButton:default:focus, QFileDialog QPushButton:default:focus {{ border: 1px solid {t.text}; }}
    QDialogButtonBox, QMessageBox {{ dialogbuttonbox-buttons-have-icons: 0; button-layout: {_MAIN_AT_RIGHT}; }}
    QPushButton[role="link"] {{ background: transparent; color: {t.accent}; padding: 0 4px; font-weight: 600;
        text-align: left; border-radius: 4px; }}
    QPushButton[role="link"]:hover {{ background: {t.hover}; }}
    QPushButton[role="link"]:disabled {{ color: {t.faint}; }}
    QPushButton[role="flat"], QToolButton {{ background: transparent; color: {t.text};
        border: 1px solid transparent; border-radius: 4px; padding: 4px 8px; outline: 0; }}
    QToolButton:hover, QPushButton[role="flat"]:hover {{ background: {t.hover}; }}
    QToolButton:checked {{ background: {t.hover}; }}
    QToolButton:focus, QPushButton[role="flat"]:focus {{ border: 1px solid {t.accent}; }}
    QToolButton::menu-indicator {{ image: none; width: 0; }}
    QPushButton::menu-indicator {{ image: none; width: 0; }}
    QPushButton[role="search"] {{ color: {t.faint}; text-align: left; padding: 4px 16px; }}
    QPushButton[role="search"]:hover {{ color: {t.muted}; }}
    QPushButton[role="search"][compact="yes"] {{ padding: 0; min-height: 0; text-align: center; }}
    QPushButton[role="chip"] {{ padding: 2px 12px; font-size: {TEXT_SMALL}px; }}
    QPushButton[role="chip"]:checked {{ background: {t.accent}; color: {t.accent_text}; }}
    QPushButton[role="chip"]:checked:focus {{ border: 1px solid {t.text}; }}
    QPushButton[role="row"] {{ background: transparent; text-align: left; padding: 6px 8px; }}
    QPushButton[role="row"]:hover {{ background: {t.field}; }}
    """


def _labels(t: Theme) -> str:
    return f"""
    QLabel {{ background: transparent; }}
    QLabel[role="large"] {{ font-size: {TEXT_LARGE}px; font-weight: 600; }}
    QLabel[role="heading"] {{ font-size: {TEXT_TITLE}px; font-weight: 600; }}
    QLabel[role="section"] {{ font-size: {TEXT_BODY}px; font-weight: 600; }}
    QLabel[role="category"] {{ font-size: {TEXT_TINY}px; font-weight: 600; color: {t.faint}; }}
    QLabel[role="muted"] {{ color: {t.muted}; font-size: {TEXT_SMALL}px; }}
    QLabel[role="faint"] {{ color: {t.faint}; font-size: {TEXT_SMALL}px; }}
    QLabel[role="number"] {{ font-family: "{MONO}"; font-size: {TEXT_SMALL}px; }}
    QLabel[role="error"] {{ color: {t.error}; }}
    QLabel[role="good"] {{ color: {t.good}; }}
    """


def _docks(t: Theme) -> str:
    return f"""
    QTabBar {{ background: {t.panel}; qproperty-drawBase: 0; }}
    QTabBar::tab {{ background: transparent; color: {t.muted}; padding: 9px 0 7px 0; margin: 0 12px; border: 0;
        border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {t.text}; font-weight: 600; border-bottom: 2px solid {t.accent}; }}
    QTabBar::tab:hover {{ color: {t.text}; }}
    QTabBar::tab:focus {{ color: {t.accent}; }}
    QTabBar QToolButton {{ background: {t.panel}; border: 0; }}
    QTabBar QToolButton::left-arrow {{
        image: {url("chevron-left", t.muted, _BOX)}; width: {_BOX}px; height: {_BOX}px; }}
    QTabBar QToolButton::right-arrow {{
        image: {url("chevron-right", t.muted, _BOX)}; width: {_BOX}px; height: {_BOX}px; }}
    QTabWidget::pane {{ border: 0; border-top: 1px solid {t.line}; }}
    QFrame[role="carried"] {{ background: {t.node}; border: 1px solid {t.accent}; }}
    """


def _lists(t: Theme) -> str:
    return f"""
    QTreeView, QListView, QTableView, QScrollArea, QTreeWidget, QListWidget {{
        background: {t.panel}; border: 0; outline: 0; color: {t.text}; }}
    QTreeView::item, QListView::item {{ padding: 4px; border-radius: 4px; }}
    QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {{
        background: {t.hover}; color: {t.text}; }}
    QTreeView {{ show-decoration-selected: 0; selection-background-color: transparent; }}
    QTreeView::item:selected {{ background: transparent; }}
    QTreeView::branch, QTreeView::branch:selected {{ background: transparent; image: none; }}
    QHeaderView {{ background: {t.panel}; }}
    QHeaderView::section {{ background: {t.panel}; color: {t.muted}; border: 0; border-bottom: 1px solid {t.line};
        padding: 4px 8px; font-size: {TEXT_SMALL}px; }}
    QHeaderView::up-arrow {{ image: {url("chevron-up", t.muted, _ARROW)}; width: {_ARROW}px; height: {_ARROW}px; }}
    QHeaderView::down-arrow {{
        image: {url("chevron-down", t.muted, _ARROW)}; width: {_ARROW}px; height: {_ARROW}px; }}
    QTableView {{ gridline-color: {t.line}; }}
    """


def _scroll_bars(t: Theme) -> str:
    return f"""
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
    QScrollBar::handle {{ background: {t.hover}; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }}
    QScrollBar::handle:hover {{ background: {t.faint}; }}
    QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
        background: transparent; border: 0; width: 0; height: 0; }}
    QAbstractScrollArea::corner {{ background: transparent; }}
    """


def _bars(t: Theme) -> str:
    return f"""
    QWidget#topBar {{ background: {t.panel}; border-bottom: 1px solid {t.line}; }}
    QStatusBar {{ background: {t.panel}; border-top: 1px solid {t.line}; color: {t.muted};
        font-size: {TEXT_SMALL}px; min-height: 24px; }}
    QStatusBar::item {{ border: 0; }}
    QStatusBar QLabel {{ font-size: {TEXT_SMALL}px; color: {t.muted}; }}
    QStatusBar QPushButton {{ font-size: {TEXT_SMALL}px; color: {t.muted}; background: transparent; padding: 0 8px;
        border-radius: 4px; min-height: 18px; }}
    QStatusBar QPushButton:hover {{ background: {t.field}; color: {t.text}; }}
    QStatusBar QPushButton:focus {{ border: 1px solid {t.accent}; }}
    QProgressBar {{ background: {t.field}; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }}
    QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}
    """


def _panels(t: Theme) -> str:
    return f"""
    QLineEdit[role="number"], QPlainTextEdit[role="code"] {{ font-family: "{MONO}"; font-size: {TEXT_SMALL}px; }}
    QLineEdit[tone="quiet"] {{ color: {t.faint}; }}
    QLineEdit[role="title"] {{ background: transparent; font-size: {TEXT_TITLE}px; font-weight: 600; padding: 2px 0;
        border: 0; border-bottom: 1px solid transparent; border-radius: 0; }}
    QLineEdit[role="title"]:hover {{ border-bottom: 1px solid {t.node_line}; }}
    QLineEdit[role="title"]:focus {{ border-bottom: 1px solid {t.accent}; }}
    QPlainTextEdit[role="code"] {{ background: {t.panel}; border: 0; border-radius: 0; padding: 0; }}
    QLineEdit[compact="yes"] {{ padding: 1px 8px; min-height: 18px; }}
    QToolButton[role="icon"] {{ padding: 0; }}
    QAbstractScrollArea[role="bare"] {{ background: transparent; border: 0; }}
    QFrame[role="issue"] {{ border: 1px solid transparent; border-radius: {RADIUS}px; }}
    QFrame[role="issue"]:hover {{ background: {t.field}; }}
    QFrame[role="issue"]:focus {{ border: 1px solid {t.accent}; }}
    QPushButton[role="segment"] {{ padding: 2px 12px; font-size: {TEXT_SMALL}px; color: {t.muted};
        background: transparent; border-radius: {RADIUS}px; min-height: 18px; }}
    QPushButton[role="segment"]:hover {{ color: {t.text}; }}
    QPushButton[role="segment"]:checked {{ background: {t.field}; color: {t.text}; font-weight: 600; }}
    QPushButton[role="segment"]:focus {{ border: 1px solid {t.accent}; }}
    QPushButton[role="segment"][compact="yes"] {{ padding: 0 4px; font-size: {TEXT_TINY}px; min-height: 14px; }}
    QPushButton[role="small"] {{ padding: 2px 12px; font-size: {TEXT_SMALL}px; min-height: 18px; }}
    QPushButton[role="link"][compact="yes"] {{ font-size: {TEXT_SMALL}px; min-height: 18px; padding: 0; }}
    QLabel[role="error"][compact="yes"] {{ font-size: {TEXT_SMALL}px; }}
    QLabel[role="warning"] {{ color: {t.warning}; font-size: {TEXT_SMALL}px; }}
    QLabel[role="code"] {{ font-family: "{MONO}"; font-size: {TEXT_SMALL}px; color: {t.muted}; }}
    """
