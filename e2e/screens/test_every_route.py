"""Every route for every account: it opens and reloads without a complaint, and has a name and a content.

Whether a screen bars somebody depends on its state, not on its owner: e2e/screens/test_every_state.py.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from e2e.support.accessibility import PageWatch, is_empty, read_until
from e2e.support.demo_portal import ACCOUNTS

# Reloading is the same for all; these have most and least to show.
RELOADED = ("ivy", "jo")
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
ABOUT_A_METHOD = ("/update-card-payment-method", "/add-payment-method-success")
METHODS = "/manage-payment-method"
LEAST_WORDS = 12


def screen_problems(page: Page) -> list[str]:
    """What is wrong with a screen once it has come to rest."""
    return read_until(page, lambda: _problems_now(page), is_empty)


def _problems_now(page: Page) -> list[str]:
    headings = page.get_by_role("heading", level=1).all_inner_texts()
    words = " ".join(page.get_by_role("main").all_inner_texts()).split()
    failed = page.get_by_role("alert").filter(has=page.get_by_role("button", name="Try again"))
    return [
        *([] if len(headings) == 1 and headings[0].strip() else [f"headings: {headings}"]),
        *([] if len(words) >= LEAST_WORDS else [f"hardly a word: {words}"]),
        *([] if page.evaluate("scrollY") == 0 else ["does not open at its top"]),
        *[f"not loaded: {part}" for part in failed.all_inner_texts()],
    ]


def read_cards(page: Page, token: str) -> list[str]:
    """The cards that an account keeps."""
    answer = page.request.get("/api/payments/", headers={"Authorization": f"Bearer {token}"})
    return [card["paymentSourceId"] for card in answer.json()["card"]]


@pytest.mark.shows("routes-1", "security-25")
@pytest.mark.parametrize("name", ACCOUNTS)
def test_it_opens_whole_for_every_account(signed_in, tokens, name):
    page = signed_in(name)
    watch = PageWatch(page)
    card = next(iter(read_cards(page, tokens[name])), None)
    about = {path: f"{path}?paymentSourceId={card}" if card else path for path in ABOUT_A_METHOD}
    wrong: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for path, address in {**{path: path for path in ROUTES}, **about}.items():
        expected = METHODS if path in ABOUT_A_METHOD and card is None else path
        found = watch.open_screen(address, leads_to=expected) + screen_problems(page)
        others = {title for other, title in titles.items() if other != expected}
        titles[expected] = read_until(page, page.title, lambda title: title not in others)  # noqa: B023
        if name in RELOADED:
            found += watch.reload_screen()
        wrong[path] = found
    assert {path: found for path, found in wrong.items() if found} == {}
    assert len(set(titles.values())) == len(titles), titles
