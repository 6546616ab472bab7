"""Changes of payment methods that were done in part and are asked for anew: the card that was meant, and once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import OutgoingMail
from billing import clock
from billing.errors import BillingPartial, PaymentMethodInvalid
from billing.models import Command
from billing.services import parts, reconcile, sync
from billing.services.payment_methods import Outcome
from billing.tests.live import FAITH, VISA, Provider
from billing.tests.purse import AMEX, JCB, MASTERCARD, Purse, overdue_purse
from conftest import Sandbox

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_step")]

ADDED = "American Express ending in 0005 was added to your account"


def receipts(purse: Purse) -> list[OutgoingMail]:
    """What was mailed of the account's changes."""
    return list(OutgoingMail.objects.filter(account=purse.account, kind="receipt").order_by("pk"))


@pytest.fixture
def ava(provider: Provider) -> Purse:
    """Ava, with a plan, a Visa that pays for it and a Mastercard besides."""
    purse = Purse(provider, provider.subscriber("ava", FAITH))
    purse.add(purse.token(MASTERCARD))
    return purse


@pytest.fixture
def finn(provider: Provider) -> Purse:
    """Finn, whose card declined two renewals."""
    return overdue_purse(provider)


@pytest.mark.parametrize("role", ["primary", "backup", None])
def test_an_update_done_in_part_and_repeated_with_a_new_token_leaves_one_new_card(
    ava: Purse, sandbox: Sandbox, role: str | None
) -> None:
    old = str(ava.role()) if role == "primary" else ava.other()
    if role == "backup":
        ava.provider.sdk.Customer.assign_payment_role("ava", {"payment_source_id": old, "role": role})
        sync.resync_account(ava.account)
    sandbox.refuse("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace(old, ava.token(AMEX))
    kept = set(ava.held()) - {old}
    assert len(kept) == 2

    outcome = ava.replace(old, ava.token(JCB))

    assert sorted(ava.shown()) == sorted(ava.held())
    assert ava.digits() == sorted(["0000", "4444" if role == "primary" else "1111"])
    assert {name: ava.role(name) == outcome.source_id for name in ("primary", "backup")} == {
        name: name == role for name in ("primary", "backup")
    }
    assert list(reconcile.differences()) == []


def test_however_often_an_update_got_half_way_only_its_last_card_stays(ava: Purse, sandbox: Sandbox) -> None:
    old, spent = str(ava.role()), ava.token(VISA)
    ava.remove(ava.add(spent).source_id or "")
    for number, removed in ((AMEX, 0), (VISA, 0), (AMEX, 1)):
        sandbox.refuse("/payment_sources/*/delete", after=removed)
        with pytest.raises(BillingPartial):
            ava.replace(old, ava.token(number))
    # What came to nothing, and what concerned something else, make no card of those before a chosen one.
    with pytest.raises(PaymentMethodInvalid):
        ava.replace(old, spent)
    ava.remove(ava.add(ava.token(MASTERCARD)).source_id or "")
    assert ava.digits() == ["0005", "1111", "1111", "4444"]
    assert old in ava.shown()

    outcome = ava.replace(old, ava.token(JCB))

    assert ava.digits() == ["0000", "4444"]
    assert ava.role() == outcome.source_id
    assert sorted(ava.shown()) == sorted(ava.held())


def test_what_came_in_place_of_one_card_stays_when_another_one_is_replaced(
    ava: Purse, sandbox: Sandbox
) -> None:
    old, before = ava.other(), set(ava.held())
    for number in (AMEX, VISA):
        sandbox.refuse("/payment_sources/*/delete")
        with pytest.raises(BillingPartial):
            ava.replace(old, ava.token(number))
    first = next(
        one for one in set(ava.held()) - before if ava.held()[one]["card"]["brand"] == "american_express"
    )

    ava.replace(first, ava.token(JCB))

    assert ava.digits() == ["0000", "1111", "1111", "4444"]


def test_a_card_that_came_half_way_and_was_then_chosen_stays(ava: Purse, sandbox: Sandbox) -> None:
    old = ava.other()
    sandbox.refuse("/payment_sources/*/delete")
    with pytest.raises(BillingPartial):
        ava.replace(old, ava.token(AMEX))
    [brought] = set(ava.held()) - {old, ava.role()}
    ava.make_default(brought)

    ava.replace(old, ava.token(JCB))

    assert ava.digits() == ["0000", "0005", "1111"]
    assert ava.role() == brought


@pytest.mark.parametrize("parts_done", [1, 2])
def test_an_addition_done_in_part_and_repeated_with_a_new_token_keeps_its_card_once(
    finn: Purse, sandbox: Sandbox, parts_done: int
) -> None:
    before = set(finn.held())
    for refused in ("/customers/*/assign_payment_role", "/payment_sources/*/delete")[:parts_done]:
        sandbox.refuse(refused)
        with pytest.raises(BillingPartial):
            finn.add(finn.token(AMEX))
    brought = set(finn.held()) - before

    outcome = finn.add(finn.token(AMEX))

    assert [outcome.source_id] == [finn.role()] == [*set(finn.held()) & brought]
    assert finn.digits() == ["0004", "0005", "1111"]
    assert sorted(cents for _, cents in finn.charges()) == [699, 699, 799, 799]
    assert [mail.context["title"] for mail in receipts(finn)] == [ADDED]
    assert sorted(finn.shown()) == sorted(finn.held())
    assert list(reconcile.differences()) == []


def test_another_number_after_an_addition_done_in_part_is_another_card(finn: Purse, sandbox: Sandbox) -> None:
    sandbox.refuse("/customers/*/assign_payment_role")
    with pytest.raises(BillingPartial):
        finn.add(finn.token(AMEX))

    outcome = finn.add(finn.token(JCB))

    assert finn.digits() == ["0000", "0004", "0005", "1111"]
    assert finn.held()[str(outcome.source_id)]["card"]["last4"] == "0000"


def test_a_card_that_is_added_again_after_it_was_added_is_there_twice(ava: Purse) -> None:
    ava.add(ava.token(MASTERCARD))

    assert ava.digits() == ["1111", "4444", "4444"]


@pytest.mark.parametrize(
    ("refused", "change", "told"),
    [
        ("/customers/*/assign_payment_role", "added", [ADDED, ADDED]),
        ("/payment_sources/*/delete", "replaced", [ADDED, "American Express ending in 0005 was updated"]),
    ],
)
def test_one_that_was_told_as_done_in_part_is_finished_and_the_rest_is_told(
    finn: Purse, sandbox: Sandbox, refused: str, change: str, told: list[str]
) -> None:
    old, token = str(finn.role()), finn.token(AMEX)

    def ask() -> Outcome:
        return finn.add(token, key="one") if change == "added" else finn.replace(old, token, key="one")

    sandbox.refuse(refused)
    with pytest.raises(BillingPartial):
        ask()
    Command.objects.update(finished_at=timezone.now() - timedelta(minutes=11))
    assert parts.tell_what_is_left(now=clock.now()) == {"told_in_part": 1}

    outcome = ask()

    assert finn.role() == outcome.source_id
    assert [mail.context["title"] for mail in receipts(finn)] == told
    assert [mail.context["lines"] for mail in receipts(finn)] == [
        ["We collected the $14.98 that was due with it.", parts.NOT_ALL],
        ["The rest of what you asked for is done now."],
    ]
