"""A state that a screen can be in, and how it is brought about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Page

from e2e.support.accessibility import axe_violations_once_each, open_settled
from e2e.support.page_actions import PageAction, RouteAnswer, abort_waiting, do_nothing, press_control

ANIMATIONS_ARE_STILL = "() => document.getAnimations().every(({ playState }) => playState !== 'running')"
SHOWN_SECONDS = 20


@dataclass(frozen=True)
class ScreenState:
    """A state of a screen: whose, where, what is answered and done there, and the words that show it."""

    name: str
    path: str
    accounts: tuple[str, ...]
    act: PageAction = do_nothing
    answers: Mapping[str | re.Pattern[str], RouteAnswer] = field(default_factory=dict)
    # The name of the button that opens a dialog, and what is done inside.
    opener: str = ""
    inside: PageAction = do_nothing
    shows: str = ""
    # What it shows of itself never comes.
    loading: bool = False
    # Most accounts have it, each with something else to show.
    everybody: bool = False


def bring_about(page: Page, state: ScreenState) -> bool:
    """Bring a page into a state and wait until it shows; False where an account has nothing to do that with."""
    # Away first: an app whose request fails may send it again, and nothing would be in between any more.
    page.goto("about:blank")
    page.context.set_offline(False)
    abort_waiting(page)
    page.unroute_all()
    for address, answer in state.answers.items():
        page.route(address, answer)
    if state.loading:
        page.goto(state.path, wait_until="commit")
    else:
        open_settled(page, state.path)
    opening = (press_control("button", state.opener), state.inside) if state.opener else ()
    if not all(act(page) is not False for act in (state.act, *opening)):
        return False
    if state.shows:
        shown = page.get_by_text(re.compile(state.shows)).filter(visible=True)
        shown.first.wait_for(timeout=SHOWN_SECONDS * 1000)
    page.wait_for_function(ANIMATIONS_ARE_STILL)
    return True


def violations_by_state(page: Page, states: Iterable[ScreenState]) -> dict[str, list[str]]:
    """What axe finds in these states, by state; those without any left out."""
    found = {}
    for state in states:
        assert bring_about(page, state), state.name
        found[state.name] = axe_violations_once_each(page)
    return {name: what for name, what in found.items() if what}
