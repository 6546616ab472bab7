"""What an invoice says, as plain data: the seam between who gathers the facts and who draws them.

Every amount is integer cents of `InvoiceDocument.currency`. Every date is a calendar date already turned into the
site's time zone by the caller, so that a document drawn twice from the same data is the same document.
"""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class BrandMark:
    """How the brand signs the document.

    `logo` is the path or URL of a static file of the portal (`/static/portal/art/brands/kids.svg` or
    `portal/art/brands/kids.svg`); anything that is not bundled with the portal is replaced by `name` in type.
    `colour` is `#rrggbb`, used as a line and never behind or as text; anything else falls back to a neutral ink.
    """

    name: str
    logo: str | None = None
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Party:
    """Seller or subscriber; `address` holds the lines below the name, in the order they are printed."""

    name: str
    email: str = ""
    address: tuple[str, ...] = ()
    tax_id: str = ""


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """One thing sold.

    `amount` is what the line costs before discounts, cents; negative for a credit line. `period_to` is the day the
    period ends and the next one begins, as the provider prints it.
    """

    description: str
    amount: int
    unit_amount: int
    quantity: int = 1
    period_from: date | None = None
    period_to: date | None = None


@dataclass(frozen=True, slots=True)
class Discount:
    """What a coupon took off: a positive number of cents, printed as a deduction."""

    label: str
    amount: int


@dataclass(frozen=True, slots=True)
class Tax:
    """One tax with the jurisdiction and rate in its label ("NY sales tax, 4%"), cents."""

    label: str
    amount: int


@dataclass(frozen=True, slots=True)
class PaidWith:
    """The source that paid: a card (`card_brand` in the provider's word, `last4`) or a PayPal account's e-mail."""

    card_brand: str = ""
    last4: str = ""
    paypal_email: str = ""


@dataclass(frozen=True, slots=True)
class InvoiceDocument:
    """Everything an invoice prints.

    `status` is the provider's word in either case (`paid`, `PAYMENT_DUE`, `not_paid`, `posted`, `voided`, `pending`).
    `subtotal` is the sum of the lines; `total` is after discounts and taxes; `credits_applied` and `amount_paid` are
    positive and lead from `total` to `amount_due`. Nothing is added up here: the provider's figures are printed.
    """

    number: str
    status: str
    issued_on: date
    brand: BrandMark
    seller: Party
    subscriber: Party
    lines: tuple[InvoiceLine, ...]
    subtotal: int
    total: int
    amount_paid: int
    amount_due: int
    currency: str = "USD"
    discounts: tuple[Discount, ...] = ()
    taxes: tuple[Tax, ...] = ()
    credits_applied: int = 0
    due_on: date | None = None
    paid_on: date | None = None
    paid_with: PaidWith | None = None
    notes: tuple[str, ...] = ()
