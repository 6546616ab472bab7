"""Samples of billing's mails for the previews, composed by the same functions as the real ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from accounts.mail.samples import SAMPLE_TIME, MailSample, register_sample
from billing.models import Customer, Invoice, PauseSchedule, PaymentSource, Plan, Subscription
from billing.queries.payments.failed_payments import FailedPayment, PaymentFailure
from billing.receipts import delivery, notices, payment_mails
from billing.receipts.charges import Charges
from billing.receipts.delivery import Receipt
from billing.receipts.texts import cancellation, pauses, payment_methods, payments, perks, plans, refunds
from billing.receipts.texts import notices as notice_texts
from billing.receipts.texts.notices import UpcomingBill

_SAMPLE_REFERENCE = "R-3F2A9C01B7D4"
METHODS = ("Visa ending in 1111",)
FAITH, GOSPEL, KIDS = "faith-family-plan", "gospel-tv-plan", "Minno-Plan"
MONTHLY_CENTS = {FAITH: 699, GOSPEL: 799, KIDS: 899}
YEARLY_CENTS = {FAITH: 6999, GOSPEL: 7999}


def _days_ahead(days: int) -> datetime:
    return SAMPLE_TIME + timedelta(days=days)


def _epoch_days_ahead(days: int) -> int:
    return int(_days_ahead(days).timestamp())


def _sample_subscription(plan: str, status: str = "active", **overrides: Any) -> Subscription:
    """Return a monthly subscription that bills in ten days; `overrides` replace fields of its payload.

    No coupon is on it, since the site may not have it: of a discounted one, `amount` is what remains.
    """
    payload = {
        "item_price_id": f"{plan}-USD-Monthly",
        "amount": MONTHLY_CENTS[plan],
        "billing_period_unit": "month",
        "current_term_end": _epoch_days_ahead(10),
        "next_billing_at": _epoch_days_ahead(10),
        **overrides,
    }
    subscription = Subscription(
        provider_id=f"sample-{plan}",
        customer=Customer(),
        item_price_id=payload["item_price_id"],
        status=status,
        payload=payload,
    )
    subscription.plan = Plan.objects.filter(pk=plan).first() or Plan(pk=plan, name=plan)
    return subscription


def _ending_subscription(plan: str) -> Subscription:
    return _sample_subscription(plan, "non_renewing", next_billing_at=None, cancelled_at=_epoch_days_ahead(10))


def _sample_pause(plan: str = FAITH) -> PauseSchedule:
    return PauseSchedule(
        subscription=_sample_subscription(plan, next_billing_at=None),
        pause_date=_days_ahead(10),
        resume_date=_days_ahead(40),
    )


def _yearly_subscription(plan: str, days_left: int) -> Subscription:
    price: dict[str, Any] = {
        "item_price_id": f"{plan}-USD-Yearly",
        "amount": YEARLY_CENTS[plan],
        "billing_period_unit": "year",
    }
    bills = _epoch_days_ahead(days_left)
    return _sample_subscription(plan, **price, next_billing_at=bills, current_term_end=bills)


def _sample_card() -> PaymentSource:
    card = {"brand": "visa", "last4": "1111", "expiry_month": 8, "expiry_year": 2029}
    return PaymentSource(provider_id="sample-card", customer=Customer(), payload={"type": "card", "card": card})


def _sample_invoice(plan: str) -> Invoice:
    """Return the paid invoice of a month, with a discount and a credit."""
    line = {
        "subscription_id": f"sample-{plan}",
        "date_from": _epoch_days_ahead(0),
        "date_to": _epoch_days_ahead(31),
    }
    amounts = {"amount_paid": 499, "credits_applied": 130, "currency_code": "USD"}
    payload = {**amounts, "line_items": [line], "discounts": [{"amount": 70}]}
    return Invoice(provider_id="1042", customer=Customer(), status="paid", issued_at=SAMPLE_TIME, payload=payload)


def _sample_credits() -> Customer:
    return Customer(provider_id="sample", payload={"promotional_credits": 500, "refundable_credits": 499})


def _paid_receipt(*, has_failed: bool) -> Receipt:
    return payments.paid_receipt(
        _sample_invoice(FAITH),
        [_sample_subscription(FAITH)],
        method=METHODS[0],
        is_renewal=True,
        has_failed=has_failed,
    )


def _payment_failed_notice(*, next_retry_at: datetime | None) -> Receipt:
    subscription = _sample_subscription(FAITH)
    failed = FailedPayment(
        number="1042",
        amount_due=699,
        currency_code="USD",
        plans=(subscription.plan.name,),
        subscription_ids=(subscription.provider_id,),
        reason="insufficient_funds",
        next_retry_at=next_retry_at,
    )
    failure = PaymentFailure(has_payment_failure=True, canceled_ids=() if next_retry_at else failed.subscription_ids)
    return payments.payment_failed_notice(failed, failure, method=METHODS[0], has_method=True, at=SAMPLE_TIME)


def _charges(paid: int) -> Charges:
    return Charges(paid=paid, methods=METHODS)


def _services_changed_receipt() -> Receipt:
    return plans.services_changed_receipt(
        started=[_sample_subscription(GOSPEL)],
        kept=[_sample_subscription(FAITH)],
        ended=[_ending_subscription(KIDS)],
        charges=_charges(799),
    )


def _periods_switched_receipt(**arguments: Any) -> Receipt:
    defaults: dict[str, Any] = {"changed": [], "changing": [], "charges": Charges()}
    return plans.billing_period_receipt(period_unit="year", **{**defaults, **arguments})


def _canceled_at_once_receipt() -> Receipt:
    return cancellation.cancellation_receipt(
        [_sample_subscription(KIDS, "cancelled", next_billing_at=None, cancelled_at=_epoch_days_ahead(0))]
    )


_RECEIPTS: tuple[tuple[str, str, Callable[[], Receipt]], ...] = (
    ("pause-scheduled", "Pause scheduled", lambda: pauses.pause_scheduled_receipt([_sample_pause()])),
    (
        "scheduled-pause-removed",
        "Pause undone",
        lambda: pauses.pause_removed_receipt([_sample_subscription(FAITH)]),
    ),
    (
        "resumed",
        "Resumed",
        lambda: pauses.resume_receipt([_sample_subscription(FAITH)], _charges(699)),
    ),
    (
        "pause-superseded",
        "Pause no longer applies",
        lambda: pauses.pause_superseded_notice(_sample_subscription(FAITH)),
    ),
    ("services-changed", "Services changed", _services_changed_receipt),
    (
        "periods-switched",
        "Now billed annually",
        lambda: _periods_switched_receipt(changed=[_yearly_subscription(GOSPEL, 365)], charges=_charges(7999)),
    ),
    (
        "periods-switched-later",
        "Annual billing scheduled",
        lambda: _periods_switched_receipt(changing=[_sample_subscription(GOSPEL, amount=YEARLY_CENTS[GOSPEL])]),
    ),
    (
        "scheduled-change-removed",
        "Change undone",
        lambda: plans.change_removed_receipt([_sample_subscription(GOSPEL)]),
    ),
    (
        "cancelled",
        "Cancellation scheduled",
        lambda: cancellation.cancellation_receipt([_ending_subscription(FAITH)], going_on=[_sample_subscription(KIDS)]),
    ),
    ("cancelled-at-once", "Canceled immediately", _canceled_at_once_receipt),
    (
        "kept",
        "Cancellation undone",
        lambda: cancellation.cancellation_removed_receipt([_sample_subscription(FAITH)]),
    ),
    (
        "scheduled-set-aside",
        "Scheduled changes removed",
        lambda: cancellation.schedules_removed_receipt([_sample_subscription(FAITH)]),
    ),
    (
        "code-redeemed",
        "Code redeemed",
        lambda: perks.code_redeemed_receipt(_sample_subscription(FAITH, amount=559), "SAVE20"),
    ),
    ("free-month-claimed", "Free month", lambda: perks.free_month_receipt(_sample_subscription(FAITH, amount=0), 699)),
    (
        "payment-method-added",
        "Payment method added",
        lambda: payment_methods.method_added_receipt(_sample_card(), collected=699),
    ),
    (
        "payment-method-updated",
        "Payment method updated",
        lambda: payment_methods.method_updated_receipt(_sample_card()),
    ),
    (
        "default-payment-method",
        "Default payment method",
        lambda: payment_methods.default_method_receipt(_sample_card(), still_due=699),
    ),
    (
        "due-paid",
        "Amount due paid",
        lambda: payment_methods.due_payment_receipt(_sample_card(), collected=699, still_due=0, currency="USD"),
    ),
    (
        "payment-tried-again",
        "Payment tried again",
        lambda: payment_methods.tried_again_receipt(_sample_card(), collected=699, still_due=0, currency="USD"),
    ),
    (
        "rest-of",
        "Payment method updated, second part",
        lambda: payment_methods.rest_receipt(payment_methods.method_updated_receipt(_sample_card())),
    ),
    (
        "payment-method-removed",
        "Payment method removed",
        lambda: payment_methods.method_removed_receipt(_sample_card()),
    ),
    (
        "refunded",
        "Refunded",
        lambda: refunds.refunded_receipt(
            _sample_invoice(FAITH), amount=499, method=METHODS[0], reference=_SAMPLE_REFERENCE
        ),
    ),
    (
        "invoice-credited",
        "Invoice credited",
        lambda: refunds.credited_receipt(
            _sample_invoice(FAITH), _sample_credits(), amount=499, reference=_SAMPLE_REFERENCE
        ),
    ),
    (
        "taken-off-bill",
        "Taken off a bill",
        lambda: refunds.adjusted_receipt(_sample_invoice(FAITH), amount=200, reference=_SAMPLE_REFERENCE),
    ),
    (
        "credit-given",
        "Credit given",
        lambda: refunds.promotional_credit_receipt(
            _sample_credits(), amount=500, currency="USD", reference=_SAMPLE_REFERENCE
        ),
    ),
)

_NOTICES: tuple[tuple[str, str, Callable[[], Receipt]], ...] = (
    (
        "resumes",
        "Before a pause ends",
        lambda: notice_texts.resume_notice(
            [
                UpcomingBill(_sample_subscription(FAITH, "paused"), _days_ahead(3), 699, is_tax_included=True),
                UpcomingBill(_sample_subscription(GOSPEL, "paused"), _days_ahead(3), 799, is_tax_included=True),
            ]
        ),
    ),
    (
        "trial-ends",
        "Before a trial ends",
        lambda: notice_texts.trial_end_notice(
            UpcomingBill(_sample_subscription(KIDS, "in_trial"), _days_ahead(7), 899, is_tax_included=True)
        ),
    ),
    (
        "renews",
        "Before an annual renewal",
        lambda: notice_texts.renewal_notice(
            UpcomingBill(_yearly_subscription(FAITH, 30), _days_ahead(30), 6999, is_tax_included=True)
        ),
    ),
    (
        "resume-declined",
        "Resume declined, retrying",
        lambda: notice_texts.resume_declined_notice(_sample_pause(GOSPEL), [_days_ahead(3), _days_ahead(6)]),
    ),
    (
        "resume-declined-for-good",
        "Resume declined, stopped",
        lambda: notice_texts.resume_declined_notice(_sample_pause(GOSPEL), []),
    ),
)

_PAYMENTS: tuple[tuple[str, str, Callable[[], Receipt]], ...] = (
    ("renewal-paid", "Renewal paid", lambda: _paid_receipt(has_failed=False)),
    ("paid-after-failure", "Paid after a failed try", lambda: _paid_receipt(has_failed=True)),
    (
        "payment-failed",
        "Payment failed, retrying",
        lambda: _payment_failed_notice(next_retry_at=_days_ahead(3)),
    ),
    ("payment-failed-for-good", "Payment failed, stopped", lambda: _payment_failed_notice(next_retry_at=None)),
)


def _context_factory(compose: Callable[[], Receipt]) -> Callable[[], dict[str, object]]:
    return lambda: compose().mail_context()


for _kind, _samples in (
    (delivery.MAIL_KIND, _RECEIPTS),
    (notices.MAIL_KIND, _NOTICES),
    (payment_mails.MAIL_KIND, _PAYMENTS),
):
    for _name, _title, _compose in _samples:
        register_sample(MailSample(_name, _title, _kind, _context_factory(_compose)))
