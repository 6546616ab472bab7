"""Receipts of partial changes: they name what was done, and no step twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.changes import billing_period, cancellation, pauses, plan_selection, undo
from billing.errors import BillingPartial
from billing.jobs.command_kinds import RECEIPT_COMPOSERS
from billing.models import BundleRate, Command, Subscription
from billing.receipts import partial_receipts
from billing.survey import Survey
from billing.tests.support.faulty_proxy import FaultyProxy
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, VISA_CARD, Provider

pytestmark = pytest.mark.django_db(transaction=True)


def upgrade_plans(account: Account, key: str = "up") -> None:
    arguments: dict[str, Any] = {"direction": "upgrade", "plan_ids": None, "quote": None}
    billing_period.switch_period(account, **arguments, key=key, actor="you", now=clock.billing_now())


def pause_plans(account: Account) -> None:
    pauses.schedule_pause(account, subscription_ids=None, days=30, key="pause", actor="you", now=clock.billing_now())


def send_receipts_after_half_an_hour() -> int:
    Command.objects.filter(finished_at__isnull=False).update(finished_at=timezone.now() - timedelta(minutes=30))
    return partial_receipts.send_partial_receipts(RECEIPT_COMPOSERS, now=clock.billing_now())["told_in_part"]


def mail_contexts(account: Account) -> list[Any]:
    return [mail.context for mail in OutgoingMail.objects.filter(account=account).order_by("pk")]


def charged_fact(invoices: list[Any]) -> list[str]:
    """Return the fact that shows the sum of these invoices."""
    return ["Charged", f"${sum(invoice.amount_paid for invoice in invoices) / 100:.2f}, taxes included"]


def make_half_upgraded(provider: Provider, faulty_proxy: FaultyProxy) -> Account:
    """Create Ava, whose upgrade of two plans was declined at the second."""
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    faulty_proxy.run_after_write(lambda: provider.add_card("ava", DECLINING_CARD))
    with pytest.raises(BillingPartial):
        upgrade_plans(ava)
    provider.add_card("ava", VISA_CARD)
    return ava


def test_an_unfinished_partial_change_gets_one_receipt_of_its_done_part(
    provider: Provider, faulty_proxy: FaultyProxy
) -> None:
    ava = make_half_upgraded(provider, faulty_proxy)
    assert partial_receipts.send_partial_receipts(RECEIPT_COMPOSERS, now=clock.billing_now()) == {"told_in_part": 0}
    assert mail_contexts(ava) == []

    assert send_receipts_after_half_an_hour() == 1
    assert send_receipts_after_half_an_hour() == 0

    (receipt,) = mail_contexts(ava)
    assert receipt["title"] == "Faith & Family is now billed annually"
    assert receipt["lines"][-1] == partial_receipts.REST_NOT_DONE
    assert charged_fact(provider.invoices(ava)[-1:]) in receipt["facts"]


def test_finishing_later_sends_a_receipt_of_the_rest_only(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    ava = make_half_upgraded(provider, faulty_proxy)
    send_receipts_after_half_an_hour()

    upgrade_plans(ava)

    assert [context["title"] for context in mail_contexts(ava)][1:] == ["Gospel TV is now billed annually"]
    assert charged_fact(provider.invoices(ava)[-1:]) in mail_contexts(ava)[1]["facts"]
    assert partial_receipts.REST_NOT_DONE not in mail_contexts(ava)[1]["lines"]
    assert send_receipts_after_half_an_hour() == 0


@pytest.mark.parametrize("key", ["up", "a-new-click"])
def test_finishing_at_once_sends_one_receipt_of_the_whole(
    provider: Provider, faulty_proxy: FaultyProxy, key: str
) -> None:
    ava = make_half_upgraded(provider, faulty_proxy)

    upgrade_plans(ava, key=key)
    send_receipts_after_half_an_hour()

    assert [context["title"] for context in mail_contexts(ava)] == [
        "Faith & Family and Gospel TV are now billed annually"
    ]


def test_a_change_finished_soon_gets_a_receipt_of_all_charges(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    ava = make_half_upgraded(provider, faulty_proxy)
    provider.travel(minutes=5)

    upgrade_plans(ava, key="up")

    assert charged_fact(provider.invoices(ava)[-2:]) in mail_contexts(ava)[0]["facts"]


def test_a_partial_change_undone_meanwhile_gets_no_receipt(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL)
    gospel = provider.subscription(ava, GOSPEL).id
    provider.sdk.Subscription.pause(gospel, {"pause_option": "immediately"})
    with pytest.raises(BillingPartial):
        pause_plans(ava)
    pauses.remove_scheduled_pause(ava, subscription_ids=None, key="back", actor="you", now=clock.billing_now())

    assert send_receipts_after_half_an_hour() == 0
    assert [context["title"] for context in mail_contexts(ava)] == [
        "Your scheduled pause of Faith & Family was removed"
    ]


def make_half_canceled(provider: Provider, name: str) -> Account:
    """Create a subscriber whose cancellation failed for Gospel TV, which was already canceled at the provider."""
    account = provider.subscriber(name, FAITH, GOSPEL)
    gospel = provider.subscription(account, GOSPEL).id
    provider.sdk.Subscription.cancel_for_items(gospel, {"cancel_option": "immediately"})
    with pytest.raises(BillingPartial):
        cancellation.cancel_subscriptions(
            account, subscription_ids=None, survey=Survey(), key="bye", actor="you", now=clock.billing_now()
        )
    return account


def test_a_receipt_that_cannot_be_composed_does_not_block_the_others(provider: Provider) -> None:
    ava, ben = make_half_canceled(provider, "ava"), make_half_canceled(provider, "ben")
    Subscription.objects.filter(customer__account=ava).delete()

    assert send_receipts_after_half_an_hour() == 1

    assert (len(mail_contexts(ava)), len(mail_contexts(ben))) == (0, 1)


def test_the_receipt_of_a_partial_cancellation_links_its_undo(provider: Provider) -> None:
    ava = make_half_canceled(provider, "ava")

    assert send_receipts_after_half_an_hour() == 1

    (receipt,) = mail_contexts(ava)
    faith = Subscription.objects.get(customer__account=ava, item_price_id="faith-family-plan-USD-Monthly").provider_id
    assert receipt["title"] == "Your cancellation of Faith & Family is scheduled"
    assert receipt["action_url"].endswith(f"/dashboard?undo={faith}")
    undo.remove_scheduled_cancellation(ava, subscription_ids=[faith], key="keep", actor="you", now=clock.billing_now())
    assert mail_contexts(ava)[-1]["title"] == "Your cancellation of Faith & Family was undone"


def test_the_receipt_of_a_partial_addition_shows_the_charge(provider: Provider, faulty_proxy: FaultyProxy) -> None:
    ava = provider.subscriber("ava", FAITH)
    faulty_proxy.run_after_write(lambda: provider.add_card("ava", DECLINING_CARD))
    arguments: dict[str, Any] = {"plan_ids": [FAITH, GOSPEL, KIDS], "quote": None}
    with pytest.raises(BillingPartial):
        plan_selection.change_selection(ava, **arguments, key="add", actor="you", now=clock.billing_now())

    assert send_receipts_after_half_an_hour() == 1

    (receipt,) = mail_contexts(ava)
    assert ["Gospel TV", "starts now"] in receipt["facts"]
    assert receipt["lines"][-1] == partial_receipts.REST_NOT_DONE
    assert charged_fact(provider.invoices(ava)[-1:]) in receipt["facts"]
