"""The portal's pause schedules: opened and closed with our own commands, and following what the provider says."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from accounts import events, mail
from accounts.models import Account
from billing.errors import InvalidState
from billing.models import Command, PauseSchedule, Subscription
from billing.models.mirrored import Mirrored
from billing.services import pause_words, retention_log
from billing.services.retention_log import Kind

PAUSE_DAYS = 30  # specification, section 9

State = PauseSchedule.State


def open_schedule(subscription: Subscription) -> PauseSchedule | None:
    """Return a subscription's schedule that waits or is in effect."""
    return PauseSchedule.objects.filter(subscription=subscription, state__in=PauseSchedule.OPEN).first()


def opened(subscription: Subscription, *, now: datetime) -> PauseSchedule:
    """Open the schedule of a pause that the provider has just taken; again for the same pause changes nothing."""
    pause_date = subscription.pause_date
    if pause_date is None:
        raise InvalidState
    if subscription.has_scheduled_pause:
        # A pause that waits is not the one that is in effect here: that one ended while nobody followed it.
        ended = PauseSchedule.objects.filter(subscription=subscription, state=State.PAUSED)
        _close(ended, subscription, state=State.RESUMED, because="resumed at the provider", now=now)
    schedule, created = PauseSchedule.objects.get_or_create(
        subscription=subscription,
        state__in=PauseSchedule.OPEN,
        defaults={
            "state": State.PAUSED if subscription.status == "paused" else State.SCHEDULED,
            "pause_date": pause_date,
            "resume_date": pause_date + timedelta(days=PAUSE_DAYS),
            "created_at": now,
        },
    )
    if created and schedule.state == State.PAUSED:
        retention_log.record(subscription, Kind.PAUSED, at=now)
    return schedule


def close(subscription: Subscription, *, state: PauseSchedule.State, because: str, now: datetime) -> None:
    """Close a subscription's open schedule, if it has one."""
    found = PauseSchedule.objects.filter(subscription=subscription, state__in=PauseSchedule.OPEN)
    _close(found, subscription, state=state, because=because, now=now)


def _close(
    found: QuerySet[PauseSchedule],
    subscription: Subscription,
    *,
    state: PauseSchedule.State,
    because: str,
    now: datetime,
) -> None:
    closed = found.update(state=state, closed_at=now, closed_because=because, next_try_at=None)
    if closed and state == State.RESUMED:
        retention_log.record(subscription, Kind.RESUMED, at=now)


def follow(rows: Iterable[Mirrored], *, now: datetime) -> None:
    """Let the open schedules of these subscriptions follow the provider, which wins (contract, rule 1).

    A subscription that one of our own commands is changing is left to that command.
    """
    ids = [row.pk for row in rows if isinstance(row, Subscription)]
    _follow_open(PauseSchedule.objects.filter(subscription__in=ids), now)


def _follow_open(schedules: QuerySet[PauseSchedule], now: datetime) -> None:
    being_changed = Command.objects.filter(
        account=OuterRef("subscription__customer__account"), state__in=Command.OPEN
    )
    settled = schedules.filter(~Exists(being_changed), state__in=PauseSchedule.OPEN)
    for schedule in settled.select_related("subscription__customer__account"):
        _follow(schedule, now)


def follow_all(account: Account, *, now: datetime) -> None:
    """Let all open schedules of an account follow: a command was just closed, and what came meanwhile was left."""
    _follow_open(PauseSchedule.objects.filter(subscription__customer__account=account), now)


def _follow(schedule: PauseSchedule, now: datetime) -> None:
    subscription = schedule.subscription
    if schedule.state == State.PAUSED:
        _follow_paused(schedule, now)
    elif subscription.status == "paused" and not subscription.deleted:
        _begin(schedule, now)
    elif subscription.has_scheduled_pause and not subscription.deleted:
        _follow_date(schedule)
    else:
        close(subscription, state=State.SUPERSEDED, because="the pause is gone at the provider", now=now)
        _tell_superseded(subscription, schedule, now)


def _begin(schedule: PauseSchedule, now: datetime) -> None:
    """The pause has taken effect: on its date, or on another that customer service gave it at the provider."""
    _follow_date(schedule)
    if PauseSchedule.objects.filter(pk=schedule.pk, state=State.SCHEDULED).update(state=State.PAUSED):
        retention_log.record(schedule.subscription, Kind.PAUSED, at=now)


def _follow_paused(schedule: PauseSchedule, now: datetime) -> None:
    subscription = schedule.subscription
    if subscription.deleted:
        close(subscription, state=State.SUPERSEDED, because="gone at the provider", now=now)
    elif subscription.status == "paused":
        return
    elif subscription.status == "cancelled":
        close(subscription, state=State.SUPERSEDED, because="cancelled at the provider", now=now)
    else:
        close(subscription, state=State.RESUMED, because="resumed at the provider", now=now)


def _follow_date(schedule: PauseSchedule) -> None:
    pause_date = schedule.subscription.pause_date
    if pause_date is not None and pause_date != schedule.pause_date:
        PauseSchedule.objects.filter(pk=schedule.pk, state=State.SCHEDULED).update(
            pause_date=pause_date, resume_date=pause_date + timedelta(days=PAUSE_DAYS)
        )


def _tell_superseded(subscription: Subscription, schedule: PauseSchedule, now: datetime) -> None:
    account = subscription.customer.account
    if account is None:
        return
    receipt = pause_words.pause_superseded(subscription)
    events.record(account, kind="pause_superseded", text=receipt.title, actor="system", at=now)
    mail.queue(
        kind="receipt",
        to=account.email,
        account=account,
        context=receipt.context(),
        dedupe_key=f"pause-superseded:{schedule.pk}",
    )
