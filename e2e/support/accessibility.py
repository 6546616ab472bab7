"""Wait until a screen has settled, record its errors, and run axe-core on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Sized
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import axe_playwright_python
from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response, ViewportSize

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# The rules that depend on the color scheme.
COLOR_RULES = ("color-contrast", "link-in-text-block")
# Off by default in axe, and required by WCAG 2.2.
TARGET_SIZE: dict[str, Any] = {"target-size": {"enabled": True}}
ALL_RULES = {"rules": TARGET_SIZE}
ONLY_COLORS = {"runOnly": list(COLOR_RULES)}
ALL_BUT_COLORS = {"rules": {**TARGET_SIZE, **{rule: {"enabled": False} for rule in COLOR_RULES}}}
# Skips frames: they are the provider's and do not answer axe. Text whose background axe cannot determine is reported as
# well, except in SVG card logos and where the text is partly covered.
RUN_AXE = """async (options) => {
  const { violations, incomplete } = await axe.run(document, {
    iframes: false,
    resultTypes: ['violations', 'incomplete'],
    ...options,
  });
  const unsure = incomplete
    .filter(({ id }) => id === 'color-contrast')
    .flatMap(({ nodes }) => nodes)
    .filter(({ html, any }) => !html.startsWith('<text') && !any[0].data.messageKey.startsWith('elmPartially'));
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`)),
    ...unsure.map(({ target, any }) => `contrast unknown, ${any[0].data.messageKey}: ${target}`),
  ];
}"""
IS_SETTLED = """() => document.readyState === 'complete'
  && document.querySelector('#root h1')?.checkVisibility()
  && !document.querySelector('[aria-label="Loading"], [class*="skeleton"], [aria-busy="true"]')"""
GO_TO = "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => done()))"
WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 320, "height": 720}
POLL_MS = 50
WAIT_SECONDS = 60
T = TypeVar("T")
Look = tuple[Literal["light", "dark"], ViewportSize]
Rules = dict[str, Any]
# The next screen opens in the last look.
LIGHT_RULES: tuple[tuple[Look, Rules], ...] = ((("light", NARROW), ALL_BUT_COLORS), (("light", WIDE), ALL_RULES))
RULES: tuple[tuple[Look, Rules], ...] = ((("dark", WIDE), ONLY_COLORS), *LIGHT_RULES)


def read_until(page: Page, read: Callable[[], T], is_right: Callable[[T], bool]) -> T:
    """Call `read` until `is_right` accepts its value, for twenty seconds at most; return the last value."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_right(value := read()) and time.monotonic() < deadline:
        page.wait_for_timeout(POLL_MS)
    return value


def is_empty(found: Sized) -> bool:
    """Return whether a collection is empty."""
    return not found


def axe_violations(page: Page, options: dict[str, Any] = ALL_RULES) -> list[str]:
    """Return axe's violations on a page as readable lines."""
    return read_until(page, lambda: _run_axe(page, options), is_empty)


def _run_axe(page: Page, options: dict[str, Any]) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN_AXE, options)
    return found


def set_look(page: Page, look: Look) -> None:
    """Set the color scheme and the window size of a page."""
    scheme, size = look
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size(size)
    page.evaluate(NEXT_FRAME)


def axe_violations_in_all_looks(page: Page, looks: Sequence[tuple[Look, Rules]] = RULES) -> list[str]:
    """Return axe's violations in a wide and a narrow window, light and dark, running each rule only where it matters.

    Colors do not depend on the width, nor the layout on the color scheme. With `LIGHT_RULES` only the light colors are
    checked: accounts/tests/test_color_contrast.py compares each text color with each background, in both color schemes
    and in every brand.
    """
    return [
        f"{look[0]} {look[1]['width']} {violation}"
        for look, rules in looks
        for violation in _run_rules(page, look, rules)
    ]


def _run_rules(page: Page, look: Look, rules: Rules) -> list[str]:
    set_look(page, look)
    return axe_violations(page, rules)


def open_settled(page: Page, path: str) -> Page:
    """Open a screen and wait until it has settled."""
    page.goto(path)
    page.wait_for_function(IS_SETTLED)
    return page


class PageWatch:
    """Records the errors and failed requests of a page since it requested its document."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._pending: set[Request] = set()
        self.complaints: list[str] = []
        page.on("request", self._note_request)
        page.on("requestfinished", self._note_finished)
        page.on("requestfailed", self._note_failure)
        page.on("response", self._note_response)
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)

    def open_screen(self, path: str, *, leads_to: str) -> list[str]:
        """Open a path, wait until the screen that it leads to has settled, and return what went wrong."""
        open_settled(self._page, path)
        self._page.wait_for_url(lambda url: urlsplit(url).path == leads_to)
        self._page.wait_for_function(IS_SETTLED)
        return self._take_complaints()

    def enter_screen(self, path: str, *, leads_to: str) -> list[str]:
        """Go to a path within the loaded document, as a link does; otherwise as `open_screen`."""
        self._page.evaluate(GO_TO, path)
        self._page.wait_for_url(lambda url: urlsplit(url).path == leads_to)
        self._page.wait_for_function(IS_SETTLED)
        return self._take_complaints()

    def reload_screen(self) -> list[str]:
        """Reload the screen, wait until it has settled, and return what went wrong."""
        self._page.reload()
        self._page.wait_for_function(IS_SETTLED)
        return self._take_complaints()

    def _take_complaints(self) -> list[str]:
        while self._pending:
            self._page.evaluate(NEXT_FRAME)
        complaints, self.complaints = self.complaints, []
        return complaints

    def _note_request(self, request: Request) -> None:
        # The browser requests the icon by itself, and aborts that when it leaves the document.
        if request.frame != self._page.main_frame or request.resource_type == "other":
            return
        # Requests of the previous document no longer matter.
        if request.is_navigation_request():
            self._pending.clear()
        self._pending.add(request)

    def _note_finished(self, request: Request) -> None:
        self._pending.discard(request)

    def _note_failure(self, request: Request) -> None:
        if request in self._pending:
            self._pending.discard(request)
            # A document that is being left may still ask for a picture; the browser aborts that.
            if request.failure != "net::ERR_ABORTED":
                self.complaints.append(f"{request.failure}: {request.url}")

    def _note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status}: {response.url}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.complaints.append(str(error))
