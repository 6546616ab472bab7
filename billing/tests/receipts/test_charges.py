"""A receipt shows the charges of its own change: the invoices that the provider's answers name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.changes import billing_period, resumes
from billing.errors import BillingUnconfirmed
from billing.jobs import recovery
from billing.mirror import account_import
from billing.models import Command
from billing.money import format_cents
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider, utc_time

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.shows("rule-16")]


def upgrade(account: Account) -> dict[str, Any]:
    return billing_period.switch_period(
        account, direction="upgrade", plan_ids=None, quote=None, key="up", actor="you", now=clock.billing_now()
    )


def make_resumed(provider: Provider) -> Account:
    """Create Ava, who resumed a moment ago and was charged for it."""
    ava = provider.subscriber("ava", FAITH)
    provider.sdk.Subscription.pause(provider.subscription(ava).id, {"pause_option": "immediately"})
    provider.travel(days=40)
    account_import.resync_account(ava)
    resumes.resume_subscriptions(ava, subscription_ids=None, quote=None, key="re", actor="you", now=clock.billing_now())
    return ava


def make_renewed(provider: Provider) -> Account:
    """Create Ava, whose plan was renewed a moment ago."""
    ava = provider.subscriber("ava", FAITH)
    provider.travel_to(utc_time(provider.subscription(ava).current_term_end))
    account_import.resync_account(ava)
    return ava


def newest_charged_fact(account: Account) -> str:
    facts = dict(OutgoingMail.objects.filter(account=account).latest("pk").context["facts"])
    return str(facts["Charged"])


@pytest.mark.parametrize("make_account", [make_resumed, make_renewed])
def test_an_upgrade_claims_no_charge_of_a_moment_before(
    provider: Provider, make_account: Callable[[Provider], Account]
) -> None:
    ava = make_account(provider)

    upgrade(ava)

    *_, before, own = provider.invoices(ava)
    assert own.date - before.date <= 5
    assert newest_charged_fact(ava) == f"{format_cents(own.amount_paid)}, taxes included"


def test_an_upgrade_that_is_read_back_claims_its_own_charge_only(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    ava = make_resumed(provider)
    faulty_proxy.lose_write(1)
    with pytest.raises(BillingUnconfirmed):
        upgrade(ava)
    faulty_proxy.restore()
    provider.travel(days=400)

    Command.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    recovery.sweep_due_work(now=clock.billing_now())

    _first, resumed, upgraded, _renewed = provider.invoices(ava)
    assert [step.invoice_id for command in Command.objects.order_by("created_at") for step in command.steps] == [
        resumed.id,
        upgraded.id,
    ]
    assert newest_charged_fact(ava) == f"{format_cents(upgraded.amount_paid)}, taxes included"


def test_the_answer_says_what_was_charged_if_the_price_changed_meanwhile(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    ava = make_renewed(provider)

    def raise_price(request: bytes) -> None:
        if b"estimate" in request:
            provider.sdk.ItemPrice.update("faith-family-plan-USD-Yearly", {"price": 9000})

    faulty_proxy.on_answer = raise_price
    figures = upgrade(ava)

    *_, own = provider.invoices(ava)
    assert any(line.unit_amount == 9000 for line in own.line_items)
    assert figures["due_now"] == own.amount_paid
    assert newest_charged_fact(ava) == f"{format_cents(own.amount_paid)}, taxes included"


def test_the_bills_of_one_day_are_one_amount(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL)

    upgrade(ava)

    facts = dict(OutgoingMail.objects.filter(account=ava).latest("pk").context["facts"])
    bills = {name: value for name, value in facts.items() if name.startswith("Next ")}
    assert list(bills) == ["Next Faith & Family and Gospel TV bill"]
    assert bills["Next Faith & Family and Gospel TV bill"].startswith("$149.98 before tax on ")
