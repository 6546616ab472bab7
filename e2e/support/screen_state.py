"""A state of a screen, and how to bring it about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Page

from e2e.support.accessibility import LIGHT_RULES, RULES, axe_violations_in_all_looks, open_settled
from e2e.support.page_actions import PageAction, RouteAnswer, abort_held_requests, click_control, do_nothing

ANIMATIONS_ARE_STILL = "() => document.getAnimations().every(({ playState }) => playState !== 'running')"
SHOWN_SECONDS = 60
# Answered here, so that it opens offline, too. For a page that is not isolated as ours are, such as `about:blank`, the
# browser would start another process, and one more for the screen that follows.
BLANK = "/blank"
ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin"}


@dataclass(frozen=True)
class ScreenState:
    """A state of a screen: its path and accounts, replaced answers, actions, and the text that shows it."""

    name: str
    path: str
    accounts: tuple[str, ...]
    act: PageAction = do_nothing
    answers: Mapping[str | re.Pattern[str], RouteAnswer] = field(default_factory=dict)
    # The name of the button that opens a dialog, and the action inside it.
    opener: str = ""
    inside: PageAction = do_nothing
    shows: str = ""
    # The screen never finishes loading.
    loading: bool = False
    # `make screenshots` shows it for all accounts, not only for `accounts`, but those of `ONLY_WHERE_NAMED`.
    for_all_accounts: bool = False


def leave_app(page: Page) -> None:
    """Open an empty page: the app may retry a failed request, which would reach the server once nothing replaces it."""
    page.route(BLANK, lambda route: route.fulfill(content_type="text/plain", headers=ISOLATED))
    page.goto(BLANK)


def enter_state(page: Page, state: ScreenState) -> bool:
    """Bring a page into a state and wait until it shows; return False if the account lacks a control for that."""
    leave_app(page)
    page.context.set_offline(False)
    abort_held_requests(page)
    page.unroute_all()
    for address, answer in state.answers.items():
        page.route(address, answer)
    if state.loading:
        page.goto(state.path, wait_until="commit")
    else:
        open_settled(page, state.path)
    opening = (click_control("button", state.opener), state.inside) if state.opener else ()
    if not all(act(page) is not False for act in (state.act, *opening)):
        return False
    if state.shows:
        shown = page.get_by_text(re.compile(state.shows)).filter(visible=True)
        shown.first.wait_for(timeout=SHOWN_SECONDS * 1000)
    page.wait_for_function(ANIMATIONS_ARE_STILL)
    return True


def violations_by_state(page: Page, states: Iterable[ScreenState]) -> dict[str, list[str]]:
    """Return axe's violations by state, without the states that have none.

    A screen is also checked in its dark colors as it opens for an account; its other states have the same ones.
    """
    found = {}
    for state in states:
        assert enter_state(page, state), state.name
        found[state.name] = axe_violations_in_all_looks(page, RULES if state.for_all_accounts else LIGHT_RULES)
    return {name: violations for name, violations in found.items() if violations}
