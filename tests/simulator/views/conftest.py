"""One browser for all tests of pages: to start it takes longer than to look at a page."""

from collections.abc import Iterator

import pytest

from tests.browser import Browser


@pytest.fixture(scope="session")
def _chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def browser(_chromium: Browser) -> Browser:
    """Its tab, in a light window of the usual size, with nothing told or fetched yet."""
    _chromium.look(1280, 900)
    _chromium.errors.clear()
    _chromium.fetched.clear()
    return _chromium
