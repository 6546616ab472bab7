"""Subscriptions that an operator tied to a payment source move to its replacement."""

from __future__ import annotations

import pytest

from billing.errors import BillingPartial, BillingUnconfirmed
from billing.mirror import account_import, reconcile
from billing.models import Command, Subscription
from billing.tests.payment_methods.test_changes_under_faults import settle_commands
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, KIDS, Provider
from billing.tests.support.subscriber_wallet import AMEX, MASTERCARD, SubscriberWallet
from conftest import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ava(provider: Provider) -> SubscriberWallet:
    """Ava, with a primary Visa card and a plan that is tied to her Mastercard, with auto-collection on."""
    wallet = SubscriberWallet(provider, provider.subscriber("ava", FAITH, GOSPEL))
    wallet.add_card(wallet.authorize_card(MASTERCARD))
    tie_plan(wallet, GOSPEL, wallet.other_source(), auto_collection="on")
    return wallet


def tie_plan(wallet: SubscriberWallet, plan: str, source: str, **more: str) -> None:
    """Tie a plan to a source in the console, and resync the account."""
    subscription = wallet.provider.subscription(wallet.account, plan)
    profile = {"payment_source_id": source, **more}
    wallet.provider.sdk.Subscription.override_billing_profile(subscription.id, profile)
    account_import.resync_account(wallet.account)


def tied_sources(wallet: SubscriberWallet, *plans: str) -> list[tuple[str | None, str | None]]:
    """Return the tied source and the auto-collection of each plan at the provider."""
    subscriptions = [wallet.provider.subscription(wallet.account, plan) for plan in plans]
    return [(subscription.payment_source_id, subscription.auto_collection) for subscription in subscriptions]


def charged_source(wallet: SubscriberWallet, plan: str) -> str:
    """Return the source of the newest payment of a plan."""
    subscription = wallet.provider.subscription(wallet.account, plan).id
    filters = {"subscription_id": {"is": subscription}, "sort_by": {"desc": "date"}}
    return str(wallet.provider.sdk.Transaction.list(filters).list[0].transaction.payment_source_id)


def test_a_tied_plan_moves_to_the_replacement_of_its_card(ava: SubscriberWallet) -> None:
    old, primary = ava.other_source(), ava.source_in_role()

    new = ava.replace_card(old, ava.authorize_card(AMEX)).source_id

    assert tied_sources(ava, GOSPEL, FAITH) == [(new, "on"), (None, None)]
    assert ava.source_in_role() == primary
    assert list(reconcile.find_differences()) == []
    ava.provider.travel(days=32)
    assert charged_source(ava, GOSPEL) == new
    assert charged_source(ava, FAITH) == primary


def test_only_live_plans_tied_to_the_replaced_card_move(ava: SubscriberWallet) -> None:
    old, primary = ava.other_source(), str(ava.source_in_role())
    tie_plan(ava, FAITH, primary, auto_collection="off")
    ended = ava.provider.subscribe("ava", KIDS)
    tie_plan(ava, KIDS, old)
    ava.provider.sdk.Subscription.cancel_for_items(ended, {"cancel_option": "immediately"})
    account_import.resync_account(ava.account)

    new = ava.replace_card(old, ava.authorize_card(AMEX)).source_id

    assert tied_sources(ava, FAITH, GOSPEL, KIDS) == [(primary, "off"), (new, "on"), (None, None)]
    assert list(reconcile.find_differences()) == []


def test_a_plan_whose_card_is_removed_is_mirrored_as_untied(
    ava: SubscriberWallet,
) -> None:
    ava.remove_source(ava.other_source())

    assert tied_sources(ava, GOSPEL) == [(None, "on")]
    assert list(reconcile.find_differences()) == []


def test_a_plan_untied_meanwhile_is_left_alone(ava: SubscriberWallet) -> None:
    old, subscription = ava.other_source(), ava.provider.subscription(ava.account, GOSPEL).id
    ava.provider.sdk.Subscription.override_billing_profile(subscription, {"auto_collection": "on"})

    ava.replace_card(old, ava.authorize_card(AMEX))

    assert tied_sources(ava, GOSPEL) == [(None, "on")]
    assert not Subscription.objects.get(provider_id=subscription).text("payment_source_id")
    assert list(reconcile.find_differences()) == []


@pytest.mark.parametrize("minutes", [1, 31], ids=["within", "after"])
def test_a_tied_plan_moves_although_every_answer_is_lost(
    ava: SubscriberWallet, faulty_proxy: FaultyProxy, minutes: int
) -> None:
    old, token = ava.other_source(), ava.authorize_card(AMEX)
    faulty_proxy.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        ava.replace_card(old, token, key="one")
    while Command.objects.get(key="one").state == Command.State.UNKNOWN:
        ava.provider.travel(minutes=minutes)
        # Within the window the first write repeats the open step, so the second one's answer is lost.
        faulty_proxy.lose_write(1 if minutes > 30 else 2)
        settle_commands()
    faulty_proxy.restore()

    new = ava.replace_card(old, token, key="one").source_id

    assert tied_sources(ava, GOSPEL) == [(new, "on")]
    assert len(ava.provider.events("subscription_changed")) == 2  # the operator's and the replacement's
    assert ava.last_digits() == ["0005", "1111"]
    assert list(reconcile.find_differences()) == []


def test_a_plan_that_cannot_move_keeps_its_card_until_the_retry(ava: SubscriberWallet, sandbox: Sandbox) -> None:
    old, token = ava.other_source(), ava.authorize_card(AMEX)
    sandbox.refuse_requests("/subscriptions/*/override_billing_profile")
    with pytest.raises(BillingPartial):
        ava.replace_card(old, token, key="one")
    assert tied_sources(ava, GOSPEL) == [(old, "on")]
    assert old in ava.provider_sources()

    new = ava.replace_card(old, token, key="one").source_id

    assert tied_sources(ava, GOSPEL) == [(new, "on")]
    assert ava.last_digits() == ["0005", "1111"]
