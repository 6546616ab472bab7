"""The portal's pause schedules: commands open and close them, and they follow the provider's subscriptions."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Account
from billing.errors import InvalidState
from billing.mirror import churn_events
from billing.mirror.churn_events import EventKind
from billing.mirror.signals import pause_superseded
from billing.models import Command, PauseSchedule, Subscription
from billing.models.mirror_row import MirroredResource

PAUSE_DAYS = 30
LATE_START = timedelta(hours=1)

State = PauseSchedule.State


def current_schedule(subscription: Subscription) -> PauseSchedule | None:
    """Return a subscription's open schedule: scheduled or paused."""
    return PauseSchedule.objects.filter(subscription=subscription, state__in=PauseSchedule.OPEN).first()


def ensure_schedule(subscription: Subscription, *, now: datetime) -> PauseSchedule:
    """Open the schedule of a pause that the provider has accepted, or return the open one.

    Raises InvalidState when the subscription has no pause.
    """
    pause_date = subscription.pause_date
    if pause_date is None:
        raise InvalidState
    if subscription.has_scheduled_pause:
        # The provider has a pause that has not begun, so the one that is in effect here has ended unnoticed.
        ended = PauseSchedule.objects.filter(subscription=subscription, state=State.PAUSED)
        _close_rows(ended, [subscription], state=State.RESUMED, because="resumed at the provider", now=now)
    schedule, created = PauseSchedule.objects.get_or_create(
        subscription=subscription,
        state__in=PauseSchedule.OPEN,
        defaults={
            "state": State.PAUSED if subscription.status == "paused" else State.SCHEDULED,
            "pause_date": pause_date,
            "resume_date": _resume_date(subscription, pause_date),
            "created_at": now,
        },
    )
    if created and schedule.state == State.PAUSED:
        churn_events.record_event(subscription, EventKind.PAUSED, at=now)
    return schedule


def was_set_aside(subscription: Subscription) -> bool:
    """Return whether a cancellation has closed the newest schedule; a pause by customer service had none."""
    newest = PauseSchedule.objects.filter(subscription=subscription).order_by("-pk").first()
    return newest is not None and newest.state == State.CANCELLED


def close_schedules(
    subscriptions: Sequence[Subscription], *, state: PauseSchedule.State, because: str, now: datetime
) -> None:
    """Close the open schedules of those subscriptions that have one."""
    schedules = PauseSchedule.objects.filter(subscription__in=subscriptions, state__in=PauseSchedule.OPEN)
    _close_rows(schedules, subscriptions, state=state, because=because, now=now)


def _close_rows(
    schedules: QuerySet[PauseSchedule],
    subscriptions: Sequence[Subscription],
    *,
    state: PauseSchedule.State,
    because: str,
    now: datetime,
) -> None:
    # The subscription has at most one; a writer of the mirror holds its customer's lock.
    owners = dict(schedules.select_for_update().values_list("pk", "subscription"))
    PauseSchedule.objects.filter(pk__in=owners).update(
        state=state, closed_at=now, closed_because=because, retry_at=None
    )
    closed = set(owners.values())
    if closed and state == State.RESUMED:
        churn_events.record_events([row for row in subscriptions if row.pk in closed], EventKind.RESUMED, at=now)


def sync_schedules(rows: Iterable[MirroredResource], *, now: datetime) -> None:
    """Make the open schedules of these subscriptions follow the provider (docs/rules.md, rule 1).

    Schedules of an account with an open command are left to that command.
    """
    ids = [row.pk for row in rows if isinstance(row, Subscription)]
    _sync_open_schedules(PauseSchedule.objects.filter(subscription__in=ids), now)


def _sync_open_schedules(schedules: QuerySet[PauseSchedule], now: datetime) -> None:
    open_commands = Command.objects.filter(account=OuterRef("subscription__customer__account"), state__in=Command.OPEN)
    syncable = schedules.filter(~Exists(open_commands), state__in=PauseSchedule.OPEN)
    for schedule in syncable.select_related("subscription__customer__account"):
        _sync_schedule(schedule, now)


def sync_account_schedules(accounts: Collection[Account], *, now: datetime) -> None:
    """Sync all open schedules of accounts whose command has just closed: they were not synced while it was open."""
    _sync_open_schedules(PauseSchedule.objects.filter(subscription__customer__account__in=accounts), now)


def _sync_schedule(schedule: PauseSchedule, now: datetime) -> None:
    subscription = schedule.subscription
    if schedule.state == State.PAUSED:
        _sync_started_pause(schedule, now)
    elif subscription.status == "paused" and not subscription.deleted:
        _start_pause(schedule, now)
    elif subscription.has_scheduled_pause and not subscription.deleted:
        _sync_dates(schedule)
    else:
        close_schedules([subscription], state=State.SUPERSEDED, because="the pause is gone at the provider", now=now)
        pause_superseded.send(sender=PauseSchedule, subscription=subscription, schedule=schedule, now=now)


def _start_pause(schedule: PauseSchedule, now: datetime) -> None:
    """Record that the pause has begun, on its date or on one that customer service set at the provider."""
    _sync_dates(schedule)
    if PauseSchedule.objects.filter(pk=schedule.pk, state=State.SCHEDULED).update(state=State.PAUSED):
        churn_events.record_event(schedule.subscription, EventKind.PAUSED, at=now)


def _sync_started_pause(schedule: PauseSchedule, now: datetime) -> None:
    subscription = schedule.subscription
    if subscription.deleted:
        close_schedules([subscription], state=State.SUPERSEDED, because="gone at the provider", now=now)
    elif subscription.status == "paused" and not _is_later_pause(subscription, schedule):
        _sync_dates(schedule)
    elif subscription.status == "cancelled":
        close_schedules([subscription], state=State.SUPERSEDED, because="cancelled at the provider", now=now)
    else:
        close_schedules([subscription], state=State.RESUMED, because="resumed at the provider", now=now)


def _is_later_pause(subscription: Subscription, schedule: PauseSchedule) -> bool:
    """Return whether a subscription was resumed unnoticed and paused again by customer service, for as long as it says.

    A pause keeps its date while it is in effect, but the provider may begin one a little after its scheduled time. One
    that began before its schedule was made is the schedule's own.
    """
    began = subscription.pause_date
    return began is not None and began > max(schedule.pause_date + LATE_START, schedule.created_at)


def _sync_dates(schedule: PauseSchedule) -> None:
    """Follow the pause date until the pause begins, and the resume date while customer service has set one there."""
    subscription, pause_date = schedule.subscription, schedule.pause_date
    if schedule.state == State.SCHEDULED and subscription.pause_date is not None:
        pause_date = subscription.pause_date
    resume_date = _resume_date(subscription, pause_date)
    if (pause_date, resume_date) != (schedule.pause_date, schedule.resume_date):
        PauseSchedule.objects.filter(pk=schedule.pk, state=schedule.state).update(
            pause_date=pause_date, resume_date=resume_date
        )


def _resume_date(subscription: Subscription, pause_date: datetime) -> datetime:
    return _provider_resume_date(subscription, pause_date) or pause_date + timedelta(days=PAUSE_DAYS)


def _provider_resume_date(subscription: Subscription, pause_date: datetime) -> datetime | None:
    """Return when the provider ends a pause by itself; None for the portal's own, to which it gives no end."""
    resume_date = subscription.instant("resume_date")
    return resume_date if resume_date is not None and resume_date > pause_date else None
