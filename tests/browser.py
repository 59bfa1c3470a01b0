"""A headless Chromium for tests of pages, driven over its debugging pipe: standard library only, no port opened."""

import base64
import json
import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.chromium import MISSING, find_chromium

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Tab": 9, "Enter": 13, " ": 32}


class Browser:
    """One tab; `errors` are what its console complained of, `fetched` every address that it asked for."""

    def __init__(self, profile: Path) -> None:
        self.errors: list[str] = []
        self.fetched: list[str] = []
        self._last, self._session, self._buffer, self._loaded = 0, "", b"", False
        chromium = find_chromium()
        assert chromium is not None, MISSING
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        # Chromium reads descriptor 3 and writes 4.
        line = f'exec "$0" "$@" 3<&{read} 4>&{write}'
        command = ["bash", "-c", line, chromium, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(read, write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(read)
        os.close(write)

    def __enter__(self) -> Self:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = ""
        self.call("Browser.close")
        self._process.wait(timeout=30)
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._last += 1
        command: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            got = os.read(self._read, 1 << 20)
            assert got, "Chromium ended"
            self._buffer += got
        text, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(text)
        self._note(answer.get("method", ""), answer.get("params", {}))
        return answer

    def _note(self, method: str, told: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(told["exceptionDetails"]))
        if method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.errors.append(told["entry"]["text"])
        if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.errors.append(str(told["args"]))
        if method == "Page.javascriptDialogOpening":
            self.errors.append(f"dialog: {told['message']}")
        if method == "Network.requestWillBeSent":
            self.fetched.append(told["request"]["url"])
        self._loaded |= method == "Page.loadEventFired"

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self._loaded = False
        self.call("Page.navigate", url=path.absolute().as_uri())
        while not self._loaded:
            self._next()

    def look(self, width: int, height: int, *, dark: bool = False) -> None:
        """Choose the size of the window, a phone's if it is narrow, and light or dark."""
        mobile = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page; of a promise, what it comes to."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Write what is seen, or the whole page, to a PNG."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))
