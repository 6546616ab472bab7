"""A change that was done only in part is told as far as it got, and no step twice (contract, rules 2 and 16)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Account, OutgoingMail
from billing import clock
from billing.errors import BillingPartial
from billing.models import BundleRate, Command, Subscription
from billing.services import add_remove, cancelling, parts, pauses, periods, undo
from billing.survey import Survey
from billing.tests.cable import Cable
from billing.tests.live import DECLINES, FAITH, GOSPEL, KIDS, VISA, Provider

pytestmark = pytest.mark.django_db(transaction=True)


def upgrade(account: Account, key: str = "up") -> None:
    ask: dict[str, Any] = {"direction": "upgrade", "plan_ids": None, "quote": None}
    periods.switch(account, **ask, key=key, actor="you", now=clock.now())


def pause(account: Account) -> None:
    pauses.schedule(account, subscription_ids=None, days=30, key="pause", actor="you", now=clock.now())


def half_an_hour_later() -> int:
    Command.objects.filter(finished_at__isnull=False).update(
        finished_at=timezone.now() - timedelta(minutes=30)
    )
    return parts.tell_what_is_left(now=clock.now())["told_in_part"]


def told(account: Account) -> list[Any]:
    return [mail.context for mail in OutgoingMail.objects.filter(account=account).order_by("pk")]


def charged(invoices: list[Any]) -> list[str]:
    """The fact that tells what these took."""
    return ["Charged", f"${sum(one.amount_paid for one in invoices) / 100:.2f}"]


def half_done(provider: Provider, cable: Cable) -> Account:
    """Faith & Family was changed to a year; then the card was declined."""
    for size, percentage in ((2, 10), (3, 15)):
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    ava = provider.subscriber("ava", FAITH, GOSPEL, coupon_ids=["BUNDLE-2"])
    # Later than the first bills, which the change did not charge.
    provider.travel(minutes=1)
    cable.after_write(lambda: provider.add_card("ava", DECLINES))
    with pytest.raises(BillingPartial):
        upgrade(ava)
    provider.add_card("ava", VISA)
    return ava


def test_what_nobody_finishes_is_told_once_as_far_as_it_got(provider: Provider, cable: Cable) -> None:
    ava = half_done(provider, cable)
    assert parts.tell_what_is_left(now=clock.now()) == {"told_in_part": 0}
    assert told(ava) == []

    assert half_an_hour_later() == 1
    assert half_an_hour_later() == 0

    (receipt,) = told(ava)
    assert receipt["title"] == "Faith & Family is now billed yearly"
    assert receipt["lines"][-1] == parts.NOT_ALL
    assert charged(provider.invoices(ava)[-1:]) in receipt["facts"]


def test_finishing_it_later_tells_only_of_the_rest(provider: Provider, cable: Cable) -> None:
    ava = half_done(provider, cable)
    half_an_hour_later()

    upgrade(ava)

    assert [one["title"] for one in told(ava)][1:] == ["Gospel TV is now billed yearly"]
    assert charged(provider.invoices(ava)[-1:]) in told(ava)[1]["facts"]
    assert parts.NOT_ALL not in told(ava)[1]["lines"]
    assert half_an_hour_later() == 0


@pytest.mark.parametrize(
    ("key", "titles"),
    [
        ("up", ["Faith & Family and Gospel TV are now billed yearly"]),
        ("a-new-click", ["Gospel TV is now billed yearly", "Faith & Family is now billed yearly"]),
    ],
)
def test_finishing_it_at_once_tells_of_each_step_once(
    provider: Provider, cable: Cable, key: str, titles: list[str]
) -> None:
    ava = half_done(provider, cable)

    upgrade(ava, key=key)
    half_an_hour_later()

    assert [one["title"] for one in told(ava)] == titles


def test_what_is_finished_a_little_later_is_told_with_all_that_was_charged(
    provider: Provider, cable: Cable
) -> None:
    ava = half_done(provider, cable)
    provider.travel(minutes=5)

    upgrade(ava, key="up")

    assert charged(provider.invoices(ava)[-2:]) in told(ava)[0]["facts"]


def test_what_was_taken_back_meanwhile_is_not_told_any_more(provider: Provider) -> None:
    ava = provider.subscriber("ava", FAITH, GOSPEL)
    gospel = provider.subscription(ava, GOSPEL).id
    provider.sdk.Subscription.pause(gospel, {"pause_option": "immediately"})
    with pytest.raises(BillingPartial):
        pause(ava)
    pauses.remove_scheduled(ava, subscription_ids=None, key="back", actor="you", now=clock.now())

    assert half_an_hour_later() == 0
    assert [one["title"] for one in told(ava)] == ["Your scheduled pause of Faith & Family was removed"]


def half_cancelled(provider: Provider, name: str) -> Account:
    """Faith & Family is going to end; Gospel TV had ended at the provider, which the portal had not heard."""
    account = provider.subscriber(name, FAITH, GOSPEL)
    gospel = provider.subscription(account, GOSPEL).id
    provider.sdk.Subscription.cancel_for_items(gospel, {"cancel_option": "immediately"})
    with pytest.raises(BillingPartial):
        cancelling.cancel(
            account, subscription_ids=None, survey=Survey(), key="bye", actor="you", now=clock.now()
        )
    return account


def test_one_that_cannot_be_told_keeps_no_other_back(provider: Provider) -> None:
    ava, ben = half_cancelled(provider, "ava"), half_cancelled(provider, "ben")
    Subscription.objects.filter(customer__account=ava).delete()

    assert half_an_hour_later() == 1

    assert (len(told(ava)), len(told(ben))) == (0, 1)


def test_a_cancellation_done_in_part_is_told_with_its_undo(provider: Provider) -> None:
    ava = half_cancelled(provider, "ava")

    assert half_an_hour_later() == 1

    (receipt,) = told(ava)
    faith = Subscription.objects.get(customer__account=ava, service="faith-family").provider_id
    assert receipt["title"] == "Your cancellation of Faith & Family is scheduled"
    assert receipt["action_url"].endswith(f"/dashboard?undo={faith}")
    undo.remove_scheduled_cancellation(
        ava, subscription_ids=[faith], key="keep", actor="you", now=clock.now()
    )
    assert told(ava)[-1]["title"] == "You keep Faith & Family"


def test_what_was_charged_is_told_where_another_one_was_never_started(
    provider: Provider, cable: Cable
) -> None:
    ava = provider.subscriber("ava", FAITH)
    cable.after_write(lambda: provider.add_card("ava", DECLINES))
    wanted: dict[str, Any] = {"plan_ids": [FAITH, GOSPEL, KIDS], "quote": None}
    with pytest.raises(BillingPartial):
        add_remove.change(ava, **wanted, key="add", actor="you", now=clock.now())

    assert half_an_hour_later() == 1

    (receipt,) = told(ava)
    assert ["Gospel TV", "starts now"] in receipt["facts"]
    assert receipt["lines"][-1] == parts.NOT_ALL
    assert charged(provider.invoices(ava)[-1:]) in receipt["facts"]
