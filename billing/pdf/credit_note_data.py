"""The data of a credit note's PDF: the interface between billing, which collects it, and the renderer.

As in `invoice_data`, amounts are integer cents, and dates are calendar dates in the site's time zone.
"""

from dataclasses import dataclass
from datetime import date

from billing.pdf.invoice_data import BrandMark, DiscountLine, InvoiceLine, Party, PayingSource, TaxLine


@dataclass(frozen=True, slots=True)
class CreditNoteData:
    """Everything printed on a credit note.

    Of `total`, `refunded` was returned to `refunded_to`, `used` has paid other invoices, and `left` pays the next ones.
    With `adjusts`, all of it was taken off what was due of the invoice.
    """

    number: str
    invoice_number: str
    issued_on: date
    brand: BrandMark
    seller: Party
    subscriber: Party
    lines: tuple[InvoiceLine, ...]
    taxes: tuple[TaxLine, ...]
    subtotal: int
    total: int
    currency: str
    discounts: tuple[DiscountLine, ...] = ()
    adjusts: bool = False
    refunded: int = 0
    used: int = 0
    left: int = 0
    refunded_to: PayingSource | None = None
