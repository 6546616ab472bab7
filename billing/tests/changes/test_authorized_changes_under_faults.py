"""Changes whose charges the bank has confirmed, under faults: each intent pays its charge once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Account
from billing import clock
from billing.changes import plan_selection
from billing.commands import lifecycle
from billing.errors import BillingPartial, BillingUnconfirmed
from billing.jobs.command_kinds import COMMAND_KINDS
from billing.models import Command
from billing.payment_methods import intents
from billing.queries.payments.payment_methods import wallet_of
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider
from billing.tests.support.subscriber_wallet import SubscriberWallet
from chargebee_sandbox.tests.support.hosted_fields import ALWAYS_AUTHENTICATED_CARD, Payer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("assert_settled_after")]

AMOUNTS = (799, 899)


@pytest.fixture
def ava(provider: Provider) -> Account:
    """Return Ava, who has Faith & Family; the bank of her card asks for every payment."""
    account = provider.subscriber("ava", FAITH)
    wallet = SubscriberWallet(provider, account)
    card = wallet.add_card(wallet.authorize_card(ALWAYS_AUTHENTICATED_CARD))
    assert card.source_id is not None
    wallet.make_default(card.source_id)
    return account


def authorize_charge(provider: Provider, account: Account, amount: int) -> str:
    """Have the bank of the default card confirm an amount in cents; return the intent's id."""
    source, key = str(wallet_of(account).primary_id), f"{amount} at {clock.billing_now()}"
    intent = str(intents.create_change_intent(account, source, amount, currency="USD", key=key)["id"])
    assert Payer(provider.sandbox.url).authorize_stored_card(intent)
    return intent


def add_two_services(account: Account, paid_with: Sequence[str], *, key: str = "one-intent") -> dict[str, Any]:
    """Add Gospel TV and Kids, each with a charge of its own."""
    return plan_selection.change_selection(
        account,
        plan_ids=[FAITH, GOSPEL, KIDS],
        quote=None,
        key=key,
        actor="you",
        now=clock.billing_now(),
        intents=paid_with,
    )


def settle_later(provider: Provider, faulty_proxy: FaultyProxy, *, minutes: int) -> None:
    """Restore the connection, let minutes pass, and settle the command as the sweep does."""
    faulty_proxy.restore()
    provider.travel(minutes=minutes)
    Command.objects.filter(state__in=Command.OPEN).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    lifecycle.settle_due_commands(COMMAND_KINDS, now=clock.billing_now())


def statuses(provider: Provider, paid_with: Sequence[str]) -> list[str]:
    """Return the provider's statuses of payment intents."""
    return [provider.sdk.PaymentIntent.retrieve(intent).payment_intent.status for intent in paid_with]


@pytest.mark.shows("rule-20", "reliability-3", "reliability-4")
@pytest.mark.parametrize(("lost_write", "minutes"), [(1, 0), (2, 0), (2, 31)])
def test_a_lost_answer_uses_each_intent_once(
    provider: Provider, ava: Account, faulty_proxy: FaultyProxy, lost_write: int, minutes: int
) -> None:
    paid_with = [authorize_charge(provider, ava, amount) for amount in AMOUNTS]
    faulty_proxy.lose_write(lost_write)
    with pytest.raises(BillingUnconfirmed):
        add_two_services(ava, paid_with)

    settle_later(provider, faulty_proxy, minutes=minutes)
    add_two_services(ava, paid_with)

    assert statuses(provider, paid_with) == ["consumed", "consumed"]
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, *AMOUNTS]
    assert Command.objects.get(kind="add_remove_service").state == Command.State.SUCCEEDED


@pytest.mark.shows("rule-20", "reliability-4")
def test_an_intent_that_expires_before_its_turn_leaves_its_charge_to_be_confirmed_again(
    provider: Provider, ava: Account, faulty_proxy: FaultyProxy
) -> None:
    paid_with = [authorize_charge(provider, ava, amount) for amount in AMOUNTS]
    faulty_proxy.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        add_two_services(ava, paid_with)

    settle_later(provider, faulty_proxy, minutes=31)
    with pytest.raises(BillingPartial):
        add_two_services(ava, paid_with)
    assert statuses(provider, paid_with) == ["consumed", "expired"]

    add_two_services(ava, [authorize_charge(provider, ava, AMOUNTS[1])], key="a-new-click")
    assert [invoice.total for invoice in provider.invoices(ava)] == [699, *AMOUNTS]
    assert Command.objects.get(kind="add_remove_service").state == Command.State.SUCCEEDED
