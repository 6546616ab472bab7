"""What an invoice comes to: pure arithmetic over line items, coupons and a tax rate, in cents.

Discounts apply in the provider's order: fixed amounts off items, percentages off items, then fixed amounts and
percentages off what is left of the document. Halves of a cent round up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal

from billing.sandbox import identifiers
from billing.sandbox.body import Body

PROMOTIONAL = "promotional_credits"
"""The kind of discount that a customer's promotional credits are."""


@dataclass(frozen=True)
class Price:
    """One item as it is to be charged: ``quantity`` times ``unit_amount`` for the time between two instants."""

    entity_id: str
    entity_type: str
    description: str
    quantity: int
    unit_amount: int
    date_from: int
    date_to: int
    pricing_model: str = "flat_fee"

    @property
    def amount(self) -> int:
        """Cents before discounts and tax."""
        return self.quantity * self.unit_amount

    def at_once(self, amount: int, description: str) -> Price:
        """The same item for a part of its time, charged as one sum."""
        return replace(self, quantity=1, unit_amount=amount, description=description)


@dataclass(frozen=True)
class Deduction:
    """A coupon as it applies to this document: to which entities, by how much, under which code.

    Promotional credits are one too: an amount off all that the coupons have left.
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
        """Where it comes in the provider's order."""
        return (self.promotional, not self.item_level, self.percentage is not None)

    @property
    def level(self) -> str:
        """What kind of discount the provider calls it."""
        if self.promotional:
            return PROMOTIONAL
        return "item_level_coupon" if self.item_level else "document_level_coupon"

    @property
    def source(self) -> Body:
        """Which coupon it comes from; promotional credits come from none."""
        return {} if self.promotional else {"entity_id": self.coupon_id}


def promotional_credits(amount: int, prices: Sequence[Price]) -> list[Deduction]:
    """What a balance of promotional credits takes off these items: nothing, or one deduction."""
    if not amount:
        return []
    entities = frozenset(price.entity_id for price in prices)
    wording = "Promotional Credits"
    return [
        Deduction(
            coupon_id="",
            description=wording,
            item_level=False,
            percentage=None,
            amount=amount,
            entities=entities,
            promotional=True,
        )
    ]


@dataclass
class _Line:
    price: Price
    handle: str
    left: int
    item_discount: int = 0
    discount: int = 0
    tax: int = 0


@dataclass
class Bill:
    """The money part of an invoice or an estimate, with its lines in the provider's shape."""

    sub_total: int = 0
    tax: int = 0
    total: int = 0
    line_items: list[Body] = field(default_factory=list)
    line_item_discounts: list[Body] = field(default_factory=list)
    discounts: list[Body] = field(default_factory=list)
    line_item_taxes: list[Body] = field(default_factory=list)
    taxes: list[Body] = field(default_factory=list)
    used_coupons: set[str] = field(default_factory=set)

    def body(self) -> Body:
        """The attributes invoices and invoice estimates share; empty lists are left out."""
        lists = {
            "line_item_discounts": self.line_item_discounts,
            "discounts": self.discounts,
            "line_item_taxes": self.line_item_taxes,
            "taxes": self.taxes,
        }
        money = {"sub_total": self.sub_total, "total": self.total, "line_items": self.line_items}
        return {**money, **{name: value for name, value in lists.items() if value}}


def half_up(value: Decimal) -> int:
    """Whole cents, a half rounded up."""
    return int(value.quantize(Decimal(1), ROUND_HALF_UP))


def prorated(amount: int, start: int, end: int, at: int) -> int:
    """What is left of an amount for the time from ``start`` to ``end`` when it stops at ``at``, rounded half up."""
    return half_up(Decimal(amount * (end - at)) / (end - start))


def half_up_share(amount: int, part: int, whole: int) -> int:
    """``amount`` times ``part`` / ``whole``, rounded half up; nothing of nothing."""
    return half_up(Decimal(amount * part) / whole) if whole else 0


def total_up(
    prices: Sequence[Price], deductions: Sequence[Deduction], tax_percent: float, owner: Body
) -> Bill:
    """The bill for these items; ``owner`` (customer_id, subscription_id) is named on every line."""
    bill = Bill()
    lines = [_Line(price, identifiers.new("li_"), price.amount) for price in prices]
    bill.sub_total = sum(price.amount for price in prices)
    for deduction in sorted(deductions, key=lambda one: one.rank):
        _deduct(bill, lines, deduction)
    if tax_percent:
        _tax(bill, lines, Decimal(str(tax_percent)))
    bill.total = sum(line.left for line in lines) + bill.tax
    bill.line_items = [{**_line_body(line, tax_percent), **owner} for line in lines]
    return bill


def _deduct(bill: Bill, lines: list[_Line], deduction: Deduction) -> None:
    concerned = [line for line in lines if line.price.entity_id in deduction.entities]
    shares = (
        _item_shares(concerned, deduction) if deduction.item_level else _document_shares(concerned, deduction)
    )
    taken = [(line, share) for line, share in zip(concerned, shares, strict=True) if share]
    for line, share in taken:
        line.left -= share
        line.discount += share
        line.item_discount += share if deduction.item_level else 0
        bill.line_item_discounts.append(_line_discount(line, deduction, share))
    if taken and not deduction.promotional:
        bill.used_coupons.add(deduction.coupon_id)
    if deduction.item_level:
        bill.discounts += [_discount(deduction, share, line) for line, share in taken]
    elif taken:
        bill.discounts.append(_discount(deduction, sum(share for _, share in taken)))


def _item_shares(lines: list[_Line], deduction: Deduction) -> list[int]:
    if deduction.percentage is not None:
        return [half_up(line.left * deduction.percentage / 100) for line in lines]
    return [min(line.left, deduction.amount) for line in lines]


def _document_shares(lines: list[_Line], deduction: Deduction) -> list[int]:
    whole = sum(line.left for line in lines)
    off = deduction.amount if deduction.percentage is None else half_up(whole * deduction.percentage / 100)
    return _spread(min(off, whole), [line.left for line in lines])


def _spread(amount: int, weights: list[int]) -> list[int]:
    """``amount`` over ``weights`` in proportion; the running remainder keeps the sum exact to the cent."""
    shares = []
    for weight, rest in zip(weights, (sum(weights[index:]) for index in range(len(weights))), strict=True):
        share = half_up(Decimal(amount * weight) / rest) if rest else 0
        shares.append(share)
        amount -= share
    return shares


def _tax(bill: Bill, lines: list[_Line], percent: Decimal) -> None:
    for line in lines:
        line.tax = half_up(line.left * percent / 100)
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
    bill.taxes = [
        {"name": "Sales tax", "amount": bill.tax, "description": f"Sales tax @ {percent}%", "object": "tax"}
    ]


def _line_body(line: _Line, tax_percent: float) -> Body:
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


def _line_discount(line: _Line, deduction: Deduction, share: int) -> Body:
    body: Body = {
        "line_item_id": line.handle,
        "discount_type": deduction.level,
        "discount_amount": share,
        "object": "line_item_discount",
        **deduction.source,
    }
    return body if deduction.promotional else {**body, "coupon_id": deduction.coupon_id}


def _discount(deduction: Deduction, amount: int, line: _Line | None = None) -> Body:
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
