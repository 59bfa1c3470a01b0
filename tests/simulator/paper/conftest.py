"""What tests of the paper's tables and figures share."""

from pathlib import Path

import pytest

from tests.simulator.paper.tiny import TINY_GRID, TINY_VIEW


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Directory of a description of one figure."""
    for scale in ("small", "paper"):
        (tmp_path / "grids" / scale).mkdir(parents=True)
        (tmp_path / "grids" / scale / "tiny.toml").write_text(TINY_GRID, encoding="utf-8")
    (tmp_path / "fig11.toml").write_text(TINY_VIEW, encoding="utf-8")
    return tmp_path
