"""A site with a fixed billing day: what is charged at once is for part of a period, and the bill after it is not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Account
from billing import clock
from billing.mirror import next_bills
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.synced_provider import SyncedProvider

pytestmark = pytest.mark.django_db

SERVICES, UPGRADE = "/api/account/add-remove-service", "/api/account/upgrade"
RESUME_ESTIMATE = "/api/account/resume/estimate"


@pytest.fixture
def calendar_shop(shop: SyncedProvider) -> SyncedProvider:
    """A shop, open since March 10, whose provider bills on the first of the month."""
    shop.provider.sandbox.configure_site(billing_day=1)
    return shop


def read_bills(account: Account) -> list[dict[str, Any]]:
    """Return the next bills after the estimates that the first read has requested."""
    browser = Browser(account)
    browser.get("/api/account")
    next_bills.estimate_wanted_bills(account.pk, now=clock.billing_now())
    bills: list[dict[str, Any]] = browser.get("/api/account").json()["nextBills"]
    return bills


def figures(bills: list[dict[str, Any]]) -> list[tuple[str, int | None, str, bool]]:
    """Return the day, amount and period of each bill, and whether it follows another."""
    return [(bill["date"][:10], bill["amount"], bill["periodUnit"], bill["follows"]) for bill in bills]


@pytest.mark.shows("rule-21", "rule-4")
def test_an_upgrade_shows_the_whole_year_that_follows_its_charge(calendar_shop: SyncedProvider) -> None:
    shop = calendar_shop
    ava = shop.customer("ava")
    faith = shop.subscribe("ava", FAITH)
    browser = Browser(ava)
    estimate = browser.get(f"{UPGRADE}/estimate").json()
    bill, following = estimate["nextBills"]
    assert (estimate["total"], bill["date"][:10], bill["periodUnit"]) == (6999, "2026-04-01", "year")
    assert figures([following]) == [("2027-04-01", 6999, "year", True)]
    assert browser.post(UPGRADE, {"quote": estimate["quote"]}).status_code == 200
    assert figures(read_bills(ava)) == figures([bill, following])
    shop.pass_term_end("ava", faith)
    whole, cut, _first = shop.invoices("ava")
    assert cut["total"] < 500
    assert (whole["total"], whole["amount_paid"]) == (6999, bill["amount"])


@pytest.mark.shows("rule-21", "rule-5")
def test_an_added_plan_shows_the_whole_month_that_follows_its_charge(
    calendar_shop: SyncedProvider, bundles: None
) -> None:
    shop = calendar_shop
    ava = shop.customer("ava")
    shop.subscribe("ava", FAITH)
    browser = Browser(ava)
    estimate = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH, GOSPEL]}).json()
    assert 0 < estimate["dueNow"] < 719
    assert estimate["total"] == 629 + 719
    expected = [("2026-04-01", 629, "month", False), ("2026-04-01", 719, "month", False)]
    assert figures(estimate["nextBills"]) == expected
    browser.post(SERVICES, {"planIds": [FAITH, GOSPEL], "quote": estimate["quote"]})
    assert figures(read_bills(ava)) == expected


@pytest.mark.shows("rule-21", "rule-7")
def test_a_plan_that_is_kept_shows_a_whole_month(calendar_shop: SyncedProvider, bundles: None) -> None:
    ava = calendar_shop.customer("ava")
    for plan in (FAITH, GOSPEL):
        calendar_shop.subscribe("ava", plan, coupon_ids=["BUNDLE-2"])
    browser = Browser(ava)
    before = figures(read_bills(ava))
    assert before == [("2026-04-01", 629, "month", False), ("2026-04-01", 719, "month", False)]
    assert browser.post("/api/account/cancel").status_code == 200
    alone = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH]}).json()
    assert figures(alone["nextBills"]) == [("2026-04-01", 699, "month", False)]
    together = browser.post(f"{SERVICES}/estimate", {"planIds": [FAITH, GOSPEL]}).json()
    assert figures(together["nextBills"]) == before


@pytest.mark.shows("rule-21", "rule-3")
def test_a_resume_shows_the_whole_month_that_follows_its_charge(calendar_shop: SyncedProvider) -> None:
    shop = calendar_shop
    ava = shop.customer("ava")
    faith = shop.subscribe("ava", FAITH)
    browser = Browser(ava)
    browser.post("/api/account/pause?days=30")
    shop.pass_term_end("ava", faith, days=10)
    estimate = browser.get(RESUME_ESTIMATE).json()
    assert 0 < estimate["amountDue"] < 699
    assert figures(estimate["nextBills"]) == [("2026-05-01", 699, "month", False)]
    assert browser.post("/api/account/resume", {"quote": estimate["quote"]}).status_code == 200
    [bill] = read_bills(ava)
    assert (bill["date"][:10], bill["amount"]) == ("2026-05-01", 699)
    assert shop.invoices("ava")[0]["total"] == estimate["amountDue"]


@pytest.mark.shows("rule-21")
def test_a_trial_shows_its_first_bill_and_the_whole_months_that_follow(calendar_shop: SyncedProvider) -> None:
    shop = calendar_shop
    ava = shop.customer("ava")
    faith = shop.subscribe("ava", FAITH, trial_end=shop.timestamp_in_days(10))
    first, following = read_bills(ava)
    assert figures([first, following]) == [
        ("2026-03-20", first["amount"], "month", False),
        ("2026-04-01", 699, "month", True),
    ]
    shop.provider.travel_to(clock.billing_now() + timedelta(days=25))
    totals = {row["total"] for row in shop.invoices("ava") if row["subscription_id"] == faith}
    assert totals == {first["amount"], 699}
    assert first["amount"] < 699
