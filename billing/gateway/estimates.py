"""Estimates of changes: the provider's own figures, never our arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.gateway.changes import AT_ONCE, AT_TERM_END
from billing.gateway.http.client import chargebee_sdk, read_from_provider
from billing.gateway.snapshots import parse_instant

ITEM_LEVEL = "item_level_coupon"
PROMOTIONAL_CREDITS = "promotional_credits"


@dataclass(frozen=True)
class Bill:
    """An estimated invoice, in cents.

    `full_price` is the price of the items before discounts, `bundle_savings` the discount of item-level coupons,
    `coupon_discount` that of all others, and `amount_due` what would be collected, after tax and credits. `coupon_ids`
    are the coupons that it uses. `tax` is the tax of what promotional credits of `promotional` cents leave; None if the
    provider has not estimated this bill.
    """

    full_price: int = 0
    bundle_savings: int = 0
    coupon_discount: int = 0
    amount_due: int = 0
    coupon_ids: frozenset[str] = frozenset()
    tax: int | None = None
    promotional: int = 0

    @property
    def total(self) -> int:
        """The price of the period before tax and credits."""
        return self.full_price - self.bundle_savings - self.coupon_discount


@dataclass(frozen=True)
class ChangeEstimate:
    """The estimate of a change.

    `now` is the immediate charge, `credits` the credit for the rest of the current term in cents, and `next_billing_at`
    the time of the bill after that (UTC). `renewal` is that bill; the provider gives it only where nothing is invoiced
    at once.
    """

    now: Bill
    credits: int
    renewal: Bill | None
    next_billing_at: datetime | None


def estimate_start(customer_id: str, *, price: str, coupons: Sequence[str]) -> ChangeEstimate:
    """Estimate a new subscription of a customer, without a trial."""
    params = {
        "subscription": {"trial_end": 0},
        "subscription_items": [{"item_price_id": price, "quantity": 1}],
        "coupon_ids": list(coupons),
        "invoice_immediately": True,
    }
    operation = chargebee_sdk().Estimate.create_sub_item_for_customer_estimate
    return _parse_estimate(read_from_provider(operation, customer_id, params=params))


def estimate_change(
    subscription_id: str, *, price: str, coupons: Sequence[str] | None = None, at_term_end: bool = False
) -> ChangeEstimate:
    """Estimate a change of price, now or at term end, with exactly these coupons (None keeps the current ones)."""
    params = {
        "subscription": {"id": subscription_id},
        "subscription_items": [{"item_price_id": price, "quantity": 1}],
        "replace_items_list": True,
        "prorate": True,
        "invoice_immediately": True,
        "reactivate": False,
        "change_option": AT_TERM_END if at_term_end else AT_ONCE,
        **({} if coupons is None else {"coupon_ids": list(coupons), "replace_coupon_list": True}),
    }
    return _parse_estimate(read_from_provider(chargebee_sdk().Estimate.update_subscription_for_items, params=params))


def estimate_next_bill(subscription_id: str) -> Bill:
    """Estimate the next bill of a subscription, ignoring a scheduled cancellation or change."""
    params = {"ignore_scheduled_cancellation": True, "ignore_scheduled_changes": True}
    answer = read_from_provider(chargebee_sdk().Estimate.renewal_estimate, subscription_id, params=params)
    return _parse_bill(answer.estimate.raw_data.get("invoice_estimate") or {})


def estimate_scheduled_bill(subscription_id: str) -> Bill:
    """Estimate the next bill of a subscription with its scheduled change, before the customer's balances pay it."""
    params = {"use_existing_balances": False}
    answer = read_from_provider(chargebee_sdk().Estimate.renewal_estimate, subscription_id, params=params)
    return _parse_bill(answer.estimate.raw_data.get("invoice_estimate") or {})


def estimate_resumed_bill(subscription_id: str, *, at: datetime) -> Bill:
    """Estimate the first bill of a paused subscription that resumes at a future time (UTC), after balances."""
    params = {"resume_option": "specific_date", "subscription": {"resume_date": int(at.timestamp())}}
    answer = read_from_provider(chargebee_sdk().Estimate.resume_subscription, subscription_id, params=params)
    estimate = answer.estimate.raw_data
    return _parse_bill(estimate.get("invoice_estimate") or estimate.get("next_invoice_estimate") or {})


def _parse_estimate(answer: Any) -> ChangeEstimate:
    raw = answer.estimate.raw_data
    billing = (raw.get("subscription_estimate") or {}).get("next_billing_at")
    return ChangeEstimate(
        now=_parse_bill(raw.get("invoice_estimate") or {}),
        credits=sum(int(note.get("total") or 0) for note in raw.get("credit_note_estimates") or ()),
        renewal=_parse_bill(raw["next_invoice_estimate"]) if raw.get("next_invoice_estimate") else None,
        next_billing_at=None if billing is None else parse_instant(billing),
    )


def _parse_bill(invoice: Mapping[str, Any]) -> Bill:
    # Promotional credits are listed as a discount too, but they pay a bill and do not lower the price.
    discounts = [row for row in invoice.get("discounts") or () if row.get("entity_type") != PROMOTIONAL_CREDITS]
    promotional = [row for row in invoice.get("discounts") or () if row.get("entity_type") == PROMOTIONAL_CREDITS]
    bundle = sum(int(row["amount"]) for row in discounts if row.get("entity_type") == ITEM_LEVEL)
    return Bill(
        full_price=sum(int(line["amount"]) for line in invoice.get("line_items") or ()),
        bundle_savings=bundle,
        coupon_discount=sum(int(row["amount"]) for row in discounts) - bundle,
        amount_due=int(invoice.get("amount_due") or 0),
        coupon_ids=frozenset(str(row["entity_id"]) for row in discounts if row.get("entity_id")),
        tax=sum(int(row["amount"]) for row in invoice.get("taxes") or ()),
        promotional=sum(int(row["amount"]) for row in promotional),
    )
