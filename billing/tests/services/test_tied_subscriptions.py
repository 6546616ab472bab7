"""Subscriptions that an operator tied to a payment source: where that one is replaced they follow to the new one."""

from __future__ import annotations

import pytest

from billing.errors import BillingPartial, BillingUnconfirmed
from billing.models import Command, Subscription
from billing.services import reconcile, sync
from billing.tests.cable import Cable
from billing.tests.live import FAITH, GOSPEL, KIDS, Provider
from billing.tests.purse import AMEX, MASTERCARD, Purse
from billing.tests.services.test_payment_methods_under_faults import settle
from conftest import Sandbox

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ava(provider: Provider) -> Purse:
    """Ava, who pays with a Visa, but for one plan that is tied to her Mastercard and is collected whatever happens."""
    purse = Purse(provider, provider.subscriber("ava", FAITH, GOSPEL))
    purse.add(purse.token(MASTERCARD))
    tie(purse, GOSPEL, purse.other(), auto_collection="on")
    return purse


def tie(purse: Purse, plan: str, source: str, **more: str) -> None:
    """Have an operator tie a plan to a source, and the portal hear of it."""
    subscription = purse.provider.subscription(purse.account, plan)
    profile = {"payment_source_id": source, **more}
    purse.provider.sdk.Subscription.override_billing_profile(subscription.id, profile)
    sync.resync_account(purse.account)


def tied(purse: Purse, *plans: str) -> list[tuple[str | None, str | None]]:
    """What plans are tied to at the provider, and whether each is collected by itself."""
    held = [purse.provider.subscription(purse.account, plan) for plan in plans]
    return [(one.payment_source_id, one.auto_collection) for one in held]


def charged(purse: Purse, plan: str) -> str:
    """The source that the newest payment of a plan was taken from."""
    subscription = purse.provider.subscription(purse.account, plan).id
    filters = {"subscription_id": {"is": subscription}, "sort_by": {"desc": "date"}}
    return str(purse.provider.sdk.Transaction.list(filters).list[0].transaction.payment_source_id)


def test_a_plan_follows_to_the_card_that_takes_its_ones_place(ava: Purse) -> None:
    old, primary = ava.other(), ava.role()

    new = ava.replace(old, ava.token(AMEX)).source_id

    assert tied(ava, GOSPEL, FAITH) == [(new, "on"), (None, None)]
    assert ava.role() == primary
    assert list(reconcile.differences()) == []
    ava.provider.travel(days=32)
    assert charged(ava, GOSPEL) == new
    assert charged(ava, FAITH) == primary


def test_plans_follow_each_from_its_own_card_and_one_that_has_ended_does_not(ava: Purse) -> None:
    old, primary = ava.other(), str(ava.role())
    tie(ava, FAITH, primary, auto_collection="off")
    ended = ava.provider.subscribe("ava", KIDS)
    tie(ava, KIDS, old)
    ava.provider.sdk.Subscription.cancel_for_items(ended, {"cancel_option": "immediately"})
    sync.resync_account(ava.account)

    new = ava.replace(old, ava.token(AMEX)).source_id

    assert tied(ava, FAITH, GOSPEL, KIDS) == [(primary, "off"), (new, "on"), (None, None)]
    assert list(reconcile.differences()) == []


def test_a_plan_whose_card_is_removed_is_charged_to_the_default_one_and_is_seen_to_be(ava: Purse) -> None:
    ava.remove(ava.other())

    assert tied(ava, GOSPEL) == [(None, "on")]
    assert list(reconcile.differences()) == []


def test_a_plan_that_was_untied_meanwhile_is_left_alone(ava: Purse) -> None:
    old, subscription = ava.other(), ava.provider.subscription(ava.account, GOSPEL).id
    ava.provider.sdk.Subscription.override_billing_profile(subscription, {"auto_collection": "on"})

    ava.replace(old, ava.token(AMEX))

    assert tied(ava, GOSPEL) == [(None, "on")]
    assert not Subscription.objects.get(provider_id=subscription).text("payment_source_id")
    assert list(reconcile.differences()) == []


@pytest.mark.parametrize("minutes", [1, 31], ids=["within", "after"])
def test_whichever_answers_are_lost_within_or_after_the_providers_window_it_follows(
    ava: Purse, cable: Cable, minutes: int
) -> None:
    old, token = ava.other(), ava.token(AMEX)
    cable.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        ava.replace(old, token, key="one")
    while Command.objects.get(key="one").state == Command.State.UNKNOWN:
        ava.provider.travel(minutes=minutes)
        # Within the window the step that is open is asked for again, and the next one's answer is lost.
        cable.lose_write(1 if minutes > 30 else 2)
        settle()
    cable.mend()

    new = ava.replace(old, token, key="one").source_id

    assert tied(ava, GOSPEL) == [(new, "on")]
    assert len(ava.provider.events("subscription_changed")) == 2  # the operator's and this one
    assert ava.digits() == ["0005", "1111"]
    assert list(reconcile.differences()) == []


def test_one_that_cannot_be_tied_anew_keeps_its_card_and_the_next_try_finishes_it(
    ava: Purse, sandbox: Sandbox
) -> None:
    old, token = ava.other(), ava.token(AMEX)
    sandbox.refuse("/subscriptions/*/override_billing_profile")
    with pytest.raises(BillingPartial):
        ava.replace(old, token, key="one")
    assert tied(ava, GOSPEL) == [(old, "on")]
    assert old in ava.held()

    new = ava.replace(old, token, key="one").source_id

    assert tied(ava, GOSPEL) == [(new, "on")]
    assert ava.digits() == ["0005", "1111"]
