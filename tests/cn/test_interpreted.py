"""Kernels interpreted, as where Numba is switched off; one process runs all, since it takes seconds to start."""

from tests.uncompiled import run_uncompiled

MODULES = ("test_can", "test_prefix", "test_side_gateways", "test_sides", "test_subscribers", "test_tree")


def test_kernels_work_interpreted() -> None:
    run_uncompiled("\n".join(f"from tests.cn.{name} import run_interpreted as run; run()" for name in MODULES))
