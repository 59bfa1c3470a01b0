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

__all__ = ["ATTRIBUTES", "LIVE", "TABLES", "Cells", "cells_of", "fill_tables", "tables_for"]

PARTS = 5
LIVE = PARTS * (PARTS + 1) // 2
ATTRIBUTES = 4
"""Attributes of a table."""
TABLES = 2

Cells = npt.NDArray[np.uint16]
Tables = npt.NDArray[np.bool_]


def tables_for(attributes: int) -> int:
    """How many tables there are over some attributes."""
    return min(TABLES, -(-attributes // ATTRIBUTES))


@njit
def _part(code: int) -> int:
    return (code * PARTS) >> 16


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
def fill_tables(low: Points, high: Points, tables: Tables) -> None:
    """Write for each table, shape (tables, LIVE ** ATTRIBUTES), which cells meet the box of an event."""
    attributes = len(low) // 2
    met = np.empty((ATTRIBUTES, LIVE), np.bool_)
    for table in range(len(tables)):
        met[:] = False
        behind = min((table + 1) * ATTRIBUTES, attributes)
        for a in range(table * ATTRIBUTES, behind):
            for start in range(_part(np.int64(high[2 * a])) + 1):
                for end in range(max(start, _part(np.int64(low[2 * a + 1]))), PARTS):
                    met[a - table * ATTRIBUTES, _live(start, end)] = True
        # Table of the first attribute, widened by one attribute after the other.
        count = behind - table * ATTRIBUTES
        cells = tables[table]
        cells[0] = True
        size = 1
        for a in range(count):
            for cell in range(size - 1, -1, -1):
                holds = cells[cell]
                for own in range(LIVE):
                    cells[cell * LIVE + own] = holds and met[a, own]
            size *= LIVE
