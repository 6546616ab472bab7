"""The provider bills what the preview said, for every mix of plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import Provider
from conftest import Sandbox

pytestmark = pytest.mark.django_db

SERVICES = "/api/account/add-remove-service"
UP, DOWN = "/api/account/upgrade", "/api/account/downgrade"
MANAGE = "/api/account/manage-plans"


def next_totals(body: dict[str, Any]) -> dict[str, int]:
    """What the next period costs, by its unit."""
    other = body["otherTotal"]
    found: dict[str, int] = {body["periodUnit"]: body["total"]}
    return {**found, other["periodUnit"]: other["total"]} if other else found


def last_billed_amount(shop: SyncedProvider, customer: str, subscription: str) -> int:
    """The last bill of a subscription."""
    return int(
        next(invoice["total"] for invoice in shop.invoices(customer) if invoice["subscription_id"] == subscription)
    )


@pytest.fixture
def mixed(shop: SyncedProvider, bundles: None) -> Browser:
    """Mia, signed in, with a yearly plan and a monthly one, a bundle."""
    account = shop.customer("mia")
    shop.subscribe("mia", FAITH, unit="Yearly", coupon_ids=["BUNDLE-2"])
    shop.subscribe("mia", GOSPEL, coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.mark.shows("money-3")
def test_two_periods_are_never_added_up(mixed: Browser) -> None:
    assert next_totals(mixed.get(MANAGE).json()) == {"year": 6299, "month": 719}


def test_an_addition_is_priced_for_the_accounts_period(shop: SyncedProvider, mixed: Browser) -> None:
    wanted = {"planIds": [FAITH, GOSPEL, KIDS]}
    shown = mixed.post(f"{SERVICES}/estimate", wanted).json()
    done = mixed.post(SERVICES, {**wanted, "quote": shown["quote"]}).json()
    assert shown["dueNow"] == done["dueNow"] == shop.invoices("mia")[0]["total"] == 7649
    assert next_totals(shown) == next_totals(done) == {"year": 5949 + 7649, "month": 679}


def test_a_removal_shows_both_totals(mixed: Browser) -> None:
    shown = mixed.post(f"{SERVICES}/estimate", {"planIds": [GOSPEL]}).json()
    done = mixed.post(SERVICES, {"planIds": [GOSPEL], "quote": shown["quote"]}).json()
    assert next_totals(shown) == next_totals(done)
    assert (shown["periodUnit"], shown["otherTotal"]) == ("month", None)


def test_an_upgrade_of_the_monthly_one_leaves_one_total(mixed: Browser) -> None:
    shown = mixed.get(f"{UP}/estimate").json()
    done = mixed.post(UP, {"quote": shown["quote"]}).json()
    assert shown["planIds"] == done["planIds"] == [GOSPEL]
    assert next_totals(shown) == next_totals(done) == {"year": 6299 + 7199}


def test_a_downgraded_bundle_is_billed_as_shown_when_the_year_ends(shop: SyncedProvider, bundles: None) -> None:
    ben = Browser(shop.customer("ben"))
    ids = [shop.subscribe("ben", plan, unit="Yearly", coupon_ids=["BUNDLE-2"]) for plan in (FAITH, KIDS)]
    shown = ben.get(f"{DOWN}/estimate").json()
    assert ben.post(DOWN, {"quote": shown["quote"]}).status_code == 200
    shop.provider.travel_to(shop.term_end(ids[1]))
    shop.provider.travel(days=1)
    assert (
        next_totals(shown)
        == {"month": sum(last_billed_amount(shop, "ben", handle) for handle in ids)}
        == {"month": 629 + 809}
    )


def test_a_downgrade_keeps_its_place_when_another_service_is_added(shop: SyncedProvider, bundles: None) -> None:
    ben = Browser(shop.customer("ben"))
    faith = shop.subscribe("ben", FAITH, unit="Yearly")
    ben.post(DOWN)
    wanted = {"planIds": [FAITH, KIDS]}
    shown = ben.post(f"{SERVICES}/estimate", wanted).json()
    done = ben.post(SERVICES, {**wanted, "quote": shown["quote"]}).json()
    assert next_totals(shown) == next_totals(done)
    assert done["existingPlans"][0]["scheduledPlan"]["amount"] == 699
    assert shop.subscription(faith)["has_scheduled_changes"] is True
    assert shop.coupons_on(faith) == ["BUNDLE-2"]


def test_an_addition_after_a_code_keeps_what_the_code_takes_off(shop: SyncedProvider, bundles: None) -> None:
    ava = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    shop.coupon("SAVE20", percent=20)
    ava.post("/api/account/add-coupon/SAVE20")
    wanted = {"planIds": [FAITH, GOSPEL]}
    shown = ava.post(f"{SERVICES}/estimate", wanted).json()
    done = ava.post(SERVICES, {**wanted, "quote": shown["quote"]}).json()
    assert next_totals(shown) == next_totals(done) == {"month": 503 + 719}
    assert shown["couponDiscount"] == done["couponDiscount"] == 126
    shop.provider.travel_to(shop.term_end(faith))
    shop.provider.travel(days=1)
    assert last_billed_amount(shop, "ava", faith) == 503


@pytest.mark.shows("rule-4")
def test_a_change_that_is_accepted_unpaid_says_that_the_payment_failed(
    db: None, launch_sandbox: Callable[..., Sandbox], settings: Settings
) -> None:
    lenient = launch_sandbox(SANDBOX_UNPAID_CHANGES="1")
    settings.CHARGEBEE_SITE, settings.CHARGEBEE_API_KEY = lenient.site, lenient.api_key
    settings.CHARGEBEE_ENDPOINT = lenient.endpoint
    lenient.start_afresh()
    shop = SyncedProvider(Provider(sandbox=lenient, sdk=lenient.client()))
    shop.provider.open_shop()
    finn = Browser(shop.customer("finn"))
    shop.subscribe("finn", FAITH)
    shop.provider.add_card("finn", DECLINING_CARD)
    answer = finn.post(UP)
    assert (answer.status_code, answer.json()["hasPaymentFailure"]) == (200, True)
    assert answer.json()["existingPlans"][0]["periodUnit"] == "year"
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True
    assert shop.invoices("finn")[0]["amount_due"] == answer.json()["dueNow"]
