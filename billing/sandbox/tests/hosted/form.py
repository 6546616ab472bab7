"""The merchant's page as a payer uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

TITLES = {"number": "Number of the card", "expiry": "Expiry date", "cvv": "Security code"}
SAID_ALL = "() => parent.postMessage('said all', '*')"
LISTEN = """() => {
  window.heard = 0;
  if (window.listens) return;
  window.listens = true;
  window.addEventListener('message', ({ data }) => { if (data === 'said all') window.heard += 1; });
}"""


@dataclass
class Form:
    """The card form of a page."""

    page: Page
    origin: str

    def opened(self, flags: str = "") -> Form:
        """Go to the page and wait for its fields."""
        self.page.goto(f"{self.origin}/on-host.js?{flags}")
        self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        """Wait for the component to say that it is."""
        self.page.wait_for_function(
            "() => window.told?.some(({ place, type }) => place === 'component' && type === 'ready')"
        )

    def field(self, kind: str) -> Locator:
        """The input inside a field's frame."""
        return self.page.frame_locator(f'iframe[title="{TITLES[kind]}"]').locator("input")

    def alert(self, kind: str) -> Locator:
        """What the field says aloud."""
        return self.page.frame_locator(f'iframe[title="{TITLES[kind]}"]').get_by_role("alert")

    def fill(self, number: str = "4111111111111111", expiry: str = "0834", cvv: str = "123") -> Form:
        """Type a card."""
        for kind, text in (("number", number), ("expiry", expiry), ("cvv", cvv)):
            self.field(kind).press_sequentially(text)
        return self

    def pay(self) -> str:
        """Ask for a token; what the page says of it."""
        self.page.evaluate("() => { document.querySelector('output').textContent = ''; }")
        self.page.get_by_role("button", name="Pay").click()
        expect(self.page.locator("output")).not_to_be_empty()
        return self.page.locator("output").inner_text()

    def token(self) -> str:
        """A token for what was typed."""
        token, vault_token = self.pay().split(" ")
        assert vault_token.startswith("tok_")
        return token

    def wait_for(self, place: str, event: str, *, count: int) -> None:
        """Wait until so many events have been told: a frame's words take a moment to arrive."""
        self.page.wait_for_function(
            "([place, type, count]) => "
            "window.told.filter((one) => one.place === place && one.type === type).length >= count",
            arg=[place, event, count],
        )

    def _await_frames(self) -> None:
        """Wait for what the frames have said so far: each says one thing more, and words of one keep their order."""
        frames = [frame for frame in self.page.frames if frame.parent_frame == self.page.main_frame]
        self.page.evaluate(LISTEN)
        for frame in frames:
            frame.evaluate(SAID_ALL)
        self.page.wait_for_function("(count) => window.heard >= count", arg=len(frames))

    def told(self, place: str, event: str) -> list[Any]:
        """The events of a kind that a field, or the component, has told."""
        self._await_frames()
        found: list[Any] = self.page.evaluate(
            "([place, type]) => window.told.filter((one) => one.place === place && one.type === type)",
            [place, event],
        )
        return found
