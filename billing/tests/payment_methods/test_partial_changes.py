"""Changes of payment methods that were done in part and are asked for anew: the card that was meant, and once."""

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


def payment_receipts(purse: SubscriberWallet) -> list[OutgoingMail]:
    """What was mailed of the account's changes."""
    return list(OutgoingMail.objects.filter(account=purse.account, kind="receipt").order_by("pk"))


@pytest.fixture
def ava(provider: Provider) -> SubscriberWallet:
    """Ava, with a plan, a Visa that pays for it and a Mastercard besides."""
    purse = SubscriberWallet(provider, provider.subscriber("ava", FAITH))
    purse.add_card(purse.create_token(MASTERCARD))
    return purse


@pytest.fixture
def finn(provider: Provider) -> SubscriberWallet:
    """Finn, whose card declined two renewals."""
    return overdue_wallet(provider)


@pytest.mark.parametrize("role", ["primary", "backup", None])
def test_an_update_done_in_part_and_repeated_with_a_new_token_leaves_one_new_card(
    ava: SubscriberWallet, sandbox: Sandbox, role: str | None
) -> None:
    old = str(ava.source_in_role()) if role == "primary" else ava.other_source()
    if role == "backup":
        ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": old, "role": role})
        account_import.resync_account(ava.account)
    sandbox.refuse_requests("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace_card(old, ava.create_token(AMEX))
    kept = set(ava.provider_sources()) - {old}
    assert len(kept) == 2

    outcome = ava.replace_card(old, ava.create_token(JCB))

    assert sorted(ava.shown_cards()) == sorted(ava.provider_sources())
    assert ava.last_digits() == sorted(["0000", "4444" if role == "primary" else "1111"])
    assert {name: ava.source_in_role(name) == outcome.source_id for name in ("primary", "backup")} == {
        name: name == role for name in ("primary", "backup")
    }
    assert list(reconcile.find_differences()) == []


def test_however_often_an_update_got_half_way_only_its_last_card_stays(ava: SubscriberWallet, sandbox: Sandbox) -> None:
    old, spent = str(ava.source_in_role()), ava.create_token(VISA_CARD)
    ava.remove_source(ava.add_card(spent).source_id or "")
    for number, removed in ((AMEX, 0), (VISA_CARD, 0), (AMEX, 1)):
        sandbox.refuse_requests("/payment_sources/*/delete", after=removed)
        with pytest.raises(BillingPartial):
            ava.replace_card(old, ava.create_token(number))
    # What came to nothing, and what concerned something else, make no card of those before a chosen one.
    with pytest.raises(PaymentMethodInvalid):
        ava.replace_card(old, spent)
    ava.remove_source(ava.add_card(ava.create_token(MASTERCARD)).source_id or "")
    assert ava.last_digits() == ["0005", "1111", "1111", "4444"]
    assert old in ava.shown_cards()

    outcome = ava.replace_card(old, ava.create_token(JCB))

    assert ava.last_digits() == ["0000", "4444"]
    assert ava.source_in_role() == outcome.source_id
    assert sorted(ava.shown_cards()) == sorted(ava.provider_sources())


def test_what_came_in_place_of_one_card_stays_when_another_one_is_replaced(
    ava: SubscriberWallet, sandbox: Sandbox
) -> None:
    old, before = ava.other_source(), set(ava.provider_sources())
    for number in (AMEX, VISA_CARD):
        sandbox.refuse_requests("/payment_sources/*/delete")
        with pytest.raises(BillingPartial):
            ava.replace_card(old, ava.create_token(number))
    first = next(
        source_id
        for source_id in set(ava.provider_sources()) - before
        if ava.provider_sources()[source_id]["card"]["brand"] == "american_express"
    )

    ava.replace_card(first, ava.create_token(JCB))

    assert ava.last_digits() == ["0000", "1111", "1111", "4444"]


def test_a_card_that_came_half_way_and_was_then_chosen_stays(ava: SubscriberWallet, sandbox: Sandbox) -> None:
    old = ava.other_source()
    sandbox.refuse_requests("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace_card(old, ava.create_token(AMEX))
    [brought] = set(ava.provider_sources()) - {old, ava.source_in_role()}
    ava.make_default(brought)

    ava.replace_card(old, ava.create_token(JCB))

    assert ava.last_digits() == ["0000", "0005", "1111"]
    assert ava.source_in_role() == brought


@pytest.mark.parametrize("parts_done", [1, 2])
def test_an_addition_done_in_part_and_repeated_with_a_new_token_keeps_its_card_once(
    finn: SubscriberWallet, sandbox: Sandbox, parts_done: int
) -> None:
    before = set(finn.provider_sources())
    for refused in ("/customers/*/assign_payment_role", "/payment_sources/*/delete")[:parts_done]:
        sandbox.refuse_requests(refused)
        with pytest.raises(BillingPartial):
            finn.add_card(finn.create_token(AMEX))
    brought = set(finn.provider_sources()) - before

    outcome = finn.add_card(finn.create_token(AMEX))

    assert [outcome.source_id] == [finn.source_in_role()] == [*set(finn.provider_sources()) & brought]
    assert finn.last_digits() == ["0004", "0005", "1111"]
    assert sorted(cents for _, cents in finn.paid_charges()) == [699, 699, 799, 799]
    assert [mail.context["title"] for mail in payment_receipts(finn)] == [ADDED]
    assert sorted(finn.shown_cards()) == sorted(finn.provider_sources())
    assert list(reconcile.find_differences()) == []


def test_another_number_after_an_addition_done_in_part_is_another_card(
    finn: SubscriberWallet, sandbox: Sandbox
) -> None:
    sandbox.refuse_requests("/customers/*/assign_payment_role")
    with pytest.raises(BillingPartial):
        finn.add_card(finn.create_token(AMEX))

    outcome = finn.add_card(finn.create_token(JCB))

    assert finn.last_digits() == ["0000", "0004", "0005", "1111"]
    assert finn.provider_sources()[str(outcome.source_id)]["card"]["last4"] == "0000"


def test_a_card_that_is_added_again_after_it_was_added_is_there_twice(ava: SubscriberWallet) -> None:
    ava.add_card(ava.create_token(MASTERCARD))

    assert ava.last_digits() == ["1111", "4444", "4444"]


@pytest.mark.parametrize(
    ("refused", "change", "told"),
    [
        ("/customers/*/assign_payment_role", "added", [ADDED, ADDED]),
        ("/payment_sources/*/delete", "replaced", [ADDED, "American Express ending in 0005 was updated"]),
    ],
)
def test_one_that_was_told_as_done_in_part_is_finished_and_the_rest_is_told(
    finn: SubscriberWallet, sandbox: Sandbox, refused: str, change: str, told: list[str]
) -> None:
    old, token = str(finn.source_in_role()), finn.create_token(AMEX)

    def ask() -> MethodChangeResult:
        return finn.add_card(token, key="one") if change == "added" else finn.replace_card(old, token, key="one")

    sandbox.refuse_requests(refused)
    with pytest.raises(BillingPartial):
        ask()
    Command.objects.update(finished_at=timezone.now() - timedelta(minutes=11))
    assert partial_receipts.send_partial_receipts(RECEIPT_COMPOSERS, now=clock.billing_now()) == {"told_in_part": 1}

    outcome = ask()

    assert finn.source_in_role() == outcome.source_id
    assert [mail.context["title"] for mail in payment_receipts(finn)] == told
    assert [mail.context["lines"] for mail in payment_receipts(finn)] == [
        ["We charged it the $14.98 you owed.", partial_receipts.REST_NOT_DONE],
        ["The rest of your change is done."],
    ]
