"""The table of packages in ARCHITECTURE.md: `python docs/house.py` writes it anew.

What a package may import is taken from the contracts of import-linter, modules and lines are counted.
"""

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "ARCHITECTURE.md"
HEAD = "| package | holds | may import | modules | lines |\n|---|---|---|---|---|\n"
ROOMS = ("floor", "matching", "topologies", "paint", "cn", "pipeline", "scenarios", "simulator", "rangecast")
ONLY = {("cn", "paint"): "`messages`, `shapes`, `sides`", ("pipeline", "paint"): "`messages`, `shapes`, `sides`"}
"""Modules of a room that another may import, where it may not import all of them."""
MANY = 4
"""So many rooms are not told one by one."""


def contracts() -> list[dict[str, Any]]:
    """The contracts of import-linter."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["tool"]["importlinter"]["contracts"])


def layers(name: str) -> list[list[str]]:
    """Layers of the contract with a name, from the top; those that stand side by side are in one."""
    found = next(contract for contract in contracts() if contract["name"] == name)
    return [[one.strip() for one in layer.split("|")] for layer in found["layers"]]


def allowed(room: str) -> list[str]:
    """Rooms that a room may import, from the top: those in layers below its own that no contract forbids it."""
    steps = layers("The arrows of the design")
    at = next(place for place, step in enumerate(steps) if room in step)
    forbidding = [one for one in contracts() if room in one.get("source_modules", ())]
    barred = {module for one in forbidding for module in one["forbidden_modules"]}
    return [one for step in steps[at + 1 :] for one in step if one not in barred]


def may_import(room: str) -> str:
    """What a room may import, in words."""
    found = allowed(room)
    if len(found) > MANY and set(found) == set(ROOMS[: ROOMS.index(room)]):
        return "all rooms above"
    return ", ".join(f"`{one}`" + (f" ({ONLY[room, one]})" if (room, one) in ONLY else "") for one in found)


def doc(package: Path) -> str:
    """The first line of a package's docstring, without its full stop."""
    text = (package / "__init__.py").read_text(encoding="utf-8")
    return text.split('"""')[1].strip().splitlines()[0].rstrip(".")


def row(package: Path, name: str, imports: str, *, own: bool = False) -> str:
    """A row of the table; with `own`, of the modules in the package itself only."""
    files = sorted(package.glob("*.py") if own else package.rglob("*.py"))
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    modules = sum(file.name != "__init__.py" for file in files)
    return f"| `{name}` | {doc(package)} | {imports} | {modules} | {lines:,} |\n"


def table() -> str:
    """The table, from the floor to the door."""
    steps = [step for layer in layers("The way of the data inside the simulator") for step in layer]
    lines = [HEAD]
    for room in ROOMS:
        lines.append(row(ROOT / room, room, may_import(room), own=room == "simulator"))
        if room == "simulator":
            for place, step in reversed(list(enumerate(steps))):
                earlier = [f"`{one}`" for one in steps[place + 1 :][::-1]]
                imports = " to ".join(dict.fromkeys([*earlier[:1], *earlier[-1:]]))
                lines.append(row(ROOT / room / step, f"simulator.{step}", imports))
    return "".join(lines)


def main() -> None:
    """Put the table into the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(HEAD, 1)
    _, _, after = ("\n" + rest).partition("\n\n")
    PAGE.write_text(f"{before}{table()}\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
