"""Every route for every account: it opens without errors, and has a title and content.

A document of its own is loaded for two accounts, and for payment screens; the others go from screen to screen in one.

Accessibility depends on the state of a screen, not on the account: e2e/screens/test_every_state.py.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from e2e.support.accessibility import PageWatch, is_empty, read_until
from e2e.support.demo_portal import ACCOUNTS

# Loading and reloading is the same for all accounts; these have the least and the most to show.
LOADED = ("ivy", "jo")
OWN_DOCUMENTS = ("/add-card-payment-method", "/add-paypal-payment-method", "/update-card-payment-method")
ROUTES = (
    "/",
    "/dashboard",
    "/edit-profile",
    "/manage-subscription",
    "/manage-subscription/upgrade",
    "/manage-subscription/downgrade",
    "/pause-offer",
    "/cancelAll",
    "/coupon",
    "/summary",
    "/pause-summary",
    "/billingHistory",
    "/emailPreferences",
    "/emailConfirm",
    "/manage-payment-method",
    "/add-payment-method",
    "/add-card-payment-method",
    "/add-paypal-payment-method",
)
CARD_PATHS = ("/update-card-payment-method", "/add-payment-method-success")
METHODS = "/manage-payment-method"
# The screens after a change, with what a change would add to the address. Opened by hand, they claim none.
AFTER_CHANGES = {
    "/summary": "action=upgrade",
    "/pause-summary": "",
    "/emailConfirm": "state=unsubscribeAll",
    "/add-payment-method-success": "operationType=ADD",
}
CLAIMS = re.compile("added|applied|now billed|saved|today|unsubscribed", re.IGNORECASE)
MIN_WORDS = 12


def screen_problems(page: Page) -> list[str]:
    """Return what is wrong with a screen, once it has settled."""
    return read_until(page, lambda: _problems_now(page), is_empty)


def _problems_now(page: Page) -> list[str]:
    headings = page.get_by_role("heading", level=1).all_inner_texts()
    words = " ".join(page.get_by_role("main").all_inner_texts()).split()
    failed = page.get_by_role("alert").filter(has=page.get_by_role("button", name="Try again"))
    return [
        *([] if len(headings) == 1 and headings[0].strip() else [f"headings: {headings}"]),
        *([] if len(words) >= MIN_WORDS else [f"hardly a word: {words}"]),
        *([] if page.evaluate("scrollY") == 0 else ["does not open at its top"]),
        *[f"not loaded: {part}" for part in failed.all_inner_texts()],
    ]


def with_query(address: str, query: str) -> str:
    """Return an address with more in its query string."""
    return f"{address}{'&' if '?' in address else '?'}{query}" if query else address


def claimed_changes(page: Page) -> list[str]:
    """Return what the screen says was done."""
    return CLAIMS.findall(page.get_by_role("main").inner_text())


def card_ids(page: Page, token: str) -> list[str]:
    """Return the ids of an account's cards."""
    answer = page.request.get("/api/payments/", headers={"Authorization": f"Bearer {token}"})
    return [card["paymentSourceId"] for card in answer.json()["card"]]


@pytest.mark.shows("routes-1", "security-25")
@pytest.mark.parametrize("name", ACCOUNTS)
def test_it_opens_without_errors_for_every_account(signed_in, tokens, name):
    page = signed_in(name)
    watch = PageWatch(page)
    card = next(iter(card_ids(page, tokens[name])), None)
    card_routes = {path: f"{path}?paymentSourceId={card}" if card else path for path in CARD_PATHS}
    routes = {**{path: path for path in ROUTES}, **card_routes}
    problems: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for path, plain_address in routes.items():
        address = with_query(plain_address, AFTER_CHANGES.get(path, ""))
        expected = METHODS if path in CARD_PATHS and card is None else path
        is_loaded = name in LOADED or path in ("/", *OWN_DOCUMENTS) or urlsplit(page.url).path in OWN_DOCUMENTS
        show_screen = watch.open_screen if is_loaded else watch.enter_screen
        found = show_screen(address, leads_to=expected) + screen_problems(page)
        others = {title for other, title in titles.items() if other != expected}
        titles[expected] = read_until(page, page.title, lambda title: title not in others)  # noqa: B023
        if name in LOADED:
            found += watch.reload_screen()
        if path in AFTER_CHANGES:
            found += claimed_changes(page)
        problems[path] = found
    assert {path: found for path, found in problems.items() if found} == {}
    assert len(set(titles.values())) == len(titles), titles
    # `Add Card · Kids`: the screen, then the site.
    assert all(" · " in title for title in titles.values()), titles
