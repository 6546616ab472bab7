"""Refunds and credits by operators: to the cent, within their limits, each once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account, AccountEvent, OutgoingMail, User
from accounts.profile import erasure
from billing import clock
from billing.commands import lifecycle
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.mirror import reconcile
from billing.models import (
    Command,
    CreditNote,
    Customer,
    PromotionalCredit,
    RefundGrant,
    RefundLimit,
    Subscription,
    Transaction,
)
from billing.tests.admin.act_page import ActPage, assert_recorded, figures
from billing.tests.api.mirror_factory import FAITH
from billing.tests.api.synced_provider import SyncedProvider
from billing.tests.support.live_provider import DECLINING_CARD, Provider

pytestmark = pytest.mark.django_db

REFUND = {"way": "refund", "amount": "2.00", "reason_code": "waiver"}


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    return SyncedProvider(provider)


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    return shop.customer("ava")


@pytest.fixture
def number(shop: SyncedProvider, ava: Account) -> str:
    """The number of Ava's invoice of $6.99, which her Visa has paid."""
    shop.subscribe("ava", FAITH)
    return str(shop.invoices("ava")[0]["id"])


@pytest.fixture
def page(ava: Account) -> ActPage:
    return ActPage(ava)


def refunded_cents(shop: SyncedProvider) -> list[int]:
    """Return the amounts of the refunds at the provider, oldest first."""
    listed = shop.client.Transaction.list({"type": {"is": "refund"}, "limit": 100}).list
    return [entry.transaction.amount for entry in reversed(listed)]


@pytest.mark.shows("rule-24")
def test_support_refunds_a_part_to_the_card_that_paid(shop: SyncedProvider, number: str, page: ActPage) -> None:
    question = page.ask("refund", about=number, **REFUND)
    assert figures(question) == {
        "Invoice total": "$6.99",
        "Paid": "$6.99",
        "Refunded now": "$2.00",
        "Left after that": "$4.99",
    }
    assert "Visa ending in 1111" in question.content.decode()
    assert f"$2.00 of invoice {number} was refunded." in page.confirm(question)

    assert refunded_cents(shop) == [200]
    assert_recorded("refund_invoice")
    note = CreditNote.objects.get()
    assert (note.invoice_number, note.cents("amount_refunded"), note.text("reason_code")) == (number, 200, "waiver")
    assert Transaction.objects.get(payload__type="refund").cents("amount") == 200
    mail = OutgoingMail.objects.get(kind="receipt")
    assert mail.context["title"] == "We refunded $2.00 to your Visa ending in 1111"
    assert dict(mail.context["facts"])["Reference"] == note.text("customer_notes")
    assert AccountEvent.objects.get(actor="support:sam").text == mail.context["title"]
    assert list(reconcile.find_differences()) == []


@pytest.mark.shows("rule-24", "money-5")
def test_yen_are_typed_and_shown_without_decimals(shop: SyncedProvider, page: ActPage) -> None:
    terms = {"pricing_model": "flat_fee", "price": 500, "currency_code": "JPY", "period": 1, "period_unit": "month"}
    shop.client.ItemPrice.create({"id": "yen", "name": "yen", "item_id": FAITH, **terms})
    shop.client.Subscription.create_with_items("ava", {"subscription_items": [{"item_price_id": "yen", "quantity": 1}]})
    shop.import_customer("ava")
    number = str(shop.invoices("ava")[0]["id"])

    half = page.ask("refund", about=number, **{**REFUND, "amount": "0.5"})
    assert "no more than 0 decimal places" in half.content.decode()
    assert "You may give 5,000 JPY now." in half.content.decode()
    over = page.ask("refund", about=number, **{**REFUND, "amount": "5001"})
    assert "You may give 5,000 JPY at once and 25,000 JPY in 24 hours; 5,000 JPY is left." in over.content.decode()
    question = page.ask("refund", about=number, **{**REFUND, "amount": "200"})

    assert figures(question) == {
        "Invoice total": "500 JPY",
        "Paid": "500 JPY",
        "Refunded now": "200 JPY",
        "Left after that": "300 JPY",
    }
    assert f"200 JPY of invoice {number} was refunded." in page.confirm(question)
    assert refunded_cents(shop) == [200]


@pytest.mark.shows("rule-24", "error-38", "error-39")
def test_no_more_than_was_paid_is_given_back(shop: SyncedProvider, number: str, page: ActPage) -> None:
    too_much = page.ask("refund", about=number, **{**REFUND, "amount": "7.00"})
    assert "At most $6.99 can be given back in this way. (refund_too_large)" not in too_much.content.decode()
    assert "At most $6.99 can be given back in this way." in too_much.content.decode()
    page.perform("refund", about=number, **{**REFUND, "amount": "6.00"})
    assert "At most $0.99" in page.ask("refund", about=number, **REFUND).content.decode()
    page.perform("refund", about=number, **{**REFUND, "way": "credit", "amount": "0.99"})
    nothing_left = page.ask("refund", about=number, **{**REFUND, "amount": "0.01"})
    assert "Nothing of this invoice can be given back." in nothing_left.content.decode()
    assert (refunded_cents(shop), shop.client.Customer.retrieve("ava").customer.refundable_credits) == ([600], 99)


@pytest.mark.parametrize("amount", ["", "0", "-1", "0.001", "1e2", "abc", "NaN", "99999999"])
def test_an_amount_that_is_none_is_refused_on_the_form(number: str, page: ActPage, amount: str) -> None:
    question = page.ask("refund", about=number, **{**REFUND, "amount": amount})
    assert question.status_code == 200
    assert "Refunded now" not in figures(question)
    assert not Command.objects.filter(kind="refund_invoice").exists()


def test_support_gives_what_was_paid_back_as_credit(shop: SyncedProvider, number: str, page: ActPage) -> None:
    question = page.ask("refund", about=number, **{**REFUND, "way": "credit", "amount": "6.99"})
    assert figures(question)["Credited now"] == "$6.99"
    assert "was given back as credit." in page.confirm(question)
    assert refunded_cents(shop) == []
    assert Customer.objects.get().cents("refundable_credits") == 699
    assert_recorded("refund_invoice")
    facts = dict(OutgoingMail.objects.get(kind="receipt").context["facts"])
    assert (facts["Credit"], facts["Your credit now"]) == ("$6.99", "$6.99")
    assert list(reconcile.find_differences()) == []


@pytest.mark.shows("money-3")
def test_the_receipt_of_a_credit_adds_none_in_another_currency(shop: SyncedProvider, page: ActPage) -> None:
    terms = {"pricing_model": "flat_fee", "price": 500, "currency_code": "JPY", "period": 1, "period_unit": "month"}
    shop.client.ItemPrice.create({"id": "yen", "name": "yen", "item_id": FAITH, **terms})
    items = [{"item_price_id": "yen", "quantity": 1}]
    shop.client.Subscription.create_with_items("ava", {"subscription_items": items})
    shop.client.PromotionalCredit.add({"customer_id": "ava", "amount": 300, "description": "Sorry"})
    shop.import_customer("ava")
    number = str(shop.invoices("ava")[0]["id"])

    page.confirm(page.ask("refund", about=number, **{**REFUND, "way": "credit", "amount": "200"}))

    facts = dict(OutgoingMail.objects.get(kind="receipt").context["facts"])
    assert facts["Credit"] == "200 JPY"
    assert "Your credit now" not in facts


def test_support_takes_an_amount_off_what_is_due(shop: SyncedProvider, number: str, page: ActPage) -> None:
    shop.provider.add_card("ava", DECLINING_CARD)
    [subscription] = [entry.subscription for entry in shop.client.Subscription.list({"limit": 1}).list]
    shop.pass_term_end("ava", subscription.id, days=1)
    due = str(shop.invoices("ava")[0]["id"])
    question = page.ask("refund", about=due, **{**REFUND, "way": "adjust", "amount": "6.99"})
    assert figures(question) == {
        "Invoice total": "$6.99",
        "Still due": "$6.99",
        "Taken off now": "$6.99",
        "Left after that": "$0.00",
    }
    assert "was taken off." in page.confirm(question)
    assert shop.invoices("ava")[0]["status"] == "paid"
    receipt = OutgoingMail.objects.filter(kind="receipt").latest("pk")
    assert receipt.context["lines"] == ["Nothing is due for it any more."]
    # No receipt of a payment that never was.
    assert not OutgoingMail.objects.filter(kind="payment", context__about__what="paid").exists()
    assert list(reconcile.find_differences()) == []


def test_support_gives_a_promotional_credit(shop: SyncedProvider, number: str, page: ActPage) -> None:
    question = page.ask("give-credit", amount="5.00")
    assert figures(question)["Promotional credit then"] == "$5.00"
    assert "A credit of $5.00 was given." in page.confirm(question)
    assert "A credit of $5.00 was given." in page.confirm(question)
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == 500
    assert PromotionalCredit.objects.get().cents("amount") == 500
    assert_recorded("give_credit")
    assert OutgoingMail.objects.get(kind="receipt").context["title"] == "We gave you a credit of $5.00"
    assert list(reconcile.find_differences()) == []


@pytest.mark.shows("rule-24")
def test_a_refund_that_is_confirmed_again_is_told_again_and_made_once(
    shop: SyncedProvider, ava: Account, number: str, page: ActPage
) -> None:
    whole = {**REFUND, "amount": "6.99"}
    question, late = page.ask("refund", about=number, **whole), page.ask("refund", about=number, **whole)
    for _ in range(2):
        assert f"$6.99 of invoice {number} was refunded." in page.confirm(question)
    assert "Nothing of this invoice can be given back." in page.confirm(late)
    assert refunded_cents(shop) == [699]


@pytest.mark.shows("rule-24")
def test_two_operators_refund_once(shop: SyncedProvider, ava: Account, number: str, page: ActPage) -> None:
    other = ActPage(ava, group="finance", name="olga")
    first, second = (operator.ask("refund", about=number, **REFUND) for operator in (page, other))
    assert "was refunded." in page.confirm(first)
    assert "The figures have changed. Nothing was done." in other.confirm(second)
    assert refunded_cents(shop) == [200]


def test_a_refund_at_the_provider_meanwhile_asks_again(shop: SyncedProvider, number: str, page: ActPage) -> None:
    question = page.ask("refund", about=number, **REFUND)
    shop.client.Invoice.refund(number, {"refund_amount": 100})
    assert "The figures have changed. Nothing was done." in page.confirm(question)
    again = page.ask("refund", about=number, **REFUND)
    assert (figures(again)["Given back before"], figures(again)["Left after that"]) == ("$1.00", "$3.99")
    assert refunded_cents(shop) == [100]


@pytest.mark.shows("error-40", "error-41")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"kind": "decline_payment"}, "The payment method refused the refund. Nothing was changed."),
        ({"kind": "error", "status": 409}, "This amount can't be given back. Nothing was changed."),
    ],
    ids=["by the gateway", "by the provider"],
)
def test_a_refund_that_is_refused_changes_nothing(
    shop: SyncedProvider, number: str, page: ActPage, fault: dict[str, Any], words: str
) -> None:
    question = page.ask("refund", about=number, **REFUND)
    shop.provider.sandbox.order_fault(method="POST", path="*/refund", **fault)
    assert words in page.confirm(question)
    assert refunded_cents(shop) == []
    assert not OutgoingMail.objects.filter(kind="receipt").exists()


@pytest.mark.shows("rule-24")
def test_a_refund_without_an_answer_is_being_confirmed_and_says_nothing_else(
    shop: SyncedProvider, number: str, page: ActPage
) -> None:
    question = page.ask("refund", about=number, **{**REFUND, "amount": "6.99"})
    shop.provider.sandbox.order_fault("drop_connection_after", "*/refund")
    text = page.confirm(question)
    assert "For ava@example.com: Chargebee hasn't confirmed this yet." in text
    assert "can be given back" not in text
    Command.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())
    assert "We refunded $6.99 to your Visa ending in 1111" in page.confirm(question)
    assert refunded_cents(shop) == [699]


@pytest.mark.shows("rule-24", "error-37")
@pytest.mark.parametrize(("group", "at_once"), [("support", "50.00"), ("finance", "500.00")])
def test_each_group_keeps_its_limit(shop: SyncedProvider, ava: Account, group: str, at_once: str) -> None:
    shop.subscribe("ava", FAITH)
    operator = ActPage(ava, group=group)
    over = operator.ask("give-credit", amount=f"{float(at_once) + 0.01:.2f}").content.decode()
    assert f"You may give ${at_once} at once" in over
    assert "was given." in operator.perform("give-credit", amount=at_once)
    RefundLimit.objects.filter(group__name=group).update(per_day=int(float(at_once) * 100) + 150)
    question = operator.ask("give-credit", amount="1.50")
    assert "was given." in operator.confirm(question)
    assert "$0.00 is left" in operator.ask("give-credit", amount="0.01").content.decode()
    assert shop.client.Customer.retrieve("ava").customer.promotional_credits == float(at_once) * 100 + 150


@pytest.fixture
def spent(shop: SyncedProvider, ava: Account) -> ActPage:
    """Sam, who may give $2.00 in 24 hours, and has given it as credit on another account."""
    RefundLimit.objects.filter(group__name="support").update(per_act=200, per_day=200)
    sam = ActPage(ava)
    sam.account = shop.customer("bob")
    assert "was given." in sam.perform("give-credit", amount="2.00")
    sam.account = ava
    return sam


@pytest.mark.shows("rule-24")
def test_a_limit_is_of_the_operator_and_not_of_the_name(ava: Account, spent: ActPage) -> None:
    assert "$0.00 is left" in spent.ask("give-credit", amount="0.01").content.decode()
    User.objects.filter(username="sam").update(username="samantha")
    assert "$0.00 is left" in spent.ask("give-credit", amount="0.01").content.decode()
    assert "was given." in ActPage(ava, name="sam").perform("give-credit", amount="2.00")


@pytest.mark.shows("rule-24")
def test_what_was_given_counts_although_the_account_is_erased(spent: ActPage) -> None:
    erasure.erase_account(Account.objects.get(email="bob@example.com"), actor="support:root")
    assert "$0.00 is left" in spent.ask("give-credit", amount="0.01").content.decode()
    RefundGrant.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert "was given." in spent.perform("give-credit", amount="2.00")
    assert [grant.amount for grant in RefundGrant.objects.all()] == [200]


def test_what_was_refused_does_not_count_whether_or_not_the_account_is_erased(
    shop: SyncedProvider, number: str, page: ActPage
) -> None:
    RefundLimit.objects.filter(group__name="support").update(per_act=200, per_day=200)
    shop.provider.sandbox.order_fault("error", "*/refund", status=400, api_error_code="invalid_state_for_request")
    page.perform("refund", about=number, **REFUND)
    assert RefundGrant.objects.count() == 1
    assert "$2.00 now" in page.ask("refund", about=number).content.decode()
    shop.client.Subscription.cancel_for_items(Subscription.objects.get().provider_id, {"cancel_option": "immediately"})
    shop.import_customer("ava")
    erasure.erase_account(page.account, actor="support:root")
    page.account = shop.customer("bob")
    assert "was given." in page.perform("give-credit", amount="2.00")


@pytest.mark.shows("rule-24")
def test_what_is_given_at_a_later_try_counts_from_then_on(shop: SyncedProvider, page: ActPage) -> None:
    RefundLimit.objects.filter(group__name="support").update(per_act=200, per_day=200)
    question = page.ask("give-credit", amount="2.00")
    shop.provider.sandbox.order_fault("error", "/promotional_credits/add", method="POST", status=429, count=9)
    assert "billing_unavailable" in page.confirm(question)
    shop.provider.sandbox.clear_faults()
    RefundGrant.objects.update(created_at=timezone.now() - timedelta(hours=23))
    assert "was given." in page.confirm(question)

    RefundGrant.objects.update(created_at=F("created_at") - timedelta(hours=2))

    assert "$0.00 is left" in page.ask("give-credit", amount="0.01").content.decode()


def test_a_limit_that_was_lowered_after_the_question_holds(shop: SyncedProvider, number: str, page: ActPage) -> None:
    question = page.ask("refund", about=number, **REFUND)
    RefundLimit.objects.update(per_act=199)
    assert "You may give $1.99 at once" in page.confirm(question)
    RefundLimit.objects.all().delete()
    assert "You may give $0.00 at once" in page.ask("refund", about=number, **REFUND).content.decode()
    assert refunded_cents(shop) == []


def test_superusers_edit_the_limits_as_amounts() -> None:
    limit = RefundLimit.objects.get(group__name="support")
    address = reverse("admin:billing_refundlimit_change", args=[limit.pk])
    operator = Client()
    operator.force_login(User.objects.create_superuser("root", password="correct horse battery staple"))
    assert 'value="50.00"' in operator.get(address).content.decode()
    values = {"group": Group.objects.get(name="support").pk, "per_act": "20", "per_day": "$99.95"}
    assert operator.post(address, values).status_code == 302
    limit.refresh_from_db()
    assert (limit.per_act, limit.per_day) == (2000, 9995)


def test_the_account_page_offers_a_refund_where_one_is_possible(
    shop: SyncedProvider, ava: Account, number: str, page: ActPage
) -> None:
    account_page = reverse("admin:accounts_account_change", args=[ava.pk])
    link = f"{page.address('refund')}?about={number}"
    assert link in page.browser.get(account_page).content.decode()
    page.perform("refund", about=number, **{**REFUND, "amount": "6.99"})
    shown = page.browser.get(account_page).content.decode()
    assert link not in shown
    assert "Used up" in shown


def test_it_refunds_no_other_accounts_invoice(shop: SyncedProvider, number: str, page: ActPage) -> None:
    page.account = shop.customer("bob")
    assert page.ask("refund", about=number, **REFUND).status_code == 404
    assert page.browser.post(page.address("refund"), {"about": number, "reason": "x", **REFUND}).status_code == 404
    assert refunded_cents(shop) == []


def test_it_says_when_the_provider_cannot_be_reached(number: str, page: ActPage, shop: SyncedProvider) -> None:
    question = page.ask("refund", about=number, **REFUND)
    shop.provider.sandbox.order_fault(kind="error", method="GET", path=f"/invoices/{number}", status=429, count=9)
    assert "billing_unavailable" in page.confirm(question)
    assert refunded_cents(shop) == []
