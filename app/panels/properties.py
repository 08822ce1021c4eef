"""The properties panel: what is selected, as a form."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from app.panels.base import Panel
from app.panels.pages.comment import CommentPage
from app.panels.pages.document import DocumentPage
from app.panels.pages.many import ManyPage
from app.panels.pages.node import NodePage
from app.panels.pages.page import Page
from app.panels.pages.wire import WirePage
from app.workspace import Workspace


class Properties(Panel):
    """The one selected node, frame, note or wire, what several things have in common, or the document."""

    name = "properties"
    title = "Properties"
    side = "right"
    rank = 0

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.node_page = NodePage(workspace)
        self.document_page = DocumentPage(workspace)
        self.many_page = ManyPage(workspace)
        self.comment_page = CommentPage(workspace)
        self.wire_page = WirePage(workspace)
        self._all = (self.document_page, self.node_page, self.many_page, self.comment_page, self.wire_page)
        self.setMinimumWidth(240)
        self._pages = QStackedLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(self._pages)  # before its pages: one that is added to a stack without a parent is a window
        for page in self._all:
            area = QScrollArea()
            area.setWidgetResizable(True)
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            area.setWidget(page)
            bar = area.verticalScrollBar()
            bar.rangeChanged.connect(lambda _low, high, page=page, bar=bar: page.keep_free(bar.width() if high else 0))
            self._pages.addWidget(area)

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return self._all[self._pages.currentIndex()]

    def refresh(self) -> None:
        session = self.session
        nodes, written = len(session.selection), len(session.comments)
        if nodes + written > 1:
            page: Page = self.many_page
        elif nodes:
            page = self.node_page
        elif written:
            page = self.comment_page
        else:
            page = self.wire_page if session.wire is not None else self.document_page
        self._pages.setCurrentIndex(self._all.index(page))
        page.refresh()
