"""What subscribers say when they are about to leave: kept before the provider is asked, whatever becomes of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta

from accounts.models import Account
from billing.errors import BillingPartial, BillingUnconfirmed
from billing.models import CancellationFeedback, Command
from billing.queries.holdings import Holding
from billing.survey import Survey
from portal.errors import PortalError

Outcome = CancellationFeedback.Outcome

# Whoever kept an answer for so long without opening its command has died: nothing was asked of the provider.
LOST_AFTER = timedelta(minutes=10)
DONE = (Outcome.CANCELLED, Outcome.PAUSED)


def keep(
    account: Account,
    holdings: Sequence[Holding],
    survey: Survey,
    *,
    key: str,
    actor: str,
    brand: str,
    now: datetime,
) -> CancellationFeedback:
    """Store the answers of one intent, once; `holdings` are what it is about, `now` is billing's (UTC)."""
    kept, _ = CancellationFeedback.objects.get_or_create(
        account=account,
        key=key,
        defaults={"at": now, "actor": actor, "brand": brand, **asdict(survey), **_about(holdings)},
    )
    return kept


def begun(kept: CancellationFeedback, holdings: Sequence[Holding]) -> None:
    """Its command was opened and ends or pauses these; call it in the transaction that opens the command."""
    command = Command.objects.get(account=kept.account, key=kept.key)
    CancellationFeedback.objects.filter(pk=kept.pk).update(
        command=command, outcome=Outcome.REQUESTED, **_about(holdings)
    )


def joined(kept: CancellationFeedback, earlier: Command) -> None:
    """It asks for what an earlier command left undone, and shares its fate."""
    first = CancellationFeedback.objects.filter(command=earlier).order_by("pk").first()
    about = {name: getattr(first or kept, name) for name in ("services", "subscription_ids", "plan_ids")}
    CancellationFeedback.objects.filter(pk=kept.pk).update(command=earlier, **about)


def done(command: Command, *, outcome: Outcome = Outcome.CANCELLED) -> None:
    """The command has done all that it was to do."""
    CancellationFeedback.objects.filter(command=command).update(outcome=outcome)


@contextmanager
def noting(kept: CancellationFeedback | None) -> Iterator[None]:
    """Note how an intent fails, where anything was said with it; what it fails with is raised all the same."""
    try:
        yield
    except PortalError as error:
        if kept is not None:
            _not_done(kept, error)
        raise


def _not_done(kept: CancellationFeedback, error: PortalError) -> None:
    """Note how an intent failed; one that the provider has not confirmed is decided when it has."""
    if isinstance(error, BillingUnconfirmed):
        return
    outcome = Outcome.PARTLY if isinstance(error, BillingPartial) else Outcome.FAILED
    CancellationFeedback.objects.filter(pk=kept.pk).exclude(outcome__in=DONE).update(outcome=outcome)


def settle(*, now: datetime) -> None:
    """Note the outcomes of the commands that the sweep closed as failed, and of intents that never came to one."""
    undecided = CancellationFeedback.objects.filter(
        outcome=Outcome.REQUESTED, command__state=Command.State.FAILED
    )
    undecided.filter(command__error_code=BillingPartial.code).update(outcome=Outcome.PARTLY)
    undecided.update(outcome=Outcome.FAILED)
    lost = CancellationFeedback.objects.filter(outcome=Outcome.REQUESTED, command=None)
    lost.filter(at__lt=now - LOST_AFTER).update(outcome=Outcome.FAILED)


def _about(holdings: Sequence[Holding]) -> dict[str, list[str]]:
    return {
        "services": [one.plan.service for one in holdings],
        "subscription_ids": [one.subscription.provider_id for one in holdings],
        "plan_ids": [one.plan.id for one in holdings],
    }
