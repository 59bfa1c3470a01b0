"""ARCHITECTURE.md tells the rooms as they are, and every room imports only what its row names."""

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "ARCHITECTURE.md"

house = import_module("docs.house")  # a script, not a package


def written() -> list[list[str]]:
    """Cells of the table's rows, without the backticks of the first."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "| `" in line]
    return [[first.strip("`"), *rest] for first, *rest in rows]


def allowed(room: str) -> list[str]:
    """Rooms and modules that a room may import by its row, itself among them."""
    cells = {name: imports for name, _, imports, *_ in written()}
    names = list(cells)
    within = "simulator." if room.startswith("simulator.") else ""
    if cells[room] == "all rooms above":
        return [*names[: names.index(room)], room]
    if " to " in cells[room]:
        first, last = (names.index(within + one) for one in re.findall(r"`(\w+)`", cells[room]))
        found = names[first : last + 1]
    else:
        found = []
        for one, modules in re.findall(r"`(\w+)`(?: \(([^)]*)\))?", cells[room]):
            found += [f"{one}.{module}" for module in re.findall(r"\w+", modules)] or [within + one]
    below = names[: names.index("simulator")] if within else []  # its steps import what all of it may
    return [*below, *found, room]


@cache
def imports(room: str) -> set[str]:
    """What a room imports of rooms, benchmarks and tests, with the file that does."""
    rooms = {*house.ROOMS, "benchmarks", "tests"}
    package = ROOT.joinpath(*room.split("."))
    found = set()
    for path in package.glob("*.py") if room == "simulator" else package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                names = [f"{node.module}.{name}" for name in names]
            found |= {f"{name} in {path.relative_to(ROOT)}" for name in names if name.partition(".")[0] in rooms}
    return found


def test_the_table_of_packages_is_the_house_as_it_is() -> None:
    """Names, purposes and imports exactly; modules and lines, which grow with every change, within a quarter."""
    counted = [[cell.strip() for cell in line.split("|")[1:-1]] for line in house.table().splitlines()[2:]]
    assert [[f"`{name}`", *rest[:2]] for name, *rest in written()] == [row[:3] for row in counted]
    for row, now in zip(written(), counted, strict=True):
        for told, count in zip(row[3:], now[3:], strict=True):
            told_count, real = int(told.replace(",", "")), int(count.replace(",", ""))
            assert abs(told_count - real) <= max(2, 0.25 * real), (row, "run `python docs/house.py`")


def test_rooms_import_what_their_rows_name() -> None:
    names = [name for name, *_ in written()]
    assert len(names) == 19
    for room in names:
        may = tuple(f"{one}." for one in allowed(room))
        assert [one for one in sorted(imports(room)) if not one.replace(" ", ". ", 1).startswith(may)] == []


def test_no_row_names_what_its_room_does_not_import() -> None:
    for room, _, told, *_ in written():
        if "`" in told and not room.startswith("simulator."):
            for one in set(allowed(room)) - {room}:
                assert any(f"{found}.".startswith(f"{one}.") for found in imports(room)), (room, one)
