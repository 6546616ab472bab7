"""The only writer of what the retention report counts: one row per subscription concerned."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from accounts import site
from billing.models import CancellationFeedback, Command, RetentionEvent, Subscription
from billing.survey import NOTHING_SAID, PAUSE, Survey

Kind = RetentionEvent.Kind


def record(
    subscription: Subscription,
    kind: RetentionEvent.Kind,
    *,
    at: datetime,
    command: Command | None = None,
    brand: str = "",
    survey: Survey | None = None,
) -> RetentionEvent:
    """Add one event; call it in the transaction that makes it true.

    Takes: `at` is billing's time (UTC); `brand` the code of the brand that it was asked for on. What a job or the
    provider did belongs to the brand of the subscription's event before.
    """
    answers = survey or NOTHING_SAID
    return RetentionEvent.objects.create(
        at=at,
        kind=kind,
        account=subscription.customer.account,
        command=command,
        subscription_id=subscription.provider_id,
        service=subscription.service,
        plan_id=subscription.plan_id,
        brand=brand or _brand_before(subscription),
        reason=answers.reason,
        satisfaction=answers.satisfaction,
        usage=answers.usage,
        offer=answers.offer,
    )


def changed(subscription: Subscription, *kinds: RetentionEvent.Kind, at: datetime) -> None:
    """Add events about what the account's open command has just done to a subscription.

    What follows a pause or a cancellation is counted with what was said when that was placed.
    """
    said = _said_before(subscription)
    _add(subscription, kinds, said, command=_open_command(subscription), at=at)


def cancelled(subscription: Subscription, *, at: datetime) -> None:
    """Add that a subscription is to end, or has, with what its subscriber said; an offer on the screen was refused."""
    command = _open_command(subscription)
    survey = _said_with(command)
    kinds = (Kind.CANCELLED, Kind.OFFER_SHOWN, Kind.OFFER_REFUSED) if survey.offer else (Kind.CANCELLED,)
    _add(subscription, kinds, survey, command=command, at=at)


def pause_placed(subscription: Subscription, *, at: datetime) -> None:
    """Add that a pause was placed, with what was said; where a screen had offered it, the offer was taken."""
    command = _open_command(subscription)
    survey = _said_with(command)
    _add(subscription, [Kind.PAUSE_SCHEDULED], survey, command=command, at=at)
    if command is not None and command.shown.get("offered"):
        taken(subscription, replace(survey, offer=PAUSE), command=command, at=at)


def taken(subscription: Subscription, survey: Survey, *, command: Command, at: datetime) -> None:
    """Add that the survey's offer was on the screen and was taken."""
    kinds = (Kind.OFFER_SHOWN, Kind.OFFER_TAKEN)
    _add(subscription, kinds, survey, command=command, at=at)


def _add(
    subscription: Subscription,
    kinds: Iterable[RetentionEvent.Kind],
    survey: Survey,
    *,
    command: Command | None,
    at: datetime,
) -> None:
    brand = str(command.shown.get("brand", "")) if command else ""
    for kind in kinds:
        record(subscription, kind, at=at, command=command, brand=brand, survey=survey)


def _said_with(command: Command | None) -> Survey:
    """Return what was said with a command, nothing where nothing was."""
    said = CancellationFeedback.objects.filter(command=command).last() if command else None
    return said.survey if said else NOTHING_SAID


def _said_before(subscription: Subscription) -> Survey:
    """Return what was said with the newest pause or cancellation of a subscription."""
    placed = RetentionEvent.objects.filter(
        subscription_id=subscription.provider_id, kind__in=(Kind.PAUSE_SCHEDULED, Kind.CANCELLED)
    )
    newest = placed.order_by("-at", "-id").first()
    if newest is None:
        return NOTHING_SAID
    return Survey(reason=newest.reason, satisfaction=newest.satisfaction, usage=newest.usage)


def _open_command(subscription: Subscription) -> Command | None:
    """Return the command that is changing a subscription: an account has one open at most."""
    account = subscription.customer.account
    if account is None:
        return None
    return Command.objects.filter(account=account, state__in=Command.OPEN).first()


def _brand_before(subscription: Subscription) -> str:
    earlier = RetentionEvent.objects.filter(subscription_id=subscription.provider_id).order_by("-at", "-id")
    return earlier.values_list("brand", flat=True).first() or site.default_brand().code
