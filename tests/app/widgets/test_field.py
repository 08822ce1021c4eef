from __future__ import annotations

from app.widgets.field import Field


def test_a_remark_is_shown_while_most_of_it_can_be_read(qtbot):
    field = Field("768")
    qtbot.addWidget(field)
    field.show()

    def shows(width: int) -> bool:
        field.resize(width, 28)
        field.set_remarks()
        bare = field.grab().toImage()
        field.set_remarks("features per token")
        return field.grab().toImage() != bare

    assert shows(200)
    assert shows(130)
    assert not shows(90)
