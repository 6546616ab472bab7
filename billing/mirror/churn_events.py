"""The only writer of churn events, which the churn report counts: one row per subscription concerned."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from accounts.brands import site
from billing.models import CancellationFeedback, ChurnEvent, Command, Subscription
from billing.queries.subscriptions.holdings import attach_plans
from billing.survey import EMPTY_SURVEY, PAUSE, Survey

EventKind = ChurnEvent.Kind


def record_event(
    subscription: Subscription,
    kind: ChurnEvent.Kind,
    *,
    at: datetime,
    command: Command | None = None,
    brand: str = "",
    survey: Survey | None = None,
) -> ChurnEvent:
    """Record one event; call it in the transaction that makes it true.

    `at` is billing's time (UTC), `brand` the code of the brand whose site was used. Without a brand (a job or the
    provider acted) the event gets the brand of the subscription's previous event.
    """
    brand = brand or _previous_brands([subscription])[subscription.provider_id]
    event = _build_event(subscription, kind, at=at, command=command, brand=brand, survey=survey or EMPTY_SURVEY)
    event.save()
    return event


def record_events(subscriptions: Sequence[Subscription], kind: ChurnEvent.Kind, *, at: datetime) -> None:
    """Record that the same has happened to several subscriptions, as `record_event` without a brand. Five queries."""
    attach_plans(subscriptions)
    brands = _previous_brands(subscriptions)
    ChurnEvent.objects.bulk_create(
        _build_event(row, kind, at=at, command=None, brand=brands[row.provider_id], survey=EMPTY_SURVEY)
        for row in subscriptions
    )


def record_change(subscription: Subscription, *kinds: ChurnEvent.Kind, at: datetime) -> None:
    """Record what the account's open command has just done to a subscription.

    The events carry the survey of the subscription's latest pause or cancellation, since they follow from it.
    """
    survey = _latest_survey(subscription)
    _record_events(subscription, kinds, survey, command=_open_command(subscription), at=at)


def record_cancellation(subscription: Subscription, *, at: datetime) -> None:
    """Record that a subscription was canceled, with the subscriber's survey; an offer shown with it was refused."""
    command = _open_command(subscription)
    survey = _command_survey(command)
    kinds = (
        (EventKind.CANCELLED, EventKind.OFFER_SHOWN, EventKind.OFFER_REFUSED)
        if survey.offer
        else (EventKind.CANCELLED,)
    )
    _record_events(subscription, kinds, survey, command=command, at=at)


def record_scheduled_pause(subscription: Subscription, *, at: datetime) -> None:
    """Record that a pause was scheduled, with the subscriber's survey; an offer shown for it was taken."""
    command = _open_command(subscription)
    survey = _command_survey(command)
    _record_events(subscription, [EventKind.PAUSE_SCHEDULED], survey, command=command, at=at)
    if command is not None and command.shown.get("offered"):
        record_taken_offer(subscription, replace(survey, offer=PAUSE), command=command, at=at)


def record_taken_offer(subscription: Subscription, survey: Survey, *, command: Command, at: datetime) -> None:
    """Record that the survey's offer was shown and taken."""
    kinds = (EventKind.OFFER_SHOWN, EventKind.OFFER_TAKEN)
    _record_events(subscription, kinds, survey, command=command, at=at)


def _record_events(
    subscription: Subscription,
    kinds: Iterable[ChurnEvent.Kind],
    survey: Survey,
    *,
    command: Command | None,
    at: datetime,
) -> None:
    brand = str(command.shown.get("brand", "")) if command else ""
    for kind in kinds:
        record_event(subscription, kind, at=at, command=command, brand=brand, survey=survey)


def _command_survey(command: Command | None) -> Survey:
    feedback = CancellationFeedback.objects.filter(command=command).last() if command else None
    return feedback.survey if feedback else EMPTY_SURVEY


def _latest_survey(subscription: Subscription) -> Survey:
    """Return the survey of a subscription's newest pause or cancellation."""
    events = ChurnEvent.objects.filter(
        subscription_id=subscription.provider_id, kind__in=(EventKind.PAUSE_SCHEDULED, EventKind.CANCELLED)
    )
    newest = events.order_by("-at", "-id").first()
    if newest is None:
        return EMPTY_SURVEY
    return Survey(reason=newest.reason, satisfaction=newest.satisfaction, usage=newest.usage)


def _open_command(subscription: Subscription) -> Command | None:
    """Return the account's open command: it has at most one."""
    account = subscription.customer.account
    if account is None:
        return None
    return Command.objects.filter(account=account, state__in=Command.OPEN).first()


def _build_event(
    subscription: Subscription,
    kind: ChurnEvent.Kind,
    *,
    at: datetime,
    command: Command | None,
    brand: str,
    survey: Survey,
) -> ChurnEvent:
    return ChurnEvent(
        at=at,
        kind=kind,
        account=subscription.customer.account,
        command=command,
        subscription_id=subscription.provider_id,
        service=subscription.plan.service,
        plan_id=subscription.plan.id,
        brand=brand,
        reason=survey.reason,
        satisfaction=survey.satisfaction,
        usage=survey.usage,
        offer=survey.offer,
    )


def _previous_brands(subscriptions: Sequence[Subscription]) -> dict[str, str]:
    """Return the brand of each subscription's newest event, by the provider's id; without one the default brand."""
    ids = [subscription.provider_id for subscription in subscriptions]
    earlier = ChurnEvent.objects.filter(subscription_id__in=ids).order_by("at", "id")
    newest = dict(earlier.values_list("subscription_id", "brand"))
    return {provider_id: newest.get(provider_id) or site.default_brand().code for provider_id in ids}
