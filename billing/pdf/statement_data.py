"""The data of a yearly statement's PDF: the interface between billing, which collects it, and the renderer.

As in `invoice_data`, amounts are integer cents, and dates are calendar dates in the site's time zone.
"""

from dataclasses import dataclass
from datetime import date

from billing.pdf.invoice_data import BrandMark, Party, PayingSource


@dataclass(frozen=True, slots=True)
class StatementItem:
    """What an invoice bills: its name, and the first and last day, None for what has no period."""

    name: str
    period_from: date | None = None
    period_to: date | None = None


@dataclass(frozen=True, slots=True)
class StatementInvoice:
    """An invoice of the year: when it was paid, or else issued, and what of its total is paid by what."""

    number: str
    status: str
    dated: date
    items: tuple[StatementItem, ...]
    total: int
    currency: str
    paid_with: PayingSource | None = None


@dataclass(frozen=True, slots=True)
class StatementRefund:
    """Money that was returned in the year, and where to."""

    dated: date
    amount: int
    currency: str
    paid_to: PayingSource | None = None


@dataclass(frozen=True, slots=True)
class StatementSums:
    """The sums of one currency, all positive. Voided invoices are left out.

    `credits`, `paid` and `due` are what the account's credit paid of `total`, what payment methods paid, and what is
    still due; `adjusted` is what the provider wrote off or credited before it was paid.
    """

    currency: str
    total: int
    credits: int
    adjusted: int
    paid: int
    due: int
    refunded: int


@dataclass(frozen=True, slots=True)
class StatementData:
    """Everything printed on a statement: the year's invoices and refunds, the oldest first, and their sums."""

    year: int
    brand: BrandMark
    seller: Party
    subscriber: Party
    invoices: tuple[StatementInvoice, ...]
    refunds: tuple[StatementRefund, ...]
    sums: tuple[StatementSums, ...]
