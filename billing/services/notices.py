"""Notices: what will be billed by itself is told beforehand, once, and never when it is no longer true (rule 16).

A row of the outbox names what is coming; its words are found when it is sent, from what the provider holds then. What
has changed in between is not told: the row is dropped, and what comes instead has a notice of its own.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from accounts import mail, site
from accounts.models import Account, OutgoingMail
from billing import clock
from billing.gateway import estimates
from billing.gateway import subscriptions as gateway
from billing.gateway.errors import GatewayError
from billing.models import PauseSchedule, Subscription
from billing.queries.next_bill import next_bill
from billing.queries.totals import YEAR
from billing.services import notice_words, schedules, sync
from billing.services.notice_words import Bill
from billing.services.receipts import Receipt

logger = logging.getLogger(__name__)

KIND = "notice"
RESUME, TRIAL, RENEWAL, DECLINE = "resume", "trial", "renewal", "decline"
# Contract, rule 16; how long before the others, operators set.
RESUME_NOTICE_DAYS = 3
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Coming:
    """What will be billed by itself: of which kind, of which subscription, and when (UTC)."""

    what: str
    subscription: Subscription
    at: datetime

    @property
    def key(self) -> str:
        """What stands for this one event: the same subscription's next term is another."""
        return f"notice:{self.what}:{self.subscription.pk}:{int(self.at.timestamp())}"

    def reference(self) -> dict[str, object]:
        """Return what the outbox keeps of it."""
        return {"what": self.what, "subscription": self.subscription.pk, "at": int(self.at.timestamp())}


def queue_due(*, now: datetime) -> dict[str, int]:
    """Queue a notice of everything that will be billed soon enough, each once; return how many were new."""
    queued = 0
    for coming in _coming(now):
        account = coming.subscription.customer.account
        if account is not None:
            queued += _queue(coming, account)
    return {"notices": queued}


def tell_of_decline(schedule: PauseSchedule, account: Account, receipt: Receipt) -> None:
    """Queue the notice of a resume that could not be charged; it is not sent once something else has happened."""
    about = {"what": DECLINE, "schedule": schedule.pk, "attempts": schedule.attempts}
    mail.queue(
        kind=KIND,
        to=account.email,
        account=account,
        context={**receipt.context(), "about": about},
        dedupe_key=f"resume-declined:{schedule.pk}:{schedule.attempts}",
    )


def prepare(row: OutgoingMail) -> dict[str, object] | None:
    """Return the words of a notice as they are true now; None when it is not true any more."""
    context: dict[str, Any] = row.context
    about = context["about"]
    if about["what"] == DECLINE:
        return context if _still_declined(about) else None
    words = _words(about)
    if words is None:
        return None
    row.context = {**words.context(), "about": about}
    row.save(update_fields=["context"])
    return {**row.context}


# --- What is coming ---------------------------------------------------------------------------------------------------


def _coming(now: datetime) -> Iterator[Coming]:
    settings = site.site_settings()
    for what, days in (
        (RESUME, RESUME_NOTICE_DAYS),
        (TRIAL, settings.trial_notice_days),
        (RENEWAL, settings.renewal_notice_days),
    ):
        for subscription in _candidates(what, now, now + (days + 1) * DAY).iterator():
            at = _bills_at(what, subscription)
            if at is not None and 1 <= _days_until(at, now, settings.time_zone) <= days:
                yield Coming(what, subscription, at)


def _candidates(what: str, now: datetime, until: datetime) -> QuerySet[Subscription]:
    """Return what may bill so soon, for `_bills_at` to judge."""
    held = Subscription.objects.filter(deleted=False).select_related("customer__account")
    since, last = int(now.timestamp()), int(until.timestamp())
    if what == TRIAL:
        return held.filter(status="in_trial", payload__trial_end__gte=since, payload__trial_end__lte=last)
    if what == RENEWAL:
        billing = {"payload__next_billing_at__gte": since, "payload__next_billing_at__lte": last}
        return held.filter(status="active", payload__billing_period_unit=YEAR, **billing)
    ending = PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, resume_date__range=(now, until))
    return held.filter(pk__in=ending.values("subscription"))


def _bills_at(what: str, one: Subscription) -> datetime | None:
    """Return when a subscription bills by itself in this way; None when it does not, as it now is."""
    if one.deleted:
        return None
    if what == TRIAL:
        goes_on = one.status == "in_trial" and not one.has_scheduled_cancellation
        return one.trial_end if goes_on else None
    if what == RENEWAL:
        stays = not one.has_scheduled_pause and not one.has_scheduled_changes
        renews = one.status == "active" and one.period_unit == YEAR and stays
        return one.next_billing_at if renews else None
    schedule = schedules.open_schedule(one)
    # One that was declined before is told of that, with its next try.
    resumes = schedule is not None and schedule.state == PauseSchedule.State.PAUSED and not schedule.declines
    return schedule.resume_date if schedule is not None and resumes else None


def _days_until(at: datetime, now: datetime, zone: str) -> int:
    """Return how many dates lie between, in the site's time zone: what is today is too late to be told before."""
    return (clock.local_date(at, zone) - clock.local_date(now, zone)).days


def _queue(coming: Coming, account: Account) -> bool:
    row = mail.queue(
        kind=KIND,
        to=account.email,
        account=account,
        context={"about": coming.reference()},
        dedupe_key=coming.key,
        # The outbox keeps real time, which the provider's may be ahead of.
        expires_at=coming.at - clock.offset(),
    )
    return row is not None


# --- What is told -----------------------------------------------------------------------------------------------------


def _words(about: Mapping[str, Any]) -> Receipt | None:
    subscription, answered = _read_again(about["subscription"])
    at = datetime.fromtimestamp(about["at"], tz=UTC)
    if subscription is None or _bills_at(about["what"], subscription) != at or at <= clock.now():
        return None
    bill = _bill(about["what"], subscription, at, ask=answered)
    if about["what"] == TRIAL:
        return notice_words.trial_ends(subscription, at, bill)
    if about["what"] == RENEWAL:
        return notice_words.renews(subscription, at, bill)
    return notice_words.resumes(subscription, at, bill) if bill.cents else None


def _read_again(pk: int) -> tuple[Subscription | None, bool]:
    """Return a subscription as the provider holds it, else as the mirror does, and whether the provider answered."""
    known = Subscription.objects.filter(pk=pk).first()
    if known is None:
        return None, False
    answered = True
    try:
        sync.look_for("subscription", known.provider_id)
    except GatewayError as error:
        logger.warning("Subscription %s could not be read before its notice: %s", pk, error)
        answered = False
    return Subscription.objects.select_related("customer").get(pk=pk), answered


def _bill(what: str, subscription: Subscription, at: datetime, *, ask: bool) -> Bill:
    """Return what will be billed: the provider's figure, tax included, or our price where it gives none."""
    identifier = subscription.provider_id
    try:
        if ask and what == RESUME:
            return Bill(gateway.estimate_resume(identifier, at=at).amount_due, taxed=True)
        if ask:
            return Bill(estimates.of_renewal(identifier).amount_due, taxed=True)
    except GatewayError as error:
        logger.warning("Subscription %s could not be estimated for its notice: %s", identifier, error)
    return Bill(next_bill(subscription), taxed=False)


def _still_declined(about: Mapping[str, Any]) -> bool:
    """Whether nothing has happened since a resume was declined, here or there: no other try, no resume, no end."""
    declined = PauseSchedule.objects.filter(
        pk=about["schedule"], attempts=about["attempts"], state=PauseSchedule.State.PAUSED
    )
    schedule = declined.first()
    if schedule is None:
        return False
    _read_again(schedule.subscription_id)
    return declined.exists()
