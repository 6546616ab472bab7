"""Everything that is due, in the order it fell due: terms, dunning, and what expires."""

from __future__ import annotations

from django.db import connection

from billing.sandbox import clock, events
from billing.sandbox.engine import collection, coupons, intents, scheduled, tokens
from billing.sandbox.engine.lock import writing
from billing.sandbox.models import Coupon, Invoice, PaymentIntent, Site, Subscription, Token

Due = Subscription | Invoice | Coupon | Token | PaymentIntent
# Of two things that fall due at once, the kind that stands first here goes first.
KINDS: tuple[type[Due], ...] = (Subscription, Invoice, Coupon, Token, PaymentIntent)
_ANYTHING_DUE = " OR ".join(
    f"EXISTS (SELECT 1 FROM {kind._meta.db_table} WHERE due_at <= %s)"  # noqa: S608  (our own names)
    for kind in KINDS
)


def settle() -> None:
    """Do all that is due by now, so that nobody reads a state whose time is over."""
    if not _anything(clock.now()) or Site.get().time_travel_status == "in_progress":
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


def _anything(limit: int) -> bool:
    # Asked by every request: once, as it stands, not as five queries to be composed each time.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_ANYTHING_DUE}", [limit] * len(KINDS))
        (there,) = cursor.fetchone()
    return bool(there)


def _earliest(limit: int) -> Due | None:
    firsts: list[Due | None] = [
        kind.objects.filter(due_at__lte=limit).order_by("due_at", "seq").first() for kind in KINDS
    ]
    return min((row for row in firsts if row), key=lambda row: row.due_at or 0, default=None)
