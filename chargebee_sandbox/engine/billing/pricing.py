"""The totals of an invoice: arithmetic over line items, coupons, and a tax rate, in cents.

Discounts apply in the provider's order: fixed amounts off items, percentages off items, then fixed amounts and
percentages off the rest of the invoice. Half cents round up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal

from chargebee_sandbox import identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing.tiers import TierUse

PROMOTIONAL_DISCOUNT = "promotional_credits"
"""The discount's ``entity_type`` for promotional credits."""


@dataclass(frozen=True)
class LineItem:
    """A charge for an item: ``quantity`` times ``unit_amount`` (cents) for the time between two instants.

    With ``tiers`` it costs what these come to, and ``unit_amount`` is their average.
    """

    entity_id: str
    entity_type: str
    description: str
    quantity: int
    unit_amount: int
    date_from: int
    date_to: int
    pricing_model: str = "flat_fee"
    tiers: tuple[TierUse, ...] = ()

    @property
    def amount(self) -> int:
        """Cents before discounts and tax."""
        return sum(use.amount for use in self.tiers) if self.tiers else self.quantity * self.unit_amount

    def as_partial_charge(self, amount: int, description: str) -> LineItem:
        """Return the same item charged as a single amount (cents) for part of its time."""
        return replace(self, quantity=1, unit_amount=amount, description=description, tiers=())


@dataclass(frozen=True)
class Deduction:
    """A coupon's discount on an invoice: the entities it applies to, its percentage or amount (cents), its code.

    Promotional credits are a deduction too: an amount off what the coupons have left.
    """

    coupon_id: str
    description: str
    item_level: bool
    percentage: Decimal | None
    amount: int
    entities: frozenset[str]
    code: str | None = None
    promotional: bool = False

    @property
    def rank(self) -> tuple[bool, bool, bool]:
        """The position in the provider's order of discounts."""
        return (self.promotional, not self.item_level, self.percentage is not None)

    @property
    def level(self) -> str:
        """The provider's ``entity_type`` of the discount."""
        if self.promotional:
            return PROMOTIONAL_DISCOUNT
        return "item_level_coupon" if self.item_level else "document_level_coupon"

    @property
    def source(self) -> Body:
        """The attributes that name the coupon; promotional credits have none."""
        return {} if self.promotional else {"entity_id": self.coupon_id}


def promotional_deductions(amount: int, prices: Sequence[LineItem]) -> list[Deduction]:
    """Return the deduction for a balance of promotional credits (cents); none for an empty balance."""
    if not amount:
        return []
    entities = frozenset(price.entity_id for price in prices)
    return [
        Deduction(
            coupon_id="",
            description="Promotional Credits",
            item_level=False,
            percentage=None,
            amount=amount,
            entities=entities,
            promotional=True,
        )
    ]


@dataclass
class _BilledLine:
    price: LineItem
    handle: str
    left: int
    item_discount: int = 0
    discount: int = 0
    tax: int = 0


@dataclass
class Bill:
    """The amounts (cents) of an invoice or an estimate, with its lines in the provider's shape."""

    sub_total: int = 0
    tax: int = 0
    total: int = 0
    line_items: list[Body] = field(default_factory=list)
    line_item_tiers: list[Body] = field(default_factory=list)
    line_item_discounts: list[Body] = field(default_factory=list)
    discounts: list[Body] = field(default_factory=list)
    line_item_taxes: list[Body] = field(default_factory=list)
    taxes: list[Body] = field(default_factory=list)
    used_coupons: set[str] = field(default_factory=set)

    @property
    def promotional(self) -> int:
        """The cents that promotional credits pay."""
        return sum(row["amount"] for row in self.discounts if row["entity_type"] == PROMOTIONAL_DISCOUNT)

    def as_body(self) -> Body:
        """Return the attributes that invoices and estimates share, without empty lists."""
        lists = {
            "line_item_tiers": self.line_item_tiers,
            "line_item_discounts": self.line_item_discounts,
            "discounts": self.discounts,
            "line_item_taxes": self.line_item_taxes,
            "taxes": self.taxes,
        }
        money = {"sub_total": self.sub_total, "total": self.total, "line_items": self.line_items}
        return {**money, **{name: value for name, value in lists.items() if value}}


def round_half_up(value: Decimal) -> int:
    """Return whole cents; half cents round up."""
    return int(value.quantize(Decimal(1), ROUND_HALF_UP))


def prorate_amount(amount: int, start: int, end: int, at: int) -> int:
    """Return the part of an amount for ``start`` to ``end`` that falls after ``at``, rounded half up."""
    return round_half_up(Decimal(amount * (end - at)) / (end - start))


def proportional_share(amount: int, part: int, whole: int) -> int:
    """Return ``amount`` times ``part`` / ``whole``, rounded half up; 0 if ``whole`` is 0."""
    return round_half_up(Decimal(amount * part) / whole) if whole else 0


def compute_totals(
    prices: Sequence[LineItem], deductions: Sequence[Deduction], tax_percent: float, owner: Body
) -> Bill:
    """Return the bill for these items; every line gets the ids in ``owner`` (customer_id, subscription_id)."""
    bill = Bill()
    lines = [_BilledLine(price, identifiers.new_id("li_"), price.amount) for price in prices]
    bill.sub_total = sum(price.amount for price in prices)
    for deduction in sorted(deductions, key=lambda deduction: deduction.rank):
        _apply_deduction(bill, lines, deduction)
    if tax_percent:
        _add_tax(bill, lines, Decimal(str(tax_percent)))
    bill.total = sum(line.left for line in lines) + bill.tax
    bill.line_item_tiers = [use.as_body(line.handle) for line in lines for use in line.price.tiers]
    bill.line_items = [{**_line_body(line, tax_percent), **owner} for line in lines]
    return bill


def add_bills(bills: Sequence[Bill]) -> Bill:
    """Return the bill of several subscriptions: their lines and sums, and what is one of a bill with its sum."""
    return Bill(
        sub_total=sum(bill.sub_total for bill in bills),
        tax=sum(bill.tax for bill in bills),
        total=sum(bill.total for bill in bills),
        line_items=[row for bill in bills for row in bill.line_items],
        line_item_tiers=[row for bill in bills for row in bill.line_item_tiers],
        line_item_discounts=[row for bill in bills for row in bill.line_item_discounts],
        discounts=_add_discounts([row for bill in bills for row in bill.discounts]),
        line_item_taxes=[row for bill in bills for row in bill.line_item_taxes],
        taxes=_add_amounts([row for bill in bills for row in bill.taxes]),
    )


def _add_discounts(rows: list[Body]) -> list[Body]:
    of_coupons = [row for row in rows if row["entity_type"] != PROMOTIONAL_DISCOUNT]
    return [*of_coupons, *_add_amounts([row for row in rows if row["entity_type"] == PROMOTIONAL_DISCOUNT])]


def _add_amounts(rows: list[Body]) -> list[Body]:
    """Return the rows as one with the sum of their amounts; none without rows."""
    return [{**rows[0], "amount": sum(row["amount"] for row in rows)}] if rows else []


def _apply_deduction(bill: Bill, lines: list[_BilledLine], deduction: Deduction) -> None:
    eligible = [line for line in lines if line.price.entity_id in deduction.entities]
    shares = _item_shares(eligible, deduction) if deduction.item_level else _invoice_shares(eligible, deduction)
    discounted = [(line, share) for line, share in zip(eligible, shares, strict=True) if share]
    for line, share in discounted:
        line.left -= share
        line.discount += share
        line.item_discount += share if deduction.item_level else 0
        bill.line_item_discounts.append(_line_discount_body(line, deduction, share))
    if discounted and not deduction.promotional:
        bill.used_coupons.add(deduction.coupon_id)
    if deduction.item_level:
        bill.discounts += [_discount_body(deduction, share, line) for line, share in discounted]
    elif discounted:
        bill.discounts.append(_discount_body(deduction, sum(share for _, share in discounted)))


def _item_shares(lines: list[_BilledLine], deduction: Deduction) -> list[int]:
    if deduction.percentage is not None:
        return [round_half_up(line.left * deduction.percentage / 100) for line in lines]
    return [min(line.left, deduction.amount) for line in lines]


def _invoice_shares(lines: list[_BilledLine], deduction: Deduction) -> list[int]:
    whole = sum(line.left for line in lines)
    discount = deduction.amount if deduction.percentage is None else round_half_up(whole * deduction.percentage / 100)
    return _spread_amount(min(discount, whole), [line.left for line in lines])


def _spread_amount(amount: int, weights: list[int]) -> list[int]:
    """Return ``amount`` spread over ``weights`` in proportion, with the exact sum."""
    shares = []
    for weight, rest in zip(weights, (sum(weights[index:]) for index in range(len(weights))), strict=True):
        share = round_half_up(Decimal(amount * weight) / rest) if rest else 0
        shares.append(share)
        amount -= share
    return shares


def _add_tax(bill: Bill, lines: list[_BilledLine], percent: Decimal) -> None:
    for line in lines:
        line.tax = round_half_up(line.left * percent / 100)
        bill.tax += line.tax
        bill.line_item_taxes.append(
            {
                "line_item_id": line.handle,
                "tax_name": "Sales tax",
                "tax_rate": float(percent),
                "taxable_amount": line.left,
                "tax_amount": line.tax,
                "is_partial_tax_applied": False,
                "is_non_compliance_tax": False,
                "object": "line_item_tax",
            }
        )
    bill.taxes = [{"name": "Sales tax", "amount": bill.tax, "description": f"Sales tax @ {percent}%", "object": "tax"}]


def _line_body(line: _BilledLine, tax_percent: float) -> Body:
    price = line.price
    taxed = {"tax_rate": tax_percent} if tax_percent else {"tax_exempt_reason": "tax_not_configured"}
    return {
        "id": line.handle,
        "date_from": price.date_from,
        "date_to": price.date_to,
        "unit_amount": price.unit_amount,
        "quantity": price.quantity,
        "amount": price.amount,
        "pricing_model": price.pricing_model,
        "is_taxed": bool(tax_percent),
        "tax_amount": line.tax,
        "description": price.description,
        "entity_type": price.entity_type,
        "entity_id": price.entity_id,
        "metered": False,
        "discount_amount": line.discount,
        "item_level_discount_amount": line.item_discount,
        "object": "line_item",
        **taxed,
    }


def _line_discount_body(line: _BilledLine, deduction: Deduction, share: int) -> Body:
    body: Body = {
        "line_item_id": line.handle,
        "discount_type": deduction.level,
        "discount_amount": share,
        "object": "line_item_discount",
        **deduction.source,
    }
    return body if deduction.promotional else {**body, "coupon_id": deduction.coupon_id}


def _discount_body(deduction: Deduction, amount: int, line: _BilledLine | None = None) -> Body:
    body: Body = {
        "amount": amount,
        "description": deduction.description,
        "entity_type": deduction.level,
        "discount_type": "fixed_amount" if deduction.percentage is None else "percentage",
        "object": "discount",
        **deduction.source,
    }
    if line is not None:
        body["line_item_id"] = line.handle
    if deduction.code:
        body["coupon_set_code"] = deduction.code
    return body
