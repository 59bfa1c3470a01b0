"""A message walked down the splits by hand: slow and obvious; shares no code with `cn`.

A tree of splits is a broker's number, or a pair of trees.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Tree: TypeAlias = "int | tuple[Tree, Tree]"
Distance: TypeAlias = Callable[[int, int], float]
Hop: TypeAlias = tuple[int, int]


def tree_of(children: npt.NDArray[np.int64], node: int) -> Tree:
    """The tree below a row of splits; below 0 stands -1 - broker."""
    if node < 0:
        return -1 - node
    first, second = (tree_of(children, int(child)) for child in children[node])
    return first, second


def brokers_of(tree: Tree) -> list[int]:
    """All brokers of a tree."""
    return [tree] if isinstance(tree, int) else brokers_of(tree[0]) + brokers_of(tree[1])


def parts_of(tree: Tree, levels: int) -> list[Tree]:
    """The trees so many levels below, and leaves that stand higher."""
    if isinstance(tree, int) or levels == 0:
        return [tree]
    return parts_of(tree[0], levels - 1) + parts_of(tree[1], levels - 1)


def contact(broker: int, part: Tree, distance: Distance) -> int:
    """Whom of a part a broker knows."""
    return min(brokers_of(part), key=lambda other: (distance(broker, other), other))


def contacts(tree: Tree, broker: int, levels: int, distance: Distance) -> list[int]:
    """All that a broker knows, from the first splits to the last."""
    if isinstance(tree, int):
        return []
    known: list[int] = []
    own: Tree = tree
    for part in parts_of(tree, levels):
        if broker in brokers_of(part):
            own = part
        else:
            known.append(contact(broker, part, distance))
    return known + contacts(own, broker, levels, distance)


def hops(tree: Tree, broker: int, levels: int, distance: Distance, concerned: set[int]) -> list[Hop]:
    """Hops of a message to the brokers concerned, from one that has to see to a tree it belongs to."""
    if isinstance(tree, int):
        return []
    taken: list[Hop] = []
    for part in parts_of(tree, levels):
        here = set(brokers_of(part))
        if broker in here:
            if here & concerned:
                taken += hops(part, broker, levels, distance, concerned)
        elif here & concerned:
            other = contact(broker, part, distance)
            taken += [(broker, other), *hops(part, other, levels, distance, concerned)]
    return taken


def way(tree: Tree, source: int, target: int, levels: int, distance: Distance) -> list[int]:
    """Brokers from one to another."""
    if source == target:
        return [source]
    part = next(part for part in parts_of(tree, levels) if target in brokers_of(part))
    if source in brokers_of(part):
        return way(part, source, target, levels, distance)
    return [source, *way(part, contact(source, part, distance), target, levels, distance)]


def depth(tree: Tree, broker: int) -> int:
    """Splits above a broker."""
    if isinstance(tree, int):
        return 0
    return 1 + depth(next(half for half in tree if broker in brokers_of(half)), broker)
