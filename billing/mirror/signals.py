"""Signals for what must follow a change of the mirror, so that the mirror imports none of it.

`subscriptions_written` (`account`): sent in the transaction that wrote snapshots of an account's subscriptions.

`pause_superseded` (`subscription`, `schedule`, `now`): sent in the transaction that closed the schedule of a pause that
is gone at the provider.

`invoice_written` (`invoice`, `before`, `now`): sent in the transaction that wrote an invoice of an account, unless the
answer to a change named it. `before` is the payload that was replaced, None for an invoice that is new here.

A receiver that raises rolls the transaction back.
"""

from django.dispatch import Signal

subscriptions_written = Signal()
pause_superseded = Signal()
invoice_written = Signal()
