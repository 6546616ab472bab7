"""Samples of billing's mails, for the previews: worded by the functions that word the real ones, kept nowhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from accounts.mail_samples import TODAY, Sample, register
from billing.models import Customer, PauseSchedule, PaymentSource, Subscription
from billing.services import (
    leaving_words,
    notice_words,
    notices,
    pause_words,
    payment_words,
    perk_words,
    plan_words,
    receipts,
)
from billing.services.charges import Charges
from billing.services.notice_words import Bill
from billing.services.receipts import Receipt

FAITH, GOSPEL, KIDS = "faith-family-plan", "gospel-tv-plan", "Minno-Plan"


def _in(days: int) -> datetime:
    return TODAY + timedelta(days=days)


def _seconds(days: int) -> int:
    return int(_in(days).timestamp())


def _held(plan: str, status: str = "active", **differing: Any) -> Subscription:
    """Return a monthly subscription that bills in ten days, or as it differs from that."""
    payload = {
        "item_price_id": f"{plan}-USD-Monthly",
        "amount": 799,
        "billing_period_unit": "month",
        "current_term_end": _seconds(10),
        "next_billing_at": _seconds(10),
        **differing,
    }
    return Subscription(provider_id=f"sample-{plan}", customer=Customer(), status=status, payload=payload)


def _leaving(plan: str) -> Subscription:
    return _held(plan, "non_renewing", next_billing_at=None, cancelled_at=_seconds(10))


def _paused(plan: str = FAITH) -> PauseSchedule:
    return PauseSchedule(
        subscription=_held(plan, next_billing_at=None), pause_date=_in(10), resume_date=_in(40)
    )


def _yearly(plan: str) -> Subscription:
    price: dict[str, Any] = {
        "item_price_id": f"{plan}-USD-Yearly",
        "amount": 7999,
        "billing_period_unit": "year",
    }
    return _held(plan, **price, next_billing_at=_seconds(30), current_term_end=_seconds(30))


def _card() -> PaymentSource:
    card = {"brand": "visa", "last4": "1111", "expiry_month": 8, "expiry_year": 2029}
    return PaymentSource(
        provider_id="sample-card", customer=Customer(), payload={"type": "card", "card": card}
    )


def _changed_services() -> Receipt:
    return plan_words.services_changed(
        started=[_held(GOSPEL)], kept=[_held(FAITH)], ended=[_leaving(KIDS)], charges=Charges(paid=719)
    )


def _switch(**which: Any) -> Receipt:
    chosen = {"changed": [], "changing": [], "charges": Charges(), **which}
    return plan_words.periods_switched(period_unit="year", **chosen)


def _cancelled_at_once() -> Receipt:
    return leaving_words.cancelled([_held(KIDS, "cancelled", next_billing_at=None, cancelled_at=_seconds(0))])


_RECEIPTS: tuple[tuple[str, str, Callable[[], Receipt]], ...] = (
    ("pause-scheduled", "Pause scheduled", lambda: pause_words.pause_scheduled([_paused()])),
    (
        "scheduled-pause-removed",
        "Pause taken back",
        lambda: pause_words.scheduled_pause_removed([_held(FAITH)]),
    ),
    ("resumed", "Resumed", lambda: pause_words.resumed([_held(FAITH)], Charges(paid=699))),
    ("pause-superseded", "Pause no longer applies", lambda: pause_words.pause_superseded(_held(FAITH))),
    ("services-changed", "Services changed", _changed_services),
    (
        "periods-switched",
        "Billed yearly from now on",
        lambda: _switch(changed=[_yearly(GOSPEL)], charges=Charges(paid=7999)),
    ),
    ("periods-switched-later", "Billed yearly later", lambda: _switch(changing=[_held(GOSPEL)])),
    (
        "scheduled-change-removed",
        "Change taken back",
        lambda: plan_words.scheduled_change_removed([_held(GOSPEL)]),
    ),
    (
        "cancelled",
        "Cancellation scheduled",
        lambda: leaving_words.cancelled([_leaving(FAITH)], going_on=[_held(KIDS)]),
    ),
    ("cancelled-at-once", "Cancelled at once", _cancelled_at_once),
    ("kept", "Cancellation taken back", lambda: leaving_words.kept([_held(FAITH)])),
    (
        "scheduled-set-aside",
        "What was scheduled is off",
        lambda: leaving_words.scheduled_set_aside([_held(FAITH)]),
    ),
    ("code-redeemed", "Code redeemed", lambda: perk_words.code_redeemed(_held(FAITH), "SAVE20")),
    ("free-month-claimed", "Free month", lambda: perk_words.free_month_claimed(_held(FAITH), 699)),
    (
        "payment-method-added",
        "Payment method added",
        lambda: payment_words.payment_method_added(_card(), collected=699),
    ),
    (
        "payment-method-updated",
        "Payment method updated",
        lambda: payment_words.payment_method_updated(_card()),
    ),
    (
        "default-payment-method",
        "Default payment method",
        lambda: payment_words.default_payment_method(_card(), still_due=699),
    ),
    (
        "rest-of",
        "Payment method updated, the rest of it",
        lambda: payment_words.rest_of(payment_words.payment_method_updated(_card())),
    ),
    (
        "payment-method-removed",
        "Payment method removed",
        lambda: payment_words.payment_method_removed(_card()),
    ),
)

_NOTICES: tuple[tuple[str, str, Callable[[], Receipt]], ...] = (
    (
        "resumes",
        "Before a pause ends",
        lambda: notice_words.resumes(_held(FAITH, "paused"), _in(3), Bill(699, taxed=True)),
    ),
    (
        "trial-ends",
        "Before a trial ends",
        lambda: notice_words.trial_ends(_held(KIDS, "in_trial"), _in(7), Bill(899, taxed=True)),
    ),
    (
        "renews",
        "Before a yearly renewal",
        lambda: notice_words.renews(_yearly(FAITH), _in(30), Bill(6999, taxed=True)),
    ),
    (
        "resume-declined",
        "Resume declined, tried again",
        lambda: notice_words.resume_declined(_paused(GOSPEL), [_in(3), _in(6)]),
    ),
    (
        "resume-declined-for-good",
        "Resume declined, given up",
        lambda: notice_words.resume_declined(_paused(GOSPEL), []),
    ),
)


def _context(worded: Callable[[], Receipt]) -> Callable[[], dict[str, object]]:
    return lambda: worded().context()


for _kind, _rows in ((receipts.KIND, _RECEIPTS), (notices.KIND, _NOTICES)):
    for _name, _title, _worded in _rows:
        register(Sample(_name, _title, _kind, _context(_worded)))
