"""Changes that added a payment method, were done only in part, and have to be requested again."""

from dataclasses import dataclass

from accounts.models import Account
from billing.errors import BillingPartial
from billing.models import Command
from billing.queries.payments.payment_commands import (
    added_source_id,
    collected_cents,
    has_touched_source,
    replaced_source_id,
)


@dataclass(frozen=True)
class PartialAddition:
    """The provider's id of the source that a partly done change added, and what the source paid (cents)."""

    source_id: str
    collected_cents: int


def partial_additions(account: Account, *, to_replace: str = "") -> list[PartialAddition]:
    """Return the account's partly done changes that added a source, oldest first.

    With `to_replace`, only those that were to replace this source. Changes whose source the subscriber has used in a
    later change are left out: that source is meant to stay.
    """
    partial = Command.objects.filter(account=account, error_code=BillingPartial.code).order_by("finished_at")
    commands = [command for command in partial if not to_replace or replaced_source_id(command) == to_replace]
    return [
        PartialAddition(source_id=source, collected_cents=collected_cents(command))
        for command in commands
        if (source := added_source_id(command)) and not _is_used_since(source, since=command)
    ]


def _is_used_since(source_id: str, *, since: Command) -> bool:
    later = Command.objects.filter(
        account=since.account, state=Command.State.SUCCEEDED, finished_at__gt=since.finished_at
    )
    return any(has_touched_source(command, source_id) for command in later)
