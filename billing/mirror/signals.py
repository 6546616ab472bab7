"""Signals for what must follow a change of the mirror, so that the mirror imports none of it.

`subscriptions_written` (`account`): sent in the transaction that wrote snapshots of an account's subscriptions.

`pause_superseded` (`subscription`, `schedule`, `now`): sent in the transaction that closed the schedule of a pause that
is gone at the provider.

A receiver that raises rolls the transaction back.
"""

from django.dispatch import Signal

subscriptions_written = Signal()
pause_superseded = Signal()
