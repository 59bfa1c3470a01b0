"""Numbers in words: how two values compare, with the interval where there is one, and without more than is known."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from simulator.approaches.registry import SHIPPED
from simulator.results.ratios import Ratio

__all__ = [
    "BYTES",
    "TIME",
    "Compared",
    "Words",
    "compared",
    "compared_in_part",
    "in_a_row",
    "in_prose",
    "sentence",
    "share",
    "written",
]

_CLOSE = 0.02
"""Without an interval, values that differ by less are called about the same."""

_ALIKE = 1.5
"""An interval around 1 whose upper end is so many times its lower says that values are alike; a wider one, little."""


class Words(NamedTuple):
    """What is said of more, of less, and of as much."""

    more: str
    less: str
    same: str


BYTES = Words("more bytes", "fewer bytes", "as many bytes")
TIME = Words("more time", "less time", "as long")


class Compared(NamedTuple):
    """A comparison in three pieces, so that a sentence may say in between what it is compared with."""

    much: str
    """Such as `31 times fewer bytes`."""
    joint: str
    """`than` or `as`, before what it is compared with."""
    interval: str
    """In parentheses, after a space; nothing where there is none."""

    def against(self, other: str, of: str = "") -> str:
        """The comparison with something: `31 times fewer bytes out of the server than Unicast (29 to 33)`."""
        return f"{self.much}{of} {self.joint} {other}{self.interval}"

    def alone(self, of: str = "") -> str:
        """The comparison with what was named before."""
        return f"{self.much}{of}{self.interval}"


def compared(ratio: Ratio, words: Words) -> Compared:
    """Say how one value compares with another, of which it is `ratio` times as much.

    An interval that holds 1 says that the difference may be chance, and so do the words, unless it is so narrow that
    there can be no difference to speak of. Half as much and less is told
    as so many times less, twice as much and more as so many times as much, what lies between in percent.
    """
    if ratio.value == 1:
        return Compared(f"exactly {words.same}", "as", "")
    if ratio.low is None or ratio.high is None:
        if abs(ratio.value - 1) < _CLOSE:
            return Compared(f"about {words.same}", "as", "")
    elif ratio.low <= 1 <= ratio.high:
        ends = " to ".join(_ends(ratio.low, ratio.high) or ())
        if ratio.high <= _ALIKE * ratio.low:
            return Compared(f"about {words.same}", "as", f" ({ends} times)" if ends else "")
        return Compared(f"{written(ratio.value, 2)} times {words.same}", "as", f" ({ends}, so that may be chance)")
    if ratio.value >= 2:
        return Compared(f"{_times(ratio)} times {words.same}", "as", _interval(ratio.low, ratio.high))
    if ratio.value <= 1 / 2:
        other = ratio.inverse
        return Compared(f"{_times(other)} times {words.less}", "than", _interval(other.low, other.high))
    change = Ratio(ratio.value - 1, *(None if end is None else end - 1 for end in (ratio.low, ratio.high)))
    if ratio.value < 1:
        change = Ratio(-change.value, *(None if end is None else -end for end in (change.high, change.low)))
    word = words.more if ratio.value > 1 else words.less
    return Compared(f"{_percent(change.value)} {word}", "than", _interval(change.low, change.high, percent=True))


def compared_in_part(ratio: Ratio, words: Words, where: str) -> Compared:
    """Say how values compare at several places, only at some of which, told by `where`, that may be chance."""
    whole = compared(ratio, words)
    if ratio.low is None or ratio.high is None or ratio.high <= _ALIKE * ratio.low:
        return whole
    bare = compared(Ratio(ratio.value), words)
    turned = ratio.inverse if bare.much.endswith(f"times {words.less}") else ratio  # ends are put as the words are
    ends = " to ".join(_ends(turned.low or 0.0, turned.high or 0.0) or ())
    times = " times" if "%" in bare.much else ""
    return bare._replace(interval=f" ({ends}{times}, which may be chance {where})")


def _times(ratio: Ratio) -> str:
    return written(ratio.value, 3 if 10 <= ratio.value < 1000 and not _wide(ratio) else 2)


def _wide(ratio: Ratio) -> bool:
    """Whether a third digit would say more than is known."""
    return ratio.low is None or ratio.high is None or ratio.high - ratio.low > 0.02 * ratio.value


def _interval(low: float | None, high: float | None, *, percent: bool = False) -> str:
    if low is None or high is None:
        return ""
    ends = _ends(100 * low, 100 * high, even=0) if percent else _ends(low, high)
    sign = "%" if percent else ""
    return "" if ends is None else f" ({ends[0]}{sign} to {ends[1]}{sign})"


def _ends(low: float, high: float, even: int = 1) -> tuple[str, str] | None:
    """The ends of an interval in two digits, or as many as it takes to tell them apart; None beyond four.

    An end that is not `even`, at which there is no difference, does not read like it. Where ends are close and on
    both sides of a power of ten, the upper one is as fine as the lower: 0.96 to 1.04.
    """
    for digits in (2, 3, 4):
        close = 0 < high <= _ALIKE * low
        finer = digits + (close and _places(high) > _places(low))
        told = _beside(even, low, digits), _beside(even, high, finer)
        if told[0] != told[1]:
            return told
    return None


def _beside(even: int, value: float, digits: int) -> str:
    """A number in so many digits, or in up to two more where it would read as `even`."""
    told = [written(value, digits + more) for more in range(3)]
    return next((text for text in told if float(text.replace(",", "")) != even), told[0])


def _places(value: float) -> int:
    """Digits before the point; of what is below 1 none, or less by those that are 0 after it."""
    return math.floor(math.log10(value)) + 1


def _percent(value: float) -> str:
    return f"{written(100 * value, 2)}%"


def written(value: float, digits: int = 3) -> str:
    """A number in so many digits, or in all that stand before the point; zeros at the end stay: 2.0."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    # Rounded first: 9.96 in two digits is 10, which has none after the point.
    rounded = float(f"{value:.{digits - 1}e}")
    after = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{value:,.{after}f}"


def share(value: float) -> str:
    """A share in percent, so exact that what is not nothing does not become it."""
    percent = 100 * value
    return "0%" if percent == 0 else f"{written(percent, 2 if percent < 99.5 else 3)}%"


def in_a_row(parts: Sequence[str]) -> str:
    """Words one after the other: `a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def sentence(clauses: Sequence[str]) -> str:
    """Clauses as one sentence, with a full stop."""
    return f"{'; '.join(filter(None, clauses))}."


def in_prose(name: str) -> str:
    """An approach as a text calls it: Paint-Dense(0.5), CN-Relax; those of others as they are called."""
    family, *rest = re.split(r"(?=\()", name, maxsplit=1)
    if family not in SHIPPED:
        return name
    parts = [part.upper() if part == "cn" else part.capitalize() for part in family.split("-")]
    return "-".join(parts) + "".join(rest)
