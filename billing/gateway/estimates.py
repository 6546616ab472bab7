"""Estimates of changes: the provider's own figures, never our arithmetic."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from billing.gateway.changes import AT_ONCE, AT_TERM_END, coupon_params, price_params
from billing.gateway.http.client import chargebee_sdk, read_from_provider
from billing.gateway.snapshots import EPOCH, parse_instant
from billing.terms import TAX_INCLUSIVE

ITEM_LEVEL = "item_level_coupon"
PROMOTIONAL_CREDITS = "promotional_credits"


@dataclass(frozen=True)
class Bill:
    """An estimated invoice, in cents.

    `full_price` is the price of the items before discounts, `bundle_savings` the discount of item-level coupons,
    `coupon_discount` that of all others, and `amount_due` what would be collected, after tax and credits. `coupon_ids`
    are the coupons that it uses. `tax` is the tax of what promotional credits of `promotional` cents leave: 0 if the
    prices include it, None if the provider has not estimated this bill. `tax_percent` is the rate of all its items;
    None if they have several. It bills the plan from `begins_at` to `ends_at` (UTC).
    """

    full_price: int = 0
    bundle_savings: int = 0
    coupon_discount: int = 0
    amount_due: int = 0
    coupon_ids: frozenset[str] = frozenset()
    tax: int | None = None
    promotional: int = 0
    tax_percent: Decimal | None = None
    begins_at: datetime | None = None
    ends_at: datetime | None = None

    @property
    def total(self) -> int:
        """The price of the period before tax and credits."""
        return self.full_price - self.bundle_savings - self.coupon_discount


@dataclass(frozen=True)
class ChangeEstimate:
    """The estimate of a change.

    `now` is the immediate charge. `credits` is the credit in cents for the rest of a term that is paid; for one that is
    not, `adjustments` comes off its unpaid invoice instead. `next_billing_at` is the time of the bill after the charge
    (UTC). `renewal` is that bill; the provider gives it only where nothing is invoiced at once.
    """

    now: Bill
    credits: int = 0
    adjustments: int = 0
    renewal: Bill | None = None
    next_billing_at: datetime | None = None

    @property
    def first_bill(self) -> Bill:
        """The immediate charge, or the next bill where nothing is charged at once."""
        return self.now if self.renewal is None else self.renewal


def estimate_start(
    customer_id: str, *, price: str, coupons: Sequence[str], starts_at: datetime | None = None
) -> ChangeEstimate:
    """Estimate a new subscription of a customer, now or at a future time (UTC), without a trial."""
    params = {
        "subscription": {"trial_end": 0, **({} if starts_at is None else {"start_date": int(starts_at.timestamp())})},
        **price_params(price),
        "coupon_ids": list(coupons),
        "invoice_immediately": True,
    }
    operation = chargebee_sdk().Estimate.create_sub_item_for_customer_estimate
    return _parse_estimate(read_from_provider(operation, customer_id, params=params))


def estimate_change(
    subscription_id: str,
    *,
    price: str,
    unit_price: int | None = None,
    coupons: Sequence[str] | None = None,
    at_term_end: bool = False,
    with_waiting: bool = False,
) -> ChangeEstimate:
    """Estimate a change of price, now or at term end, with exactly these coupons (None keeps the current ones).

    `unit_price` (cents) was agreed in place of the list price. `with_waiting` adds the unbilled charges that wait for a
    bill: the invoice of a change that charges at once has them.
    """
    params = {
        **price_params(price, unit_price),
        "replace_items_list": True,
        "prorate": True,
        "invoice_immediately": True,
        "change_option": AT_TERM_END if at_term_end else AT_ONCE,
        "include_delayed_charges": with_waiting,
        **coupon_params(coupons),
    }
    return _estimate_update(subscription_id, params)


def estimate_coupons(subscription_id: str, coupons: Sequence[str]) -> ChangeEstimate:
    """Estimate a subscription at its present price, which may be one of its own, with exactly these coupons."""
    return _estimate_update(subscription_id, {**coupon_params(coupons), "change_option": AT_ONCE})


def _estimate_update(subscription_id: str, params: Mapping[str, Any]) -> ChangeEstimate:
    params = {"subscription": {"id": subscription_id}, "reactivate": False, **params}
    return _parse_estimate(read_from_provider(chargebee_sdk().Estimate.update_subscription_for_items, params=params))


def estimate_next_bill(subscription_id: str, *, with_waiting: bool = False) -> Bill:
    """Estimate the next bill of a subscription, ignoring a scheduled cancellation or change.

    `with_waiting` adds the unbilled charges that wait for it: they are charged, but are not of the plan's price.
    """
    return _estimate_renewal(
        subscription_id,
        with_waiting=with_waiting,
        ignore_scheduled_cancellation=True,
        ignore_scheduled_changes=True,
    )


def estimate_scheduled_bill(subscription_id: str, *, with_waiting: bool = False) -> Bill:
    """Estimate the next bill of a subscription with its scheduled change, before the customer's balances pay it.

    `with_waiting` adds the unbilled charges that wait for it.
    """
    return _estimate_renewal(subscription_id, with_waiting=with_waiting, use_existing_balances=False)


def estimate_resumed_bill(subscription_id: str, *, at: datetime) -> Bill:
    """Estimate the first bill of a paused subscription that resumes at a future time (UTC), after balances."""
    params = {"resume_option": "specific_date", "subscription": {"resume_date": int(at.timestamp())}}
    answer = read_from_provider(chargebee_sdk().Estimate.resume_subscription, subscription_id, params=params)
    estimate = answer.estimate.raw_data
    return _parse_bill(estimate.get("invoice_estimate") or estimate.get("next_invoice_estimate") or {})


def estimate_resume(subscription_id: str, *, at: datetime | None = None) -> ChangeEstimate:
    """Estimate the resume of a paused subscription, now or at a future time (UTC).

    Within a term that is paid, resuming charges nothing; what the provider estimates then is the later renewal.
    """
    params: dict[str, Any] = {"resume_option": "immediately", "charges_handling": "invoice_immediately"}
    if at is not None:
        params["resume_option"] = "specific_date"
        params["subscription"] = {"resume_date": int(at.timestamp())}
    answer = read_from_provider(chargebee_sdk().Estimate.resume_subscription, subscription_id, params=params)
    estimate = _parse_estimate(answer)
    # The bill of a future day is the next invoice; one that begins later than the resume is a renewal.
    later = answer.estimate.raw_data.get("next_invoice_estimate") or {}
    is_charge = "invoice_estimate" not in answer.estimate.raw_data and at is not None and _first_day(later) <= at
    return replace(estimate, now=_parse_bill(later), renewal=None) if is_charge else estimate


def estimate_renewal(subscription_id: str) -> Bill:
    """Estimate the charge of the next renewal, with the unbilled charges that wait for it."""
    return _estimate_renewal(subscription_id, with_waiting=True)


def _estimate_renewal(subscription_id: str, *, with_waiting: bool, **options: bool) -> Bill:
    # The provider's own default leaves the unbilled charges out, which the renewal's invoice has.
    params = {"include_delayed_charges": with_waiting, **options}
    answer = read_from_provider(chargebee_sdk().Estimate.renewal_estimate, subscription_id, params=params)
    return _parse_bill(answer.estimate.raw_data.get("invoice_estimate") or {})


def _first_day(invoice: Mapping[str, Any]) -> datetime:
    """Return when the time that an invoice bills begins (UTC)."""
    return min((parse_instant(line["date_from"]) for line in invoice.get("line_items") or ()), default=EPOCH)


def _parse_estimate(answer: Any) -> ChangeEstimate:
    raw = answer.estimate.raw_data
    billing = (raw.get("subscription_estimate") or {}).get("next_billing_at")
    notes = raw.get("credit_note_estimates") or ()
    adjusting = [note for note in notes if note.get("type") == "adjustment"]
    adjustments = _sum_totals(adjusting)
    return ChangeEstimate(
        now=_parse_bill(raw.get("invoice_estimate") or {}),
        credits=_sum_totals(notes) - adjustments,
        adjustments=adjustments,
        renewal=_parse_bill(raw["next_invoice_estimate"]) if raw.get("next_invoice_estimate") else None,
        next_billing_at=None if billing is None else parse_instant(billing),
    )


def _sum_totals(notes: Iterable[Mapping[str, Any]]) -> int:
    return sum(int(note.get("total") or 0) for note in notes)


def _parse_bill(invoice: Mapping[str, Any]) -> Bill:
    # Promotional credits are listed as a discount too, but they pay a bill and do not lower the price.
    discounts = [row for row in invoice.get("discounts") or () if row.get("entity_type") != PROMOTIONAL_CREDITS]
    promotional = [row for row in invoice.get("discounts") or () if row.get("entity_type") == PROMOTIONAL_CREDITS]
    newest = max(_plan_lines(invoice), key=lambda line: int(line["date_to"]), default=None)
    bundle = sum(int(row["amount"]) for row in discounts if row.get("entity_type") == ITEM_LEVEL)
    # Of a site whose prices include tax, the amounts have it already.
    is_tax_in_price = invoice.get("price_type") == TAX_INCLUSIVE
    return Bill(
        full_price=sum(int(line["amount"]) for line in invoice.get("line_items") or ()),
        bundle_savings=bundle,
        coupon_discount=sum(int(row["amount"]) for row in discounts) - bundle,
        amount_due=int(invoice.get("amount_due") or 0),
        coupon_ids=frozenset(str(row["entity_id"]) for row in discounts if row.get("entity_id")),
        tax=0 if is_tax_in_price else sum(int(row["amount"]) for row in invoice.get("taxes") or ()),
        promotional=sum(int(row["amount"]) for row in promotional),
        tax_percent=Decimal(0) if is_tax_in_price else _common_tax_percent(invoice.get("line_items") or ()),
        begins_at=None if newest is None else parse_instant(newest["date_from"]),
        ends_at=None if newest is None else parse_instant(newest["date_to"]),
    )


def _plan_lines(invoice: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [line for line in invoice.get("line_items") or () if line.get("entity_type") == "plan_item_price"]


def _common_tax_percent(lines: Iterable[Mapping[str, Any]]) -> Decimal | None:
    rates = {Decimal(str(line.get("tax_rate") or 0)) if line.get("is_taxed") else Decimal(0) for line in lines}
    return rates.pop() if len(rates) == 1 else None
