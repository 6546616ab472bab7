"""Resume paused subscriptions at once (docs/rules.md, rules 1 and 3); `billing/jobs/resumes` has scheduled resumes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from accounts.models import Account
from billing.changes import bundle_coupons
from billing.changes.plan_change import SubscriptionsChange, ids_left
from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Preview, compute_basis, confirm_change
from billing.commands.quotes import compute_quote
from billing.errors import BillingError, BillingUnavailable, InvalidState, QuoteChanged
from billing.gateway import subscriptions as gateway
from billing.gateway.errors import NotSent, Refused
from billing.models import Command, PauseSchedule, Subscription
from billing.models.steps import Step, StepOperation, subscription_step
from billing.queries.holdings import Holding, newest_subscriptions
from billing.queries.ownership import chosen_holdings, live_holdings, named_subscriptions
from billing.receipts.charges import command_charges
from billing.receipts.partial_receipts import ActivityReceipt
from billing.receipts.texts import pauses


class NothingToResume(BillingError):
    """A named subscription is not paused, or none is."""

    code = "nothing_to_resume"
    status = 409
    message = "There's no paused subscription to resume."


@dataclass(frozen=True)
class ResumeEstimate:
    """What resuming would charge (cents, tax included) and when (UTC), with the quote of the charges."""

    resume_date: datetime
    amount_due: int
    quote: str


def resume_subscriptions(
    account: Account,
    *,
    subscription_ids: Sequence[str] | None,
    quote: str | None,
    key: str,
    actor: str,
    now: datetime,
) -> None:
    """Resume paused subscriptions at once; `subscription_ids` None means every one of the account.

    A repeated request for the same subscriptions finishes one that was done in part. Raises NotFound, NothingToResume,
    QuoteChanged, PaymentProcessingFailed (still paused) and what a command raises.
    """
    change = ResumeSubscriptions(account, RESUME, subscription_ids, has_quote=quote is not None)
    confirm_change(change, quote=quote, key=key, actor=actor, now=now)
    # The provider refuses changes of a paused subscription: its coupons are aligned now (docs/rules.md, rule 6).
    bundle_coupons.align_if_possible(account, now=now)


def estimate_resume(
    account: Account, *, subscription_ids: Sequence[str] | None, days: int | None, now: datetime
) -> ResumeEstimate:
    """Return when the subscriptions would resume and what that would charge.

    `days` None means now, else that many days after the pause date; with `days`, subscriptions that could be paused
    count too. Raises NotFound, NothingToResume, BillingUnavailable, InvalidState.
    """
    if days is None:
        return _build_estimate(now, _estimate_charges(_paused_subscriptions(account, subscription_ids)))
    pause_dates = [
        (holding, date)
        for holding in chosen_holdings(account, subscription_ids)
        if (date := _pause_date(holding)) is not None
    ]
    if not pause_dates:
        raise NothingToResume
    resume_at = min(date for _, date in pause_dates) + timedelta(days=days)
    return _build_estimate(
        resume_at,
        {holding.subscription.provider_id: _estimate_later_charge(holding, now) for holding, _ in pause_dates},
    )


def count_overdue_resumes(*, now: datetime) -> int:
    """Return how many pauses are past their resume date and still in effect, including those whose resumes failed."""
    return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, resume_date__lte=now).count()


@dataclass(frozen=True)
class ResumeSubscriptions(SubscriptionsChange):
    """The resume of paused subscriptions; with no names, of all of the account. It is priced if a quote was sent."""

    has_quote: bool

    def preview(self, now: datetime) -> Preview | None:
        """Return the charges of the resumes, if there is a quote. Raises NothingToResume, BillingUnavailable."""
        if not self.has_quote:
            return None
        charges = _estimate_charges(_paused_subscriptions(self.account, self.subscription_ids))
        quote = compute_quote(charges)
        return Preview(
            basis=compute_basis(live_holdings(self.account)),
            body=vars(_build_estimate(now, charges)),
            shown={"quote": quote, "charges": charges},
        )

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the steps. Raises NothingToResume."""
        return [
            subscription_step(StepOperation.RESUME, subscription.provider_id)
            for subscription in _paused_subscriptions(self.account, self.subscription_ids)
        ]

    def remaining_ids(self) -> set[str]:
        """Return the ids of the requested subscriptions that are paused."""
        subscriptions = _requested_subscriptions(self.account, self.subscription_ids)
        return {subscription.provider_id for subscription in subscriptions if subscription.status == "paused"}

    def is_confirmed(self, earlier: Command, quote: str | None, now: datetime) -> bool:
        """Return True, or raise QuoteChanged if what is left charges other amounts by now.

        The quote includes the subscriptions that the earlier command has resumed; they are not charged again.
        """
        if quote is None:
            return True
        charges = _estimate_charges(named_subscriptions(self.account, sorted(ids_left(earlier))))
        current = compute_quote({**earlier.shown.get("charges", {}), **charges})
        if quote != current:
            raise QuoteChanged(extra=vars(replace(_build_estimate(now, charges), quote=current)))
        return True


def _estimate_charges(subscriptions: Sequence[Subscription]) -> dict[str, int]:
    return {
        subscription.provider_id: _request_amount_due(partial(gateway.estimate_resume, subscription.provider_id))
        for subscription in subscriptions
    }


def _paused_subscriptions(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    subscriptions = _requested_subscriptions(account, subscription_ids)
    paused = [subscription for subscription in subscriptions if subscription.status == "paused"]
    if not paused or (subscription_ids is not None and len(paused) < len(subscriptions)):
        raise NothingToResume
    return paused


def _requested_subscriptions(account: Account, subscription_ids: Sequence[str] | None) -> list[Subscription]:
    if subscription_ids is None:
        return newest_subscriptions(account)
    return named_subscriptions(account, subscription_ids)


def _pause_date(holding: Holding) -> datetime | None:
    return holding.subscription.current_term_end if holding.can_be_paused else holding.pause_date


def _estimate_later_charge(holding: Holding, now: datetime) -> int:
    identifier = holding.subscription.provider_id
    if holding.is_paused:
        # A pause past its resume date would be resumed now.
        at = max(holding.resume_date or now, now + timedelta(minutes=1))
        return _request_amount_due(lambda: gateway.estimate_resume(identifier, at=at))
    return _request_amount_due(lambda: gateway.estimate_renewal(identifier))


def _request_amount_due(estimate_charge: Callable[[], gateway.Charge]) -> int:
    try:
        return estimate_charge().amount_due
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Refused as error:
        raise InvalidState from error


def _build_estimate(resume_date: datetime, charges: dict[str, int]) -> ResumeEstimate:
    # The quote leaves the date out: it stays valid however long the subscriber reads it.
    return ResumeEstimate(resume_date=resume_date, amount_due=sum(charges.values()), quote=compute_quote(charges))


def _compose_receipt(command: Command, subscriptions: list[Subscription]) -> ActivityReceipt:
    return ActivityReceipt("resumed", pauses.resume_receipt(subscriptions, command_charges(command, subscriptions)))


RESUME = CommandKind("resume", compose_receipt=_compose_receipt)
