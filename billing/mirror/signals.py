"""Signals for what must follow a change of the mirror, so that the mirror imports none of it.

`subscriptions_written` (`account`): sent in the transaction that wrote snapshots of an account's subscriptions.

`pause_superseded` (`subscription`, `schedule`, `now`): sent in the transaction that closed the schedule of a pause that
is gone at the provider.

`invoice_written` (`invoice`, `before`, `now`): sent in the transaction that wrote an invoice of an account, unless the
answer to a change named it. `before` is the payload that was replaced, None for an invoice that is new here.

A receiver that raises rolls the transaction back.

`events_applied` (`source`: "webhook" or "feed"; `lags`, a time for each event): sent after the transaction that stored
what became of events whose content the mirror has now. A lag is the time since the provider's event. What a receiver
raises is logged by Django.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.dispatch import Signal

from billing import clock

subscriptions_written = Signal()
pause_superseded = Signal()
invoice_written = Signal()
events_applied = Signal()


def announce_applied_events(source: str, occurred_at: Sequence[datetime]) -> None:
    """Send `events_applied` after the transaction, for events of these times on the provider's clock.

    `source` is what delivered them: a value of `WebhookEvent.Source`.
    """
    if not occurred_at:
        return
    now = clock.billing_now()
    lags = [now - instant for instant in occurred_at]

    def send_signal() -> None:
        events_applied.send_robust(sender=Signal, source=source, lags=lags)

    transaction.on_commit(send_signal, robust=True)
