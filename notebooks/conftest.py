"""Which notebooks only `make test-all` runs: those of a sweep each, whose parts other tests see in small."""

import pytest

SLOW = ("03_traffic_analysis.ipynb", "04_paper_reproduction.ipynb")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in SLOW:
            item.add_marker(pytest.mark.slow)
