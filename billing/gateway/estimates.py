"""What the provider would charge for a change, before it is made: its own figures, never our arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from billing.gateway.changes import AT_ONCE, AT_TERM_END
from billing.gateway.client import read, sdk
from billing.gateway.snapshots import instant

ITEM_LEVEL = "item_level_coupon"


@dataclass(frozen=True)
class Bill:
    """One invoice as it would be, in cents.

    `full` is what the items cost before discounts, `bundle_savings` what item-level coupons take off, `coupon_discount`
    what all others do; `amount_due` is what would be collected, tax included and credits used.
    """

    full: int = 0
    bundle_savings: int = 0
    coupon_discount: int = 0
    amount_due: int = 0

    @property
    def total(self) -> int:
        """What the period costs before tax and credits."""
        return self.full - self.bundle_savings - self.coupon_discount


@dataclass(frozen=True)
class ChangeEstimate:
    """What a change leads to.

    `now` is what would be charged at once, `credits` what is given back for the rest of the running term (cents),
    `renewal` the next invoice after that (None where the provider says nothing of it), and `next_billing_at` when that
    comes (UTC).
    """

    now: Bill
    credits: int
    renewal: Bill | None
    next_billing_at: datetime | None


def of_start(customer_id: str, *, price: str, coupons: Sequence[str]) -> ChangeEstimate:
    """Estimate a new subscription of a customer, without a trial."""
    params = {
        "subscription": {"trial_end": 0},
        "subscription_items": [{"item_price_id": price, "quantity": 1}],
        "coupon_ids": list(coupons),
    }
    ask = sdk().Estimate.create_sub_item_for_customer_estimate
    return _estimate(read(ask, customer_id, params=params))


def of_change(
    subscription_id: str, *, price: str, coupons: Sequence[str] | None = None, at_term_end: bool = False
) -> ChangeEstimate:
    """Estimate a change of the price, at once or at the term's end, with exactly these coupons (None: those it has)."""
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
    return _estimate(read(sdk().Estimate.update_subscription_for_items, params=params))


def of_renewal(subscription_id: str) -> Bill:
    """Estimate the next bill of a subscription as it is now, as though it were neither ending nor changing."""
    params = {"ignore_scheduled_cancellation": True, "ignore_scheduled_changes": True}
    answer = read(sdk().Estimate.renewal_estimate, subscription_id, params=params)
    return _bill(answer.estimate.raw_data.get("invoice_estimate") or {})


def _estimate(answer: Any) -> ChangeEstimate:
    raw = answer.estimate.raw_data
    billing = (raw.get("subscription_estimate") or {}).get("next_billing_at")
    return ChangeEstimate(
        now=_bill(raw.get("invoice_estimate") or {}),
        credits=sum(int(note.get("total") or 0) for note in raw.get("credit_note_estimates") or ()),
        renewal=_bill(raw["next_invoice_estimate"]) if raw.get("next_invoice_estimate") else None,
        next_billing_at=None if billing is None else instant(billing),
    )


def _bill(invoice: Mapping[str, Any]) -> Bill:
    discounts = invoice.get("discounts") or ()
    bundle = sum(int(one["amount"]) for one in discounts if one.get("entity_type") == ITEM_LEVEL)
    return Bill(
        full=sum(int(line["amount"]) for line in invoice.get("line_items") or ()),
        bundle_savings=bundle,
        coupon_discount=sum(int(one["amount"]) for one in discounts) - bundle,
        amount_due=int(invoice.get("amount_due") or 0),
    )
