"""Partial changes of payment methods that are requested again: they end with the wanted card, once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.errors import BillingPartial, PaymentMethodInvalid
from billing.jobs.command_kinds import RECEIPT_COMPOSERS
from billing.mirror import account_import, reconcile
from billing.models import Command
from billing.payment_methods.changes import MethodChangeResult
from billing.receipts import partial_receipts
from billing.tests.support.live_provider import FAITH, VISA_CARD, Provider
from billing.tests.support.subscriber_wallet import AMEX, JCB, MASTERCARD, SubscriberWallet, overdue_wallet
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

ADDED = "American Express ending in 0005 was added to your account"


def payment_receipts(wallet: SubscriberWallet) -> list[OutgoingMail]:
    """Return the receipts of the account."""
    return list(OutgoingMail.objects.filter(account=wallet.account, kind="receipt").order_by("pk"))


@pytest.fixture
def ava(provider: Provider) -> SubscriberWallet:
    """Ava, with a plan, a primary Visa card and a Mastercard."""
    wallet = SubscriberWallet(provider, provider.subscriber("ava", FAITH))
    wallet.add_card(wallet.authorize_card(MASTERCARD))
    return wallet


@pytest.fixture
def finn(provider: Provider) -> SubscriberWallet:
    """Finn, whose card declined two renewals."""
    return overdue_wallet(provider)


@pytest.mark.parametrize("role", ["primary", "backup", None])
def test_a_partial_update_repeated_with_a_new_token_leaves_one_new_card(
    ava: SubscriberWallet, sandbox: Sandbox, role: str | None
) -> None:
    old = str(ava.source_in_role()) if role == "primary" else ava.other_source()
    if role == "backup":
        ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": old, "role": role})
        account_import.resync_account(ava.account)
    sandbox.refuse_requests("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace_card(old, ava.authorize_card(AMEX))
    remaining = set(ava.provider_sources()) - {old}
    assert len(remaining) == 2

    outcome = ava.replace_card(old, ava.authorize_card(JCB))

    assert sorted(ava.shown_cards()) == sorted(ava.provider_sources())
    assert ava.last_digits() == sorted(["0000", "4444" if role == "primary" else "1111"])
    assert {name: ava.source_in_role(name) == outcome.source_id for name in ("primary", "backup")} == {
        name: name == role for name in ("primary", "backup")
    }
    assert list(reconcile.find_differences()) == []


def test_only_the_last_card_of_repeated_partial_updates_stays(ava: SubscriberWallet, sandbox: Sandbox) -> None:
    old, spent = str(ava.source_in_role()), ava.authorize_card(VISA_CARD)
    ava.remove_source(ava.add_card(spent).source_id or "")
    for number, removed in ((AMEX, 0), (VISA_CARD, 0), (AMEX, 1)):
        sandbox.refuse_requests("/payment_sources/*/delete", after=removed)
        with pytest.raises(BillingPartial):
            ava.replace_card(old, ava.authorize_card(number))
    # A refused update and changes of other cards do not make the subscriber's choice of the cards added before.
    with pytest.raises(PaymentMethodInvalid):
        ava.replace_card(old, spent)
    ava.remove_source(ava.add_card(ava.authorize_card(MASTERCARD)).source_id or "")
    assert ava.last_digits() == ["0005", "1111", "1111", "4444"]
    assert old in ava.shown_cards()

    outcome = ava.replace_card(old, ava.authorize_card(JCB))

    assert ava.last_digits() == ["0000", "4444"]
    assert ava.source_in_role() == outcome.source_id
    assert sorted(ava.shown_cards()) == sorted(ava.provider_sources())


def test_the_replacements_of_one_card_stay_when_another_card_is_replaced(
    ava: SubscriberWallet, sandbox: Sandbox
) -> None:
    old, before = ava.other_source(), set(ava.provider_sources())
    for number in (AMEX, VISA_CARD):
        sandbox.refuse_requests("/payment_sources/*/delete")
        with pytest.raises(BillingPartial):
            ava.replace_card(old, ava.authorize_card(number))
    first = next(
        source_id
        for source_id in set(ava.provider_sources()) - before
        if ava.provider_sources()[source_id]["card"]["brand"] == "american_express"
    )

    ava.replace_card(first, ava.authorize_card(JCB))

    assert ava.last_digits() == ["0000", "1111", "1111", "4444"]


def test_a_card_of_a_partial_update_stays_once_it_is_the_default(ava: SubscriberWallet, sandbox: Sandbox) -> None:
    old = ava.other_source()
    sandbox.refuse_requests("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace_card(old, ava.authorize_card(AMEX))
    [added] = set(ava.provider_sources()) - {old, ava.source_in_role()}
    ava.make_default(added)

    ava.replace_card(old, ava.authorize_card(JCB))

    assert ava.last_digits() == ["0000", "0005", "1111"]
    assert ava.source_in_role() == added


@pytest.mark.parametrize("parts_done", [1, 2])
def test_a_partial_addition_repeated_with_a_new_token_adds_one_card(
    finn: SubscriberWallet, sandbox: Sandbox, parts_done: int
) -> None:
    before = set(finn.provider_sources())
    for refused in ("/customers/*/assign_payment_role", "/payment_sources/*/delete")[:parts_done]:
        sandbox.refuse_requests(refused)
        with pytest.raises(BillingPartial):
            finn.add_card(finn.authorize_card(AMEX))
    added = set(finn.provider_sources()) - before

    outcome = finn.add_card(finn.authorize_card(AMEX))

    assert [outcome.source_id] == [finn.source_in_role()] == [*set(finn.provider_sources()) & added]
    assert finn.last_digits() == ["0004", "0005", "1111"]
    assert sorted(cents for _, cents in finn.paid_charges()) == [699, 699, 799, 799]
    assert [mail.context["title"] for mail in payment_receipts(finn)] == [ADDED]
    assert sorted(finn.shown_cards()) == sorted(finn.provider_sources())
    assert list(reconcile.find_differences()) == []


def test_another_number_after_a_partial_addition_adds_another_card(finn: SubscriberWallet, sandbox: Sandbox) -> None:
    sandbox.refuse_requests("/customers/*/assign_payment_role")
    with pytest.raises(BillingPartial):
        finn.add_card(finn.authorize_card(AMEX))

    outcome = finn.add_card(finn.authorize_card(JCB))

    assert finn.last_digits() == ["0000", "0004", "0005", "1111"]
    assert finn.provider_sources()[str(outcome.source_id)]["card"]["last4"] == "0000"


def test_a_card_added_twice_is_stored_twice(ava: SubscriberWallet) -> None:
    ava.add_card(ava.authorize_card(MASTERCARD))

    assert ava.last_digits() == ["1111", "4444", "4444"]


@pytest.mark.parametrize(
    ("refused", "change", "titles"),
    [
        ("/customers/*/assign_payment_role", "added", [ADDED, ADDED]),
        ("/payment_sources/*/delete", "replaced", [ADDED, "American Express ending in 0005 was updated"]),
    ],
)
def test_finishing_after_a_partial_receipt_sends_a_receipt_of_the_rest(
    finn: SubscriberWallet, sandbox: Sandbox, refused: str, change: str, titles: list[str]
) -> None:
    old, token = str(finn.source_in_role()), finn.authorize_card(AMEX)

    def make_change() -> MethodChangeResult:
        return finn.add_card(token, key="one") if change == "added" else finn.replace_card(old, token, key="one")

    sandbox.refuse_requests(refused)
    with pytest.raises(BillingPartial):
        make_change()
    Command.objects.update(finished_at=timezone.now() - timedelta(minutes=11))
    assert partial_receipts.send_partial_receipts(RECEIPT_COMPOSERS, now=clock.billing_now()) == {"told_in_part": 1}

    outcome = make_change()

    assert finn.source_in_role() == outcome.source_id
    assert [mail.context["title"] for mail in payment_receipts(finn)] == titles
    assert [mail.context["lines"] for mail in payment_receipts(finn)] == [
        ["We charged it the $14.98 you owed.", partial_receipts.REST_NOT_DONE],
        ["The rest of your change is done."],
    ]
