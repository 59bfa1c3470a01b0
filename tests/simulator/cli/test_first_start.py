"""Quick starts made during the installation: kernels before there is a PySpark, Spark's classes after."""

import subprocess
import sys

import pytest

from simulator.cli import first_start

WITHOUT_SPARK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
sys.argv[1:] = ["kernels"]
with open("simulator/cli/first_start.py") as script:
    exec(compile(script.read(), "first_start.py", "exec"), {"__name__": "__mp_main__"})
import simulator.runs.warm_up, simulator.scenario.loading, simulator.views.progress
"""


def test_workers_that_compile_kernels_start_without_pyspark() -> None:
    # As a process of their own: this one has PySpark.
    told = subprocess.run([sys.executable, "-c", WITHOUT_SPARK], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.parametrize("step", ["kernels", "classes"])
def test_a_step_is_taken_alone(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setattr(first_start, "_compile_kernels", lambda: taken.append("kernels"))
    monkeypatch.setattr(first_start, "_archive_classes", lambda: taken.append("classes"))
    assert first_start.main([step]) == 0
    assert taken == [step]


def test_an_interrupt_is_told_by_the_exit_code_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(first_start, "_compile_kernels", interrupted)
    assert first_start.main(["kernels"]) == 130


@pytest.mark.parametrize("given", [[], ["all"], ["kernels", "classes"]])
def test_other_steps_are_refused(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert first_start.main(given) == 2
    assert "kernels|classes" in capsys.readouterr().err
