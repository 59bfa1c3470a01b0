"""The order of rows on disk: along a Z-order curve over the columns, so that rows that lie together are together."""

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as sf

from pipeline.attributes import UNIT, Range

__all__ = ["CURVE_BITS", "curve", "curve_key"]

#: Most bits per axis of the curve: cells of side 2^-16.
CURVE_BITS = 16


def curve(*axes: Column, bits: int = CURVE_BITS) -> Column:
    """Z-order position in [0, 1]^D: the cells' bits in turn, those of the first axis lowest, up to 16 of each."""
    first, *others = (_spread_bits(axis, len(axes), bits) for axis in axes)
    for at, other in enumerate(others, 1):
        first = first.bitwiseOR(sf.shiftleft(other, at))
    return first


def _spread_bits(value: Column, axes: int, bits: int) -> Column:
    """Put the bits of the cell of a value in [0, 1] at every D-th place of a long."""
    cell = sf.least(sf.floor(value * sf.lit(2.0**bits)), sf.lit(2**bits - 1)).cast("long")
    for group in (8, 4, 2, 1):
        # The upper half of every run of bits moves up, until runs are single bits.
        mask = sum(1 << (bit // group * group * axes + bit % group) for bit in range(bits))
        cell = cell.bitwiseOR(sf.shiftleft(cell, group * (axes - 1))).bitwiseAND(sf.lit(mask).cast("long"))
    return cell


def curve_key(columns: Sequence[str], frames: Sequence[Range], count: int) -> tuple[Column, int]:
    """A long of (curve, id) for rows with `id` below `count`, and the bits of the id, which are the lowest.

    Parameters
    ----------
    frames
        Lowest and highest value of each column.
    """
    id_bits = count.bit_length()
    axes = [_framed(sf.col(name), frame) for name, frame in zip(columns, frames, strict=True)]
    position = curve(*axes, bits=min(CURVE_BITS, (63 - id_bits) // len(axes)))
    return sf.shiftleft(position, id_bits).bitwiseOR(sf.col("id")), id_bits


def _framed(value: Column, frame: Range) -> Column:
    """Bring a frame to [0, 1]; values of one only lie in one cell, wherever that is."""
    if frame == UNIT or frame[0] == frame[1]:
        return value
    # Halved first, lest the difference of two large values be infinite.
    low, half = sf.lit(frame[0] / 2), sf.lit(frame[1] / 2 - frame[0] / 2)
    return (value / 2 - low) / half
