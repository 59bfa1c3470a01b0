"""The house is kept: modules and functions of a size to be read, and packages that say what they offer.

What breaks a rule and waits to be mended is named here; a name that is no longer needed is a failure too.
"""

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = (
    "benchmarks",
    "cn",
    "docs",
    "floor",
    "matching",
    "notebooks",
    "paint",
    "pipeline",
    "rangecast",
    "scenarios",
    "simulator",
    "tests",
    "topologies",
)
MODULES = [ROOT / "conftest.py", *(path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))]
MOST_LINES, MOST_LINES_OF_A_FUNCTION, MOST_PARAMETERS = 400, 60, 8

LONG_MODULES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
MANY_PARAMETERS = {"paint/server.py: Server.__init__"}
"""Keywords that are public: what a server is, told at once."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def decorators(function: Function) -> set[str]:
    """Last parts of the names: `command` for `@app.command()`."""
    return {re.split(r"\W", ast.unparse(one).partition("(")[0])[-1] for one in function.decorator_list}


@cache
def functions() -> list[tuple[str, Function]]:
    """Every function that is no kernel, with file and name; those within others too."""
    return [
        (f"{path.relative_to(ROOT)}: {name}", node)
        for path in MODULES
        for name, node in within(ast.parse(path.read_text(encoding="utf-8")))
        if not {"njit", "njit_inner", "njit_within"} & decorators(node)
    ]


def within(node: ast.AST, owner: str = "") -> Iterator[tuple[str, Function]]:
    """Functions in a statement or module, by name and owners; expressions, which are most of its nodes, hold none."""
    for inner in ast.iter_child_nodes(node):
        name = f"{owner}{inner.name}" if isinstance(inner, Function | ast.ClassDef) else ""
        if isinstance(inner, Function):
            yield name, inner
        if not isinstance(inner, ast.expr):
            yield from within(inner, f"{name}." if name else owner)


def parameters(function: Function) -> list[str]:
    every = function.args
    named = [*every.posonlyargs, *every.args, *every.kwonlyargs, *filter(None, (every.vararg, every.kwarg))]
    return [one.arg for one in named if one.arg not in ("self", "cls")]


def test_every_module_is_there() -> None:
    assert len(MODULES) > 250
    assert Path(__file__) in MODULES
    assert len(functions()) > 2000


def test_modules_are_short() -> None:
    long = {path for path in MODULES if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES}
    assert {str(path.relative_to(ROOT)) for path in long} == LONG_MODULES


def test_functions_are_short() -> None:
    lengths = [(name, (node.end_lineno or 0) - node.lineno + 1) for name, node in functions()]
    assert {name for name, lines in lengths if lines > MOST_LINES_OF_A_FUNCTION} == LONG_FUNCTIONS


def test_functions_have_few_parameters() -> None:
    """But for commands, whose parameters are the options of the command line."""
    found = [(name, len(parameters(node))) for name, node in functions() if "command" not in decorators(node)]
    assert {name for name, count in found if count > MOST_PARAMETERS} == MANY_PARAMETERS


def packages() -> Iterator[str]:
    """Packages that say what they offer."""
    for path in MODULES:
        if path.name == "__init__.py" and "__all__" in path.read_text(encoding="utf-8"):
            yield ".".join(path.parent.relative_to(ROOT).parts)


def rank(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by the alphabet, as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


@pytest.mark.parametrize("name", list(packages()))
def test_a_package_offers_what_it_says(name: str) -> None:
    package = importlib.import_module(name)
    offered: list[str] = package.__all__
    assert offered == sorted(set(offered), key=rank)
    found = {key: getattr(package, key) for key in {*dir(package), *offered}}
    public = {key for key, value in found.items() if key[0] != "_" and not isinstance(value, ModuleType)}
    assert public == {key for key in offered if key[0] != "_"}


COME_WITH = {"py4j": "pyspark", "pydantic_core": "pydantic"}
"""Parts of packages that are declared, which say the version of them that they need."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def named(distribution: str) -> str:
    """Its name without versions, as the package index spells it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", distribution)[0]).lower()


def imported(path: Path) -> set[str]:
    """First parts of the names of all modules that a file imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in names}


def test_what_is_shipped_imports_only_what_is_installed_with_it() -> None:
    """The test of the wheel borrows the packages of this environment, and would not see that one is not declared."""
    shipped = [pattern.removesuffix("*") for pattern in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]]
    modules = {name for room in shipped for path in (ROOT / room).rglob("*.py") for name in imported(path)}
    foreign = modules - set(sys.stdlib_module_names) - set(shipped)
    holders_of = packages_distributions()
    found = {name: {named(one) for one in holders_of.get(name, [])} for name in foreign}
    declared = {named(one) for one in PROJECT["project"]["dependencies"]}
    assert {"numpy", "pyspark", "PIL"} <= foreign
    assert {name for name, holders in found.items() if not holders & declared} == set(COME_WITH)
    for name, another in COME_WITH.items():
        assert another in declared
        assert found[name] & {named(one) for one in requires(another) or [] if ";" not in one}
