"""Text that others have written, shown so that it cannot do anything: move a cursor, end a line, break a drawing."""

import re

__all__ = ["first_line", "visible"]

_UNSEEN = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
"""Control characters, ends of lines and paragraphs, changes of direction, and what no encoding has."""
_IN_A_LINE, _IN_A_PAGE = re.compile(f"[{_UNSEEN}\t\n\r]"), re.compile(f"[{_UNSEEN}]")


def visible(text: str, *, page: bool = False) -> str:
    r"""Put an escape such as \x1b in place of every character that is not seen; in a page, lines and tabs stay."""
    return (_IN_A_PAGE if page else _IN_A_LINE).sub(_escape, text)


def first_line(error: BaseException) -> str:
    """What an error says, without the story that libraries tell below; its kind, if it says nothing."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
