"""What is made once for quick starts, before PySpark is installed and after.

`floor/install.py` runs this module as a script, with the name of a step. PySpark takes longer to install than all
else, and no kernel needs it, but modules beside them import it: while `kernels` are compiled, these get names in its
place that refuse to be used. Worker processes load this module first, and so get the same. `classes`, the archive
that lets Spark start sooner, needs PySpark.
"""

import sys
from types import ModuleType

from scenarios import DIRECTORY

__all__ = ["main"]

_SPARK = (
    "py4j", "py4j.protocol", "pyspark", "pyspark.errors", "pyspark.java_gateway", "pyspark.sql",
    "pyspark.sql.functions", "pyspark.sql.types",
)  # fmt: skip
_INTERRUPTED = 130


class _NotYetError(Exception):
    """A class of PySpark's as long as that is not installed."""

    def __init__(self, *_: object, **__: object) -> None:
        raise ImportError("PySpark is still being installed; nothing that compiles kernels may use it")


class _NotYetInstalled(ModuleType):
    """A module of PySpark's as long as that is not installed: it has every name that is asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []  # packages have one

    def __getattr__(self, name: str) -> type[_NotYetError]:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_NotYetError,), {})


if __name__ in ("__main__", "__mp_main__") and sys.argv[1:] == ["kernels"]:
    sys.modules.update({name: _NotYetInstalled(name) for name in _SPARK})


def _compile_kernels() -> None:
    from simulator.runs.warm_up import warm_up
    from simulator.scenario.loading import load_scenario
    from simulator.views.progress import sweep_progress

    warm_up(load_scenario(DIRECTORY / "demo.toml"), sweep_progress())


def _archive_classes() -> None:
    import pipeline

    with pipeline.archiving_classes() as finish:
        finish()


def main(arguments: list[str]) -> int:
    """Take one step, `kernels` of the demo or `classes` of Spark; the exit code."""
    steps = {"kernels": _compile_kernels, "classes": _archive_classes}
    if len(arguments) != 1 or arguments[0] not in steps:
        print(f"usage: first_start.py {'|'.join(steps)}", file=sys.stderr)
        return 2
    try:
        steps[arguments[0]]()
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
