"""The answers of subscribers who cancel or pause: stored before the provider is called, with the outcome later."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from accounts.models import Account
from billing.changes.plan_change import SubscriptionsChange
from billing.errors import BillingPartial, BillingUnconfirmed
from billing.models import CancellationFeedback, Command
from billing.queries.subscriptions.holdings import Holding
from billing.survey import Survey
from core.errors import PortalError

Outcome = CancellationFeedback.Outcome

# A process that stored answers and opened no command for so long has died: the provider was not called.
ABANDONED_AFTER = timedelta(minutes=10)
DONE_OUTCOMES = (Outcome.CANCELLED, Outcome.PAUSED)


def store_answers(
    account: Account,
    holdings: Sequence[Holding],
    survey: Survey,
    *,
    key: str,
    actor: str,
    brand: str,
    now: datetime,
) -> CancellationFeedback:
    """Store a request's answers about `holdings`, once per key; `now` is billing's time (UTC)."""
    feedback, _ = CancellationFeedback.objects.get_or_create(
        account=account,
        key=key,
        defaults={"at": now, "actor": actor, "brand": brand, **asdict(survey), **_holding_fields(holdings)},
    )
    return feedback


@dataclass(frozen=True)
class SurveyedChange(SubscriptionsChange):
    """A change with the subscriber's answers to a survey, None if there are none."""

    feedback: CancellationFeedback | None

    def link_answers(self, command: Command, holdings: Sequence[Holding]) -> None:
        """Link the answers to the command that is being opened, which changes `holdings`."""
        if self.feedback is None:
            return
        CancellationFeedback.objects.filter(pk=self.feedback.pk).update(
            command=command, outcome=Outcome.REQUESTED, **_holding_fields(holdings)
        )

    def join(self, earlier: Command) -> None:
        """Link the answers to the earlier command that this request finishes: both have the same outcome."""
        if self.feedback is None:
            return
        first = CancellationFeedback.objects.filter(command=earlier).order_by("pk").first() or self.feedback
        about = {name: getattr(first, name) for name in ("services", "subscription_ids", "plan_ids")}
        CancellationFeedback.objects.filter(pk=self.feedback.pk).update(command=earlier, **about)


def mark_done(command: Command, *, outcome: Outcome = Outcome.CANCELLED) -> None:
    """Set the outcome of a command that is done."""
    CancellationFeedback.objects.filter(command=command).update(outcome=outcome)


@contextmanager
def record_failure(feedback: CancellationFeedback | None) -> Iterator[None]:
    """Set the outcome of a request that fails, if it had answers, and raise its error again."""
    try:
        yield
    except PortalError as error:
        if feedback is not None:
            _mark_failed(feedback, error)
        raise


def _mark_failed(feedback: CancellationFeedback, error: PortalError) -> None:
    """Set the outcome of a failed request; an unconfirmed one gets its outcome when the command is settled."""
    if isinstance(error, BillingUnconfirmed):
        return
    outcome = Outcome.PARTLY if isinstance(error, BillingPartial) else Outcome.FAILED
    CancellationFeedback.objects.filter(pk=feedback.pk).exclude(outcome__in=DONE_OUTCOMES).update(outcome=outcome)


def resolve_outcomes(*, now: datetime) -> None:
    """Set the outcomes of commands that the sweep closed as failed, and of requests that never opened a command."""
    undecided = CancellationFeedback.objects.filter(outcome=Outcome.REQUESTED, command__state=Command.State.FAILED)
    undecided.filter(command__error_code=BillingPartial.code).update(outcome=Outcome.PARTLY)
    undecided.update(outcome=Outcome.FAILED)
    lost = CancellationFeedback.objects.filter(outcome=Outcome.REQUESTED, command=None)
    lost.filter(at__lt=now - ABANDONED_AFTER).update(outcome=Outcome.FAILED)


def _holding_fields(holdings: Sequence[Holding]) -> dict[str, list[str]]:
    return {
        "services": [holding.plan.service for holding in holdings],
        "subscription_ids": [holding.subscription.provider_id for holding in holdings],
        "plan_ids": [holding.plan.id for holding in holdings],
    }
