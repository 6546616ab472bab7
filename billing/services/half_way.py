"""Changes that brought a payment method, were then done only in part, and have to be asked for anew."""

from dataclasses import dataclass

from accounts.models import Account
from billing.errors import BillingPartial
from billing.models import Command
from billing.services import payment_steps as steps


@dataclass(frozen=True)
class Try:
    """What came of one: the provider's id of the source it brought, and what that one paid (cents)."""

    brought: str
    collected: int


def tries(account: Account, *, to_replace: str = "") -> list[Try]:
    """Return the account's changes that brought a source and were done in part, oldest first: to replace one, or any.

    A source that the subscriber has chosen since is one like any other, and its change is not among them.
    """
    left = Command.objects.filter(account=account, error_code=BillingPartial.code).order_by("finished_at")
    found = [one for one in left if not to_replace or steps.replaced(one) == to_replace]
    return [
        Try(brought=source, collected=steps.collected(one))
        for one in found
        if (source := steps.added(one)) and not _was_chosen(source, since=one)
    ]


def _was_chosen(source_id: str, *, since: Command) -> bool:
    later = Command.objects.filter(
        account=since.account, state=Command.State.SUCCEEDED, finished_at__gt=since.finished_at
    )
    return any(steps.concerns(one, source_id) for one in later)
