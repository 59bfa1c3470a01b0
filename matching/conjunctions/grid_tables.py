"""Grid tables: which cells of the transformed space an event's box meets, looked up before a point is tested.

Seed 004, Section 4.2 and Fig. 5. Each dimension is cut into five equal parts; of the 25 cells of an attribute the 15
on and above the diagonal are live, since no interval starts behind its end. Four attributes make one table of 15^4
cells, whose number is kept with each point; there are two tables, for the eight attributes that most subscriptions
ask for.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.codes import Points
from matching.range_index import Ids

__all__ = ["CELLS", "Cells", "cells_of", "fill_tables", "tables_for"]

PARTS = 5
LIVE = PARTS * (PARTS + 1) // 2
ATTRIBUTES = 4
"""Attributes of a table."""
TABLES = 2
CELLS = LIVE**ATTRIBUTES
"""Cells of a table."""

Cells = npt.NDArray[np.uint16]
Tables = npt.NDArray[np.bool_]


def tables_for(attributes: int) -> int:
    """How many tables there are over some attributes."""
    return min(TABLES, -(-attributes // ATTRIBUTES))


@njit
def _part(code: np.int64) -> int:
    return int((code * PARTS) >> 16)


@njit
def _live(start: int, end: int) -> int:
    """Number of a live cell of an attribute."""
    return start * PARTS - start * (start - 1) // 2 + end - start


@njit
def cells_of(points: Points, tables: int) -> Cells:
    """Number of the cell of each point in each table, shape (n, tables)."""
    cells = np.zeros((len(points), tables), np.uint16)
    attributes = points.shape[1] // 2
    for i in range(len(points)):
        for table in range(tables):
            cell = 0
            for a in range(table * ATTRIBUTES, min((table + 1) * ATTRIBUTES, attributes)):
                cell = cell * LIVE + _live(_part(np.int64(points[i, 2 * a])), _part(np.int64(points[i, 2 * a + 1])))
            cells[i, table] = cell
    return cells


@njit
def fill_tables(low: Points, high: Points, tables: Tables, met: Ids) -> None:
    """Write for each table, shape (tables, CELLS), which cells meet the box of an event; met: room, (2, CELLS)."""
    attributes = len(low) // 2
    for table in range(len(tables)):
        # Cells met in the first attributes, and those with one attribute more.
        fewer, more = met[0], met[1]
        fewer[0] = 0
        count = 1
        for a in range(table * ATTRIBUTES, min((table + 1) * ATTRIBUTES, attributes)):
            widened = 0
            last_start, first_end = _part(np.int64(high[2 * a])), _part(np.int64(low[2 * a + 1]))
            for place in range(count):
                for start in range(last_start + 1):
                    for end in range(max(start, first_end), PARTS):
                        more[widened] = fewer[place] * LIVE + _live(start, end)
                        widened += 1
            fewer, more = more, fewer
            count = widened
        tables[table, :] = False
        for place in range(count):
            tables[table, fewer[place]] = True
