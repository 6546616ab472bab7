"""What every change of plans shares: it is shown first, done as shown, and refused when the ground has moved."""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.models import Account
from billing.errors import BillingError, ChangeInProgress, PaymentMethodRequired, QuoteChanged
from billing.models import PaymentSource
from billing.queries.holdings import Holding
from billing.queries.owned import live_holdings
from billing.services.figures import Figures


class NoChange(BillingError):
    """What is asked for is what there is."""

    code = "no_change"
    status = 409
    message = "There is nothing to change."


def basis_of(holdings: Iterable[Holding]) -> str:
    """Return what stands for the state that a preview was made of."""
    return ";".join(f"{one.subscription.provider_id}:{one.subscription.resource_version}" for one in holdings)


def check_basis(account: Account, basis: str) -> None:
    """Refuse to act on a state that is no longer there. Raises ChangeInProgress."""
    if basis_of(live_holdings(account)) != basis:
        raise ChangeInProgress(retry_after=1)


def check_quote(quote: str | None, figures: Figures, body: Mapping[str, Any]) -> None:
    """Refuse a confirmation of other figures than these. Raises QuoteChanged with the new ones."""
    if quote is not None and quote != figures.quote:
        raise QuoteChanged(extra=body)


def check_can_pay(account: Account) -> None:
    """Refuse what is charged at once where there is nothing to charge. Raises PaymentMethodRequired."""
    if not PaymentSource.objects.filter(customer__account=account, deleted=False).exists():
        raise PaymentMethodRequired


def money(figures: Figures) -> dict[str, Any]:
    """Return the figures of a change as its answer names them."""
    other = figures.other
    return {
        "total": figures.own.total,
        "bundle_savings": figures.own.bundle_savings,
        "coupon_discount": figures.own.coupon_discount,
        "period_unit": figures.own.period_unit,
        "other_total": None
        if other is None
        else {
            "period_unit": other.period_unit,
            "total": other.total,
            "bundle_savings": other.bundle_savings,
            "coupon_discount": other.coupon_discount,
        },
        "due_now": figures.due_now,
        "quote": figures.quote,
    }
