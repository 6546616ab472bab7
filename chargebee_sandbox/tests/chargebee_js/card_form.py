"""Drives the card form of the merchant's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

FIELD_TITLES = {"number": "Number of the card", "expiry": "Expiry date", "cvv": "Security code"}
FRAME_FLUSH_SCRIPT = "() => parent.postMessage('flushed', '*')"
LISTEN_SCRIPT = """() => {
  window.heard = 0;
  if (window.listens) return;
  window.listens = true;
  window.addEventListener('message', ({ data }) => {
    if (data === 'flushed') window.heard += 1;
  });
}"""


@dataclass
class CardForm:
    """The card form of a page."""

    page: Page
    origin: str

    def open_page(self, flags: str = "") -> CardForm:
        """Go to the page and wait for its fields."""
        self.page.goto(f"{self.origin}/on-host.js?{flags}")
        self.wait_until_ready()
        return self

    def wait_until_ready(self) -> None:
        """Wait for the component's ready event."""
        self.page.wait_for_function(
            "() => window.told?.some(({ place, type }) => place === 'component' && type === 'ready')"
        )

    def field(self, kind: str) -> Locator:
        """Return the input inside a field's frame."""
        return self.page.frame_locator(f'iframe[title="{FIELD_TITLES[kind]}"]').locator("input")

    def alert(self, kind: str) -> Locator:
        """Return the field's error message for screen readers."""
        return self.page.frame_locator(f'iframe[title="{FIELD_TITLES[kind]}"]').get_by_role("alert")

    def type_card(self, number: str = "4111111111111111", expiry: str = "0834", cvv: str = "123") -> CardForm:
        """Type a card."""
        for kind, text in (("number", number), ("expiry", expiry), ("cvv", cvv)):
            self.field(kind).press_sequentially(text)
        return self

    def submit_card(self) -> str:
        """Submit the card and return the page's output."""
        self.page.evaluate("() => { document.querySelector('output').textContent = ''; }")
        self.page.get_by_role("button", name="Pay").click()
        expect(self.page.locator("output")).not_to_be_empty()
        return self.page.locator("output").inner_text()

    def request_token(self) -> str:
        """Submit the card and return its token."""
        token, vault_token = self.submit_card().split(" ")
        assert vault_token.startswith("tok_")
        return token

    def wait_for(self, place: str, event: str, *, count: int) -> None:
        """Wait until a number of events have been reported: messages of frames take a moment to arrive."""
        self.page.wait_for_function(
            "([place, type, count]) => "
            "window.told.filter((event) => event.place === place && event.type === type).length >= count",
            arg=[place, event, count],
        )

    def _await_frames(self) -> None:
        """Wait for the frames' messages so far: each frame sends one more, and messages of a frame keep their order."""
        frames = [frame for frame in self.page.frames if frame.parent_frame == self.page.main_frame]
        self.page.evaluate(LISTEN_SCRIPT)
        for frame in frames:
            frame.evaluate(FRAME_FLUSH_SCRIPT)
        self.page.wait_for_function("(count) => window.heard >= count", arg=len(frames))

    def reported_events(self, place: str, event: str) -> list[Any]:
        """Return the events of a type that a field, or the component, has reported."""
        self._await_frames()
        events: list[Any] = self.page.evaluate(
            "([place, type]) => window.told.filter((event) => event.place === place && event.type === type)",
            [place, event],
        )
        return events
