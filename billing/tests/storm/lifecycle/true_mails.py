"""Mails that were sent, against what is true at the provider."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core import mail as outgoing

from accounts.models import OutgoingMail
from billing import clock
from billing.models import Invoice, PauseSchedule, Subscription
from billing.receipts import notices, payment_mails
from billing.tests.support.live_provider import Provider, RawSubscriptions, utc_time

THIRTY_DAYS = timedelta(days=30)
UNDO_LINK = re.compile(r"[?&]undo=([\w-]+)")


def assert_mail_is_true(mail: OutgoingMail, *, provider: Provider, customer: str, zone: str, stale: bool) -> None:
    """Assert that the mail that was just sent is true at the provider; if the mirror is `stale`, what it can know."""
    about, raws = mail.context.get("about"), provider.raw_subscriptions(customer)
    if about is None:
        if not stale:
            _assert_offers_what_can_be_undone(raws)
    elif mail.kind == payment_mails.MAIL_KIND:
        _assert_bill_is_true(about, provider=provider, stale=stale)
    else:
        _assert_notice_is_true(about, raws[_subscription_id(about)], zone=zone)


def assert_notices_sent_once() -> None:
    """Assert that no notice was sent twice."""
    sent = OutgoingMail.objects.filter(state=OutgoingMail.State.SENT, kind=notices.MAIL_KIND)
    counts = Counter(str(sorted(mail.context["about"].items())) for mail in sent)
    assert [event for event, times in counts.items() if times > 1] == []


def _assert_notice_is_true(about: Mapping[str, Any], raw: Mapping[str, Any], *, zone: str) -> None:
    if about["what"] == notices.DECLINE:
        assert raw["status"] == "paused"
        return
    assert about["at"] > clock.billing_now().timestamp()
    if about["what"] == notices.RESUME:
        assert raw["status"] == "paused"
        promised = utc_time(raw["pause_date"]) + THIRTY_DAYS
        assert clock.local_date(utc_time(about["at"]), zone) == clock.local_date(promised, zone)
    else:
        assert raw["next_billing_at"] == about["at"]
        assert not {"pause_date", "cancelled_at"} & raw.keys()


def _assert_bill_is_true(about: Mapping[str, Any], *, provider: Provider, stale: bool) -> None:
    """Assert that an invoice is paid where a mail says so, and due where one says that a try failed."""
    number = Invoice.objects.get(pk=about["invoice"]).provider_id
    is_paid = provider.sdk.Invoice.retrieve(number).invoice.status == "paid"
    assert is_paid or about["what"] == "failed"
    assert stale or is_paid == (about["what"] == "paid")


def _assert_offers_what_can_be_undone(raws: RawSubscriptions) -> None:
    """Assert that the undo links of the newest mail match scheduled changes."""
    for identifier in UNDO_LINK.findall(str(outgoing.outbox[-1].body)):
        raw = raws[identifier]
        is_scheduled = "pause_date" in raw or "cancelled_at" in raw or raw["has_scheduled_changes"]
        assert is_scheduled
        assert raw["status"] not in ("paused", "cancelled")


def _subscription_id(about: Mapping[str, Any]) -> str:
    pk = about.get("subscription")
    if pk is None:
        pk = PauseSchedule.objects.get(pk=about["schedule"]).subscription_id
    return str(Subscription.objects.get(pk=pk).provider_id)
