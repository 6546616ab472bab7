"""The data of an invoice PDF: the interface between billing, which collects it, and the renderer.

Amounts are integer cents of `InvoiceData.currency`. Dates are calendar dates in the site's time zone, converted by the
caller, so that the same data always gives the same PDF.
"""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class BrandMark:
    """The brand's name, logo and color.

    `logo` is the path or URL of a static file of the portal (`/static/portal/art/brands/kids.svg` or
    `portal/art/brands/kids.svg`); when it is not bundled, `name` is printed instead. `colour` is `#rrggbb`, used for
    lines only, never for text or its background; any other value falls back to a neutral color.
    """

    name: str
    logo: str | None = None
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Party:
    """The seller or the subscriber; `address` holds the lines below the name, in order."""

    name: str
    email: str = ""
    address: tuple[str, ...] = ()
    tax_id: str = ""


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """One line item.

    `amount` is in cents before discounts, negative for a credit. `period_to` is the day the period ends and the next
    one begins, as the provider prints it.
    """

    description: str
    amount: int
    unit_amount: int
    quantity: int = 1
    period_from: date | None = None
    period_to: date | None = None


@dataclass(frozen=True, slots=True)
class DiscountLine:
    """One discount: a positive number of cents, printed as a deduction."""

    label: str
    amount: int


@dataclass(frozen=True, slots=True)
class TaxLine:
    """One tax in cents, with jurisdiction and rate in its label ("NY sales tax, 4%")."""

    label: str
    amount: int


@dataclass(frozen=True, slots=True)
class PayingSource:
    """The payment source: a card (`card_brand` as the provider spells it, `last4`) or a PayPal account's email.

    `wallet` is the name of any other payment method, which may have a card.
    """

    card_brand: str = ""
    last4: str = ""
    paypal_email: str = ""
    wallet: str = ""


@dataclass(frozen=True, slots=True)
class InvoiceData:
    """Everything printed on an invoice.

    `status` is the provider's status in any case (`paid`, `PAYMENT_DUE`, `not_paid`, `posted`, `voided`, `pending`).
    `subtotal` is the sum of the lines; `total` is after discounts and taxes; `credits_applied`, `amount_paid` and
    `adjusted`, which was taken off or written off, are positive and lead from `total` to `amount_due`. The provider's
    figures are printed; nothing is calculated here.
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
    discounts: tuple[DiscountLine, ...] = ()
    taxes: tuple[TaxLine, ...] = ()
    credits_applied: int = 0
    adjusted: int = 0
    due_on: date | None = None
    paid_on: date | None = None
    paid_with: PayingSource | None = None
    notes: tuple[str, ...] = ()
