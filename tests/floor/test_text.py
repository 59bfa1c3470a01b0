"""What is not seen is made visible."""

import pytest

from floor.text import visible


@pytest.mark.parametrize(
    ("text", "line", "page"),
    [
        ("Bücher, 株, [red]", "Bücher, 株, [red]", "Bücher, 株, [red]"),
        ("\x1b[31mred\x07\x00", r"\x1b[31mred\x07\x00", r"\x1b[31mred\x07\x00"),
        ("two\nlines\tand\rmore", r"two\nlines\tand\rmore", "two\nlines\tand\rmore"),
        ("exe\u202etxt\u2028\x9b2J", r"exe\u202etxt\u2028\x9b2J", r"exe\u202etxt\u2028\x9b2J"),
        ("lone \udc80", r"lone \udc80", r"lone \udc80"),
    ],
)
def test_control_characters_become_escapes(text: str, line: str, page: str) -> None:
    assert visible(text) == line
    assert visible(text, page=True) == page
    visible(text, page=True).encode()
