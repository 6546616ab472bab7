"""The provider bills what the estimate showed, for every mix of plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL, KIDS
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import VISA_CARD, Provider
from conftest import Sandbox

pytestmark = pytest.mark.django_db

SERVICES = "/api/account/add-remove-service"
UPGRADE, DOWNGRADE = "/api/account/upgrade", "/api/account/downgrade"
MANAGE = "/api/account/manage-plans"


def next_totals(body: dict[str, Any]) -> dict[str, int]:
    """Return the total of the next billing period, by its unit."""
    other = body["otherTotal"]
    totals: dict[str, int] = {body["periodUnit"]: body["total"]}
    return {**totals, other["periodUnit"]: other["total"]} if other else totals


def last_billed_amount(shop: SyncedProvider, customer: str, subscription: str) -> int:
    """Return the total of a subscription's last invoice."""
    return int(
        next(invoice["total"] for invoice in shop.invoices(customer) if invoice["subscription_id"] == subscription)
    )


@pytest.fixture
def mia(shop: SyncedProvider, bundles: None) -> Browser:
    """Return Mia's browser; she has a bundle of a yearly plan and a monthly one."""
    account = shop.customer("mia")
    shop.subscribe("mia", FAITH, unit="Yearly", coupon_ids=["BUNDLE-2"])
    shop.subscribe("mia", GOSPEL, coupon_ids=["BUNDLE-2"])
    return Browser(account)


@pytest.mark.shows("money-3")
def test_totals_of_two_billing_periods_stay_separate(mia: Browser) -> None:
    assert next_totals(mia.get(MANAGE).json()) == {"year": 6299, "month": 719}


def test_an_addition_uses_the_accounts_billing_period(shop: SyncedProvider, mia: Browser) -> None:
    selection = {"planIds": [FAITH, GOSPEL, KIDS]}
    estimate = mia.post(f"{SERVICES}/estimate", selection).json()
    result = mia.post(SERVICES, {**selection, "quote": estimate["quote"]}).json()
    assert estimate["dueNow"] == result["dueNow"] == shop.invoices("mia")[0]["total"] == 7649
    assert next_totals(estimate) == next_totals(result) == {"year": 5949 + 7649, "month": 679}


def test_removing_the_yearly_plan_leaves_one_total(mia: Browser) -> None:
    estimate = mia.post(f"{SERVICES}/estimate", {"planIds": [GOSPEL]}).json()
    result = mia.post(SERVICES, {"planIds": [GOSPEL], "quote": estimate["quote"]}).json()
    assert next_totals(estimate) == next_totals(result)
    assert (estimate["periodUnit"], estimate["otherTotal"]) == ("month", None)


def test_upgrading_the_monthly_plan_leaves_one_total(mia: Browser) -> None:
    estimate = mia.get(f"{UPGRADE}/estimate").json()
    result = mia.post(UPGRADE, {"quote": estimate["quote"]}).json()
    assert estimate["planIds"] == result["planIds"] == [GOSPEL]
    assert next_totals(estimate) == next_totals(result) == {"year": 6299 + 7199}


def test_a_downgraded_bundle_is_billed_as_estimated_at_the_years_end(shop: SyncedProvider, bundles: None) -> None:
    ben = Browser(shop.customer("ben"))
    ids = [shop.subscribe("ben", plan, unit="Yearly", coupon_ids=["BUNDLE-2"]) for plan in (FAITH, KIDS)]
    estimate = ben.get(f"{DOWNGRADE}/estimate").json()
    assert ben.post(DOWNGRADE, {"quote": estimate["quote"]}).status_code == 200
    shop.provider.travel_to(shop.term_end(ids[1]))
    shop.provider.travel(days=1)
    assert (
        next_totals(estimate)
        == {"month": sum(last_billed_amount(shop, "ben", handle) for handle in ids)}
        == {"month": 629 + 809}
    )


def test_a_scheduled_downgrade_survives_an_addition(shop: SyncedProvider, bundles: None) -> None:
    ben = Browser(shop.customer("ben"))
    faith = shop.subscribe("ben", FAITH, unit="Yearly")
    ben.post(DOWNGRADE)
    selection = {"planIds": [FAITH, KIDS]}
    estimate = ben.post(f"{SERVICES}/estimate", selection).json()
    result = ben.post(SERVICES, {**selection, "quote": estimate["quote"]}).json()
    assert next_totals(estimate) == next_totals(result)
    assert result["existingPlans"][0]["scheduledPlan"]["amount"] == 699
    assert shop.subscription(faith)["has_scheduled_changes"] is True
    assert shop.coupons_on(faith) == ["BUNDLE-2"]


def test_an_addition_keeps_the_discount_of_a_code(shop: SyncedProvider, bundles: None) -> None:
    ava = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    shop.coupon("SAVE20", percent=20)
    ava.post("/api/account/add-coupon/SAVE20")
    selection = {"planIds": [FAITH, GOSPEL]}
    estimate = ava.post(f"{SERVICES}/estimate", selection).json()
    result = ava.post(SERVICES, {**selection, "quote": estimate["quote"]}).json()
    assert next_totals(estimate) == next_totals(result) == {"month": 503 + 719}
    assert estimate["couponDiscount"] == result["couponDiscount"] == 126
    shop.provider.travel_to(shop.term_end(faith))
    shop.provider.travel(days=1)
    assert last_billed_amount(shop, "ava", faith) == 503


FOREVER = {"percent": 50, "duration_type": "forever"}
LIMITED = {"cents": 500, "duration_type": "limited_period", "period": 3, "period_unit": "month"}


@pytest.mark.shows("rule-4", "money-3")
@pytest.mark.parametrize(
    ("coupon", "charged", "renewal"),
    [({"percent": 20}, 5599, 6999), (LIMITED, 6499, 6999), (FOREVER, 3499, 3499)],
    ids=["one-time", "limited", "forever"],
)
def test_an_upgrade_shows_the_renewal_without_a_code_that_it_uses_up(
    shop: SyncedProvider, coupon: dict[str, Any], charged: int, renewal: int
) -> None:
    ava = Browser(shop.customer("ava"))
    faith = shop.subscribe("ava", FAITH)
    shop.coupon("CODE", **coupon)
    ava.post("/api/account/add-coupon/CODE")
    estimate = ava.get(f"{UPGRADE}/estimate").json()
    result = ava.post(UPGRADE, {"quote": estimate["quote"]}).json()
    assert estimate["dueNow"] + estimate["credits"] == shop.invoices("ava")[0]["total"] == charged
    shown = [next_totals(body) for body in (estimate, result, ava.get(MANAGE).json())]
    assert shown == [{"year": renewal}] * 3
    shop.provider.travel_to(shop.term_end(faith))
    shop.provider.travel(days=1)
    assert last_billed_amount(shop, "ava", faith) == renewal


@pytest.mark.shows("api-12")
def test_an_upgrade_shows_the_charges_that_its_invoice_has_besides(shop: SyncedProvider) -> None:
    zoe, faith = Browser(shop.customer("zoe")), shop.subscribe("zoe", FAITH)
    dearer = {"item_price_id": f"{FAITH}-USD-Monthly", "quantity": 1, "unit_price": 1699}
    shop.client.Subscription.update_for_items(faith, {"subscription_items": [dearer], "invoice_immediately": False})
    shop.import_customer("zoe")

    estimate = zoe.get(f"{UPGRADE}/estimate?planIds={FAITH}").json()
    result = zoe.post(UPGRADE, {"planIds": [FAITH], "quote": estimate["quote"]}).json()

    # The year, and what the dearer month left to bill, less the credit for the month that was paid.
    assert estimate["dueNow"] == result["dueNow"] == shop.invoices("zoe")[0]["amount_paid"] == 6999 + 1699 - 699
    assert next_totals(estimate) == next_totals(result) == {"year": 6999}


def test_promotional_credits_pay_a_bill_and_do_not_lower_its_price(shop: SyncedProvider) -> None:
    ava = Browser(shop.customer("ava"))
    shop.subscribe("ava", FAITH)
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": 10_000, "description": "Sorry"})
    selection = {"planIds": [FAITH, GOSPEL]}
    estimate = ava.post(f"{SERVICES}/estimate", selection).json()
    result = ava.post(SERVICES, {**selection, "quote": estimate["quote"]}).json()
    assert (estimate["dueNow"], next_totals(estimate)) == (0, {"month": 699 + 799})
    assert next_totals(result) == next_totals(ava.get(MANAGE).json()) == {"month": 699 + 799}


@pytest.mark.shows("rule-4")
def test_a_change_accepted_unpaid_reports_the_payment_failure(
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
    response = finn.post(UPGRADE)
    assert (response.status_code, response.json()["hasPaymentFailure"]) == (200, True)
    assert response.json()["existingPlans"][0]["periodUnit"] == "year"
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True
    assert shop.invoices("finn")[0]["amount_due"] == response.json()["dueNow"]


@pytest.mark.shows("rule-4")
def test_a_change_that_was_paid_reports_no_failure_of_an_older_bill(shop: SyncedProvider) -> None:
    finn = Browser(shop.customer("finn"))
    faith = shop.subscribe("finn", FAITH)
    shop.provider.add_card("finn", DECLINING_CARD)
    shop.pass_term_end("finn", faith, days=1)
    shop.provider.add_card("finn", VISA_CARD)
    shop.import_customer("finn")
    selection = {"planIds": [FAITH, GOSPEL]}
    estimate = finn.post(f"{SERVICES}/estimate", selection).json()
    result = finn.post(SERVICES, {**selection, "quote": estimate["quote"]}).json()
    assert shop.invoices("finn")[0]["amount_paid"] == result["dueNow"] > 0
    assert (estimate["hasPaymentFailure"], result["hasPaymentFailure"]) == (True, False)
    assert finn.get("/api/account").json()["hasPaymentFailure"] is True
