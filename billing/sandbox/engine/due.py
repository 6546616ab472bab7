"""Everything that is due, in the order it fell due: terms, dunning, and what expires."""

from __future__ import annotations

from typing import TypeVar

from billing.sandbox import clock, events
from billing.sandbox.engine import collection, coupons, intents, scheduled, tokens
from billing.sandbox.engine.lock import writing
from billing.sandbox.models import Coupon, Invoice, PaymentIntent, Site, Subscription, Token

Due = Subscription | Invoice | Coupon | Token | PaymentIntent
D = TypeVar("D", Subscription, Invoice, Coupon, Token, PaymentIntent)


def settle() -> None:
    """Do all that is due by now, so that nobody reads a state whose time is over."""
    if _earliest(clock.now()) is None or Site.get().time_travel_status == "in_progress":
        return
    with writing():
        work(clock.now(), most=None)


def work(limit: int, most: int | None) -> int | None:
    """Do what is due up to and including ``limit``, at most ``most`` things; call it while ``writing``.

    Returns the instant of the last thing done where ``most`` cut the work short, None when nothing is left to do.
    """
    done = 0
    while (row := _earliest(limit)) is not None:
        instant = int(row.due_at or 0)
        with clock.at(instant), events.acting("scheduled_job"):
            _act(row)
        done += 1
        if done == most:
            return instant
    return None


def _act(row: Due) -> None:
    match row:
        case Subscription():
            scheduled.act(row)
        case Invoice():
            collection.retry(row)
        case Coupon():
            coupons.expire(row)
        case Token():
            tokens.expire(row)
        case PaymentIntent():
            intents.expire(row)


def _earliest(limit: int) -> Due | None:
    firsts = (
        *(_first(Subscription, limit), _first(Invoice, limit), _first(Coupon, limit)),
        *(_first(Token, limit), _first(PaymentIntent, limit)),
    )
    return min((row for row in firsts if row), key=lambda row: row.due_at or 0, default=None)


def _first(model: type[D], limit: int) -> D | None:
    return model.objects.filter(due_at__lte=limit).order_by("due_at", "seq").first()
