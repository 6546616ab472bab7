"""What a change will cost, put together from the provider's estimates: totals by period, due today, credits, quote."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from billing.errors import BillingUnavailable, InvalidState, PaymentMethodRequired
from billing.gateway.errors import NotSent, Refused
from billing.gateway.estimates import Bill
from billing.queries.discounts import Price
from billing.queries.instants import iso
from billing.queries.totals import Totals, totals
from billing.services.quotes import quote_of


@dataclass(frozen=True)
class Line:
    """One plan as it will bill: its period (`month` or `year`) and its next bill, None when it will not bill."""

    period_unit: str
    bill: Bill | None


@dataclass(frozen=True)
class Figures:
    """The money of a change, in cents.

    `own` and `other` are the totals of the account's period and of the other one, `due_now` what is charged at once
    (tax included), `credits` what is given back for terms already paid, `effective_at` when the change takes effect.
    """

    own: Totals
    other: Totals | None
    due_now: int
    credits: int
    effective_at: datetime | None
    quote: str


def figures_of(
    lines: Sequence[Line],
    *,
    otherwise: str,
    due_now: int,
    given_back: int = 0,
    effective_at: datetime | None,
    at_once: bool = False,
    about: Iterable[str],
) -> Figures:
    """Add up what the provider estimated.

    Takes: the plans in catalogue order as they will be; `otherwise`, the period when none bills; `given_back`, the
    credits; `at_once`, whether it takes effect the moment it is confirmed; `about`, what the change is, so that its
    quote is not another's.
    """
    bills = [(line.period_unit, price_of(line.bill)) for line in lines if line.bill is not None]
    own, other = totals(bills, otherwise=otherwise)
    figures = {
        "about": sorted(about),
        "bills": [[unit, price.amount, price.total] for unit, price in bills],
        "due_now": due_now,
        "credits": given_back,
        # What happens at once is left undated: the figures hold however long they are read.
        "effective_at": None if at_once else iso(effective_at),
    }
    return Figures(
        own=own,
        other=other,
        due_now=due_now,
        credits=given_back,
        effective_at=effective_at,
        quote=quote_of(figures),
    )


def price_of(bill: Bill) -> Price:
    """Return an estimated bill as the totals count it."""
    return Price(amount=bill.full, bundle_savings=bill.bundle_savings, coupon_discount=bill.coupon_discount)


@contextmanager
def asking() -> Iterator[None]:
    """Translate the gateway's errors while estimates are asked for.

    Raises BillingUnavailable, PaymentMethodRequired or InvalidState for what the gateway raised.
    """
    try:
        yield
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Refused as error:
        raise PaymentMethodRequired if error.code == "payment_method_not_present" else InvalidState from error
