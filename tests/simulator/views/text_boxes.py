"""Boxes of the text that a matplotlib figure shows."""

import itertools
from collections.abc import Iterator
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox


def words_of(figure: Figure) -> Iterator[Text]:
    """All text that is seen; ticks beyond the ends of an axis are not."""
    if figure._suptitle is not None:  # type: ignore[attr-defined]
        yield figure._suptitle  # type: ignore[attr-defined]
    for legend in figure.legends:
        yield from legend.get_texts()
    for axes in figure.axes:
        yield from (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts)
        if (own := axes.get_legend()) is not None:
            yield from own.get_texts()
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in axis.get_major_ticks():
                if low <= tick.get_loc() <= high:
                    yield tick.label1


def boxes_of(figure: Figure, dpi: int) -> list[tuple[str, Bbox]]:
    figure.set_dpi(dpi)
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    figure.draw_without_rendering()
    return [(word.get_text(), word.get_window_extent(renderer)) for word in words_of(figure) if word.get_text()]


def meet(one: Bbox, other: Bbox) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return bool(across > 0.5 and min(one.y1, other.y1) - max(one.y0, other.y0) > 0.5)


def misplaced(figure: Figure, dpi: int) -> list[tuple[str, ...]]:
    """Words that run out of the picture, and pairs of words that cover each other."""
    boxes = boxes_of(figure, dpi)
    width, height = figure.get_size_inches() * dpi
    outside = [(text,) for text, box in boxes if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height]
    return outside + [(one, other) for (one, a), (other, b) in itertools.combinations(boxes, 2) if meet(a, b)]
