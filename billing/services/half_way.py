"""Payment methods that a change brought which was then done only in part, and has to be asked for anew."""

from accounts.models import Account
from billing.errors import BillingPartial
from billing.models import Command
from billing.services import payment_steps as steps


def brought_to_replace(account: Account, source_id: str, *, kind: str) -> list[str]:
    """Return what changes of this kind, done in part, brought in a source's place, oldest first.

    What the subscriber has chosen since is a method like any other, and not among them.
    """
    left = Command.objects.filter(account=account, kind=kind, error_code=BillingPartial.code)
    found = [
        (one, steps.brought(one)) for one in left.order_by("finished_at") if source_id in steps.to_remove(one)
    ]
    return [new for one, new in found if new and not _was_chosen(new, since=one)]


def _was_chosen(source_id: str, *, since: Command) -> bool:
    later = Command.objects.filter(
        account=since.account, state=Command.State.SUCCEEDED, finished_at__gt=since.finished_at
    )
    return any(steps.concerns(one, source_id) for one in later)
