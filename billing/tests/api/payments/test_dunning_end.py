"""What holds when the provider's last retry of a payment has failed (docs/rules.md, rule 10)."""

from __future__ import annotations

from typing import Any

import pytest

from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import VISA_CARD

pytestmark = pytest.mark.django_db

FAILURE = "/api/account/check-payment-failure"


def exhaust_dunning(shop: SyncedProvider, dunning_end: str) -> tuple[Browser, str]:
    """Return Finn's browser and the id of his subscription, whose renewal was never paid."""
    shop.provider.sandbox.configure_site(dunning_end=dunning_end)
    browser = Browser(shop.customer("finn"))
    faith = shop.subscribe("finn", FAITH)
    shop.provider.add_card("finn", DECLINING_CARD)
    shop.pass_term_end("finn", faith, days=10)
    return browser, faith


def read_failure(browser: Browser) -> tuple[Any, ...]:
    """Return whether a payment failed, and the plans canceled and paused over it."""
    body = browser.get(FAILURE).json()
    return body["hasPaymentFailure"], body["canceledPlans"], body["pausedPlans"]


@pytest.mark.shows("rule-10", "api-8")
@pytest.mark.parametrize(("dunning_end", "status"), [("keep", "ACTIVE"), ("cancel", "CANCELLED"), ("pause", "PAUSED")])
def test_the_failure_names_the_plans_that_the_provider_has_ended(
    shop: SyncedProvider, dunning_end: str, status: str
) -> None:
    browser, _ = exhaust_dunning(shop, dunning_end)
    [plan] = browser.get("/api/account").json()["plans"]
    names = [plan["name"]]
    assert plan["status"] == status
    assert read_failure(browser) == (
        True,
        names if status == "CANCELLED" else [],
        names if status == "PAUSED" else [],
    )


def test_a_plan_paused_as_unpaid_resumes_after_the_payment(shop: SyncedProvider) -> None:
    browser, faith = exhaust_dunning(shop, "pause")
    shop.provider.add_card("finn", VISA_CARD)
    [due] = [invoice["id"] for invoice in shop.invoices("finn") if invoice["amount_due"]]
    shop.client.Invoice.collect_payment(due)
    shop.import_customer("finn")
    assert read_failure(browser) == (False, [], [])
    assert browser.get("/api/account/resume/estimate").json()["amountDue"] == 0
    assert browser.post("/api/account/resume").status_code == 200
    assert shop.subscription(faith)["status"] == "active"
