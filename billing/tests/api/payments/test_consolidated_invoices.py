"""A site that puts what renews on a day on one invoice: shown, paid, and told as one bill of several plans."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import AccountEvent
from billing.tests.admin.act_page import ActPage
from billing.tests.api.browser import Browser, read_bills
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.payments.card_forms import change_source, provider_sources
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider

pytestmark = pytest.mark.django_db

PLANS = ["Faith & Family", "Gospel TV"]


@pytest.fixture
def consolidating_shop(shop: SyncedProvider) -> SyncedProvider:
    """A shop whose provider consolidates invoices, where Ava has two plans."""
    shop.provider.sandbox.configure_site(consolidated_invoices=True)
    shop.customer("ava")
    for plan in (FAITH, GOSPEL):
        shop.subscribe("ava", plan)
    return shop


def renew_unpaid(shop: SyncedProvider, **site: Any) -> dict[str, Any]:
    """Let Ava's plans renew with a card that declines; return the invoice of both."""
    shop.provider.sandbox.configure_site(**site)
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.pass_term_end("ava", newest_id(shop))
    return shop.invoices("ava")[0]


def newest_id(shop: SyncedProvider) -> str:
    """Return the id of Ava's plan that ends last."""
    return str(shop.client.Subscription.list({"customer_id": {"is": "ava"}}).list[0].subscription.id)


@pytest.mark.shows("rule-21")
def test_a_renewal_is_one_row_of_the_history_and_costs_what_was_shown(consolidating_shop: SyncedProvider) -> None:
    shop = consolidating_shop
    browser = Browser(shop.import_customer("ava"))
    shown = [bill["amount"] for bill in read_bills(shop.import_customer("ava")) if not bill["follows"]]
    shop.pass_term_end("ava", newest_id(shop))
    [row, *_earlier] = browser.get("/api/invoice/list").json()
    assert [item["name"] for item in row["items"]] == PLANS
    assert row["total"] == sum(shown) == 699 + 799
    assert shop.invoices("ava")[0]["amount_paid"] == row["total"]


@pytest.mark.shows("rule-10", "api-8")
def test_a_declined_renewal_is_overdue_on_both_plans_until_it_is_paid(consolidating_shop: SyncedProvider) -> None:
    shop = consolidating_shop
    due = renew_unpaid(shop)
    browser = Browser(shop.import_customer("ava"))
    body = browser.get("/api/account/check-payment-failure").json()
    [failed] = body["failedPayments"]
    assert (sorted(failed["plans"]), failed["amountDue"]) == (PLANS, due["total"])
    visa = provider_sources(shop, "ava")["1111"]["id"]
    assert change_source(browser, "SETPRIMARY", visa).json()["collected"] == due["total"]
    assert shop.invoices("ava")[0]["status"] == "paid"
    assert not browser.get("/api/account/check-payment-failure").json()["hasPaymentFailure"]


@pytest.mark.shows("rule-10", "api-8")
def test_the_end_of_dunning_ends_both_plans(consolidating_shop: SyncedProvider) -> None:
    renew_unpaid(consolidating_shop, dunning_end="cancel", dunning_retries=1)
    browser = Browser(consolidating_shop.import_customer("ava"))
    assert sorted(browser.get("/api/account/check-payment-failure").json()["canceledPlans"]) == PLANS


@pytest.mark.shows("rule-24")
def test_support_refunds_a_part_of_it(consolidating_shop: SyncedProvider) -> None:
    shop = consolidating_shop
    shop.pass_term_end("ava", newest_id(shop))
    ava = shop.import_customer("ava")
    number = shop.invoices("ava")[0]["id"]
    page = ActPage(ava)
    question = page.ask("refund", about=number, way="refund", amount="2.00", reason_code="waiver")
    assert f"$2.00 of invoice {number} was refunded." in page.confirm(question)
    [refund] = shop.client.Transaction.list({"type": {"is": "refund"}}).list
    assert refund.transaction.amount == 200
    assert AccountEvent.objects.filter(account=ava, text__contains="$2.00").exists()
