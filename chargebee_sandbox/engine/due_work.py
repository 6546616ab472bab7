"""Runs everything that is due, in order: terms, dunning, expiries."""

from __future__ import annotations

from django.db import connection

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.engine.billing import coupons
from chargebee_sandbox.engine.payments import card_tokens, payment_intents
from chargebee_sandbox.engine.subscriptions import due_transitions, dunning, ramps
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import Coupon, Invoice, PaymentIntent, Ramp, Subscription, Token
from chargebee_sandbox.row_lookup import find_row
from chargebee_sandbox.site import Site

DueRow = Ramp | Subscription | Invoice | Coupon | Token | PaymentIntent
# Of two rows due at the same instant, that of the first model here runs first.
DUE_MODELS: tuple[type[DueRow], ...] = (Ramp, Subscription, Invoice, Coupon, Token, PaymentIntent)
_ANYTHING_DUE_SQL = " OR ".join(
    f"EXISTS (SELECT 1 FROM {kind._meta.db_table} WHERE due_at <= %s)"  # noqa: S608  (our own names)
    for kind in DUE_MODELS
)
_FIRST_DUE_ROWS_SQL = " UNION ALL ".join(
    f"SELECT * FROM (SELECT due_at, {position}, seq FROM {kind._meta.db_table}"  # noqa: S608  (as above)
    " WHERE due_at <= %s ORDER BY due_at, seq LIMIT 1)"
    for position, kind in enumerate(DUE_MODELS)
)


def run_due_work() -> None:
    """Run everything that is due by now, so that no request reads an outdated state."""
    if not _is_anything_due(clock.now_seconds()) or Site.load().time_travel_status == "in_progress":
        return
    with hold_write_lock():
        run_due_batch(clock.now_seconds(), most=None)


def run_due_batch(limit: int, most: int | None) -> int | None:
    """Run what is due up to and including ``limit`` (seconds UTC), at most ``most`` rows, under the write lock.

    Return the instant of the last row if ``most`` was reached, or None if nothing is left.
    """
    done = 0
    while (row := _earliest_due_row(limit)) is not None:
        instant = int(row.due_at or 0)
        with clock.hold_time(instant), event_log.act_as("scheduled_job"):
            _run_due_row(row)
        done += 1
        if done == most:
            return instant
    return None


def _run_due_row(row: DueRow) -> None:
    match row:
        case Ramp():
            ramps.run_ramp(row)
        case Subscription():
            due_transitions.run_due_transition(row)
        case Invoice():
            dunning.retry_invoice(row)
        case Coupon():
            coupons.run_due_coupon(row)
        case Token():
            card_tokens.expire_token(row)
        case PaymentIntent():
            payment_intents.expire_intent(row)


def _is_anything_due(limit: int) -> bool:
    # Raw SQL: every request runs this, and composing six queries costs more than running one.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_ANYTHING_DUE_SQL}", [limit] * len(DUE_MODELS))
        (is_due,) = cursor.fetchone()
    return bool(is_due)


def _earliest_due_row(limit: int) -> DueRow | None:
    with connection.cursor() as cursor:
        cursor.execute(f"{_FIRST_DUE_ROWS_SQL} ORDER BY 1, 2 LIMIT 1", [limit] * len(DUE_MODELS))
        found = cursor.fetchone()
    if found is None:
        return None
    _due_at, position, seq = found
    return find_row(DUE_MODELS[position], "seq", seq)
