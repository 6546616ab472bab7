"""When a screen is all there, what went wrong on the way, and what bars those who cannot see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import axe_playwright_python
from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response, ViewportSize

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# What another color scheme can break.
COLOR_RULES = ("color-contrast", "link-in-text-block")
# Off by default in axe, and required by WCAG 2.2.
TARGET_SIZE: dict[str, Any] = {"target-size": {"enabled": True}}
ALL_RULES = {"rules": TARGET_SIZE}
ONLY_COLORS = {"runOnly": list(COLOR_RULES)}
ALL_BUT_COLORS = {"rules": {**TARGET_SIZE, **{rule: {"enabled": False} for rule in COLOR_RULES}}}
# The frames belong to the provider, and axe would ask them for an answer that they do not give. Where it could not tell
# the ground of words, that counts as a finding; not of drawn cards, which are logos, nor of what is partly covered.
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
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => done()))"
WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 320, "height": 720}
READ_AGAIN_MS = 50
WAIT_SECONDS = 10
T = TypeVar("T")
Look = tuple[Literal["light", "dark"], ViewportSize]
LOOKS: tuple[Look, ...] = (("light", WIDE), ("dark", WIDE), ("light", NARROW), ("dark", NARROW))
# The last is the look that the next screen is opened in.
RULES: tuple[tuple[Look, dict[str, Any]], ...] = (
    (("light", NARROW), ALL_BUT_COLORS),
    (("dark", WIDE), ONLY_COLORS),
    (("light", WIDE), ALL_RULES),
)


def read_until(page: Page, read: Callable[[], T], is_right: Callable[[T], bool]) -> T:
    """Read something of a page until it is right; return what was read last, right or not, after ten seconds."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_right(value := read()) and time.monotonic() < deadline:
        page.wait_for_timeout(READ_AGAIN_MS)
    return value


def is_empty(found: Sized) -> bool:
    """Whether nothing was found."""
    return not found


def axe_violations(page: Page, options: dict[str, Any] = ALL_RULES) -> list[str]:
    """What axe finds, by all its rules or by some, as lines one can read."""
    return read_until(page, lambda: _run_axe(page, options), is_empty)


def _run_axe(page: Page, options: dict[str, Any]) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN_AXE, options)
    return found


def set_look(page: Page, look: Look) -> None:
    """Show the page in a color scheme and a size of the window."""
    scheme, size = look
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size(size)
    page.evaluate(NEXT_FRAME)


def axe_violations_in_looks(page: Page, *looks: Look) -> list[str]:
    """What axe finds in each of these color schemes and sizes of the window."""
    found = []
    for scheme, size in looks:
        set_look(page, (scheme, size))
        found += [f"{scheme} {size['width']} {one}" for one in axe_violations(page)]
    return found


def axe_violations_once_each(page: Page) -> list[str]:
    """What axe finds in a wide and a narrow window, light and dark, without the rules that can find nothing new there.

    Which colors meet is the same in a narrow window, and what stands where is the same in the dark. In the colors of
    other brands, every ink is readable on every background: accounts/tests/test_color_contrast.py.
    """
    return [
        f"{look[0]} {look[1]['width']} {one}"
        for look, rules in RULES
        for one in _run_rules(page, look, rules)
    ]


def _run_rules(page: Page, look: Look, rules: dict[str, Any]) -> list[str]:
    set_look(page, look)
    return axe_violations(page, rules)


def open_settled(page: Page, path: str) -> Page:
    """Open a screen and wait until it shows what it has to show."""
    page.goto(path)
    page.wait_for_function(IS_SETTLED)
    return page


class PageWatch:
    """What a page complains of, and what it asked for in vain, since its document was asked for."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._awaited: set[Request] = set()
        self.complaints: list[str] = []
        page.on("request", self._asked)
        page.on("requestfinished", self._note_finished)
        page.on("requestfailed", self._note_failure)
        page.on("response", self._note_response)
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)

    def open(self, path: str, *, leads_to: str) -> list[str]:
        """Open a path, wait until all of the screen that it leads to is there, and return what went wrong."""
        open_settled(self._page, path)
        self._page.wait_for_url(lambda url: urlsplit(url).path == leads_to)
        self._page.wait_for_function(IS_SETTLED)
        return self._take_complaints()

    def reload(self) -> list[str]:
        """Load the screen once more, wait until all of it is there, and return what went wrong."""
        self._page.reload()
        self._page.wait_for_function(IS_SETTLED)
        return self._take_complaints()

    def _take_complaints(self) -> list[str]:
        while self._awaited:
            self._page.evaluate(NEXT_FRAME)
        said, self.complaints = self.complaints, []
        return said

    def _asked(self, request: Request) -> None:
        # The icon is the browser's own wish, which it gives up where one document leads to the next.
        if request.frame != self._page.main_frame or request.resource_type == "other":
            return
        # What the page before was still waiting for is no loss to this one.
        if request.is_navigation_request():
            self._awaited.clear()
        self._awaited.add(request)

    def _note_finished(self, request: Request) -> None:
        self._awaited.discard(request)

    def _note_failure(self, request: Request) -> None:
        if request in self._awaited:
            self._awaited.discard(request)
            self.complaints.append(f"{request.failure}: {request.url}")

    def _note_response(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"{response.status}: {response.url}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.complaints.append(str(error))
