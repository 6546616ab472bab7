"""Notices of upcoming charges, sent once and only while they are true (docs/rules.md, rule 16).

A row of the outbox names the charge. Its text is composed when it is sent, from the provider's data at that time. If
the charge no longer comes, the row is dropped; the charge that comes instead has a notice of its own. Resumes of the
same day have a row each and one mail.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from math import inf
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.fields.json import KT

from accounts.brands import site
from accounts.mail import queue
from accounts.mail.outbox import NeedsProvider, NotSettled
from accounts.models import Account, AccountEvent, OutgoingMail
from billing import clock
from billing.gateway import estimates
from billing.gateway.errors import GatewayError, NoTurn
from billing.gateway.estimates import ChangeEstimate
from billing.mirror import account_import, pause_schedules
from billing.mirror.next_bills import amounts_due
from billing.models import ItemPrice, PauseSchedule, Subscription
from billing.queries.discounts import next_bill_amount
from billing.queries.next_bills import Balances
from billing.receipts.delivery import Receipt
from billing.receipts.texts import notices
from billing.receipts.texts.notices import UpcomingBill
from billing.terms import YEAR
from core.workers import shutdown

logger = logging.getLogger(__name__)

MAIL_KIND = "notice"
RESUME, TRIAL, RENEWAL, DECLINE = "resume", "trial", "renewal", "decline"
# docs/rules.md, rule 16; operators set the days of the other notices.
RESUME_NOTICE_DAYS = 3
DAY = timedelta(days=1)
CHARGES_PER_PAGE = 500


@dataclass(frozen=True)
class UpcomingCharge:
    """An upcoming charge: its kind (`what`), its subscription, and when it comes (UTC)."""

    what: str
    subscription: Subscription
    at: datetime

    @property
    def key(self) -> str:
        """The key that keeps the notice unique; the next term's charge has another key."""
        return f"notice:{self.what}:{self.subscription.pk}:{int(self.at.timestamp())}"

    @property
    def position(self) -> tuple[datetime, int]:
        """Its place among a customer's charges: the nightly job resumes in the order of the schedules. One query."""
        schedule = pause_schedules.current_schedule(self.subscription)
        return self.at, schedule.pk if schedule else 0

    def outbox_reference(self) -> dict[str, object]:
        """Return the charge as the outbox stores it."""
        return {"what": self.what, "subscription": self.subscription.pk, "at": int(self.at.timestamp())}


def queue_due_notices(*, now: datetime, until: float = inf) -> dict[str, int]:
    """Queue the notices that are due, each once; return how many were new.

    Stops at a time of the monotonic clock; the counts include `left` if it did not finish.
    """
    zone = site.site_settings().time_zone
    queued = 0
    together: dict[tuple[Account, date], list[UpcomingCharge]] = {}
    upcoming = _upcoming_charges(now)
    while charges := list(islice(upcoming, CHARGES_PER_PAGE)):
        for charge in _without_notice(charges):
            account = charge.subscription.customer.account
            if account is not None and charge.what == RESUME:
                together.setdefault((account, clock.local_date(charge.at, zone)), []).append(charge)
            elif account is not None:
                queued += _queue_notice(charge, account) is not None
        if shutdown.is_time_up(until):
            return {"notices": queued, "left": 1}
    for (account, _), joint_charges in together.items():
        queued += _queue_joint_notice(joint_charges, account)
    return {"notices": queued}


def _without_notice(charges: Sequence[UpcomingCharge]) -> list[UpcomingCharge]:
    """Return the charges that have no notice yet. A charge is found each night until it comes."""
    told = OutgoingMail.objects.filter(dedupe_key__in=[charge.key for charge in charges])
    keys = set(told.values_list("dedupe_key", flat=True))
    return [charge for charge in charges if charge.key not in keys]


def queue_decline_notice(schedule: PauseSchedule, account: Account, receipt: Receipt, *, event: AccountEvent) -> None:
    """Queue the notice of a declined resume, which the activity shows as `event`.

    It is not sent if the subscription has changed by then.
    """
    about = {"what": DECLINE, "schedule": schedule.pk, "attempts": schedule.failed_attempts}
    queue.queue_mail(
        kind=MAIL_KIND,
        to=account.email,
        account=account,
        context={**receipt.mail_context(), "about": about},
        dedupe_key=f"resume-declined:{schedule.pk}:{schedule.failed_attempts}",
        event=event,
        queue=OutgoingMail.Queue.JOBS,
    )


def prepare_notice(row: OutgoingMail) -> dict[str, object] | None:
    """Return the context of a notice with the current figures; None if it is no longer true.

    Asks the provider, at the pace of jobs: raises NeedsProvider elsewhere, and NotSettled if it gets no turn.
    """
    if row.queue != OutgoingMail.Queue.JOBS:
        raise NeedsProvider
    context: dict[str, Any] = row.context
    about = context["about"]
    if about["what"] == DECLINE:
        return context if _is_still_declined(about) else None
    references = [about, *context.get("others", ())]
    bills = _find_upcoming_bills(references)
    coming = [(reference, bill) for reference, bill in zip(references, bills, strict=True) if bill is not None]
    untold = [reference for reference, bill in zip(references, bills, strict=True) if bill is None]
    with transaction.atomic():
        # Should it come after all, it gets a notice of its own.
        OutgoingMail.objects.filter(pk__in=[reference.get("mail", row.pk) for reference in untold]).update(
            dedupe_key=None
        )
        if not coming:
            return None
        (about, _), *others = coming
        notice = _compose_notice(about["what"], [bill for _, bill in coming])
        row.context = {
            **notice.mail_context(),
            "about": about,
            **({"others": [reference for reference, _ in others]} if others else {}),
        }
        row.save(update_fields=["context"])
    return {**row.context}


# --- Upcoming charges -------------------------------------------------------------------------------------------------


def _upcoming_charges(now: datetime) -> Iterator[UpcomingCharge]:
    settings = site.site_settings()
    for what, days in (
        (RESUME, RESUME_NOTICE_DAYS),
        (TRIAL, settings.trial_notice_days),
        (RENEWAL, settings.renewal_notice_days),
    ):
        for subscription in _charge_candidates(what, now, now + (days + 1) * DAY).iterator(CHARGES_PER_PAGE):
            at = _next_charge_at(what, subscription)
            if at is not None and 1 <= _days_until(at, now, settings.time_zone) <= days:
                yield UpcomingCharge(what, subscription, at)


def _charge_candidates(what: str, now: datetime, until: datetime) -> QuerySet[Subscription]:
    """Return the subscriptions that may bill by then; `_next_charge_at` decides."""
    subscriptions = Subscription.objects.filter(deleted=False).select_related("customer__account")
    since, last = int(now.timestamp()), int(until.timestamp())
    if what == TRIAL:
        return subscriptions.filter(status="in_trial", payload__trial_end__gte=since, payload__trial_end__lte=last)
    if what == RENEWAL:
        billing = {"payload__next_billing_at__gte": since, "payload__next_billing_at__lte": last}
        scheduled_price = ItemPrice.objects.filter(provider_id=OuterRef("scheduled_price_id"))
        return subscriptions.filter(status="active", payload__billing_period_unit=YEAR, **billing).annotate(
            scheduled_price_id=KT("payload__scheduled_item_price_id"),
            scheduled_unit=Subquery(scheduled_price.values_list(KT("payload__period_unit"))),
        )
    ending_pauses = PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED, resume_date__range=(now, until))
    schedules = Prefetch("pause_schedules", PauseSchedule.objects.unfinished(), to_attr="open_schedules")
    # The provider ends those that customer service has made there with an end.
    ended_there = Subscription.objects.filter(
        status="paused", deleted=False, payload__resume_date__gte=since, payload__resume_date__lte=last
    )
    ending = ending_pauses.values_list("subscription").union(ended_there.values_list("pk"))
    return subscriptions.filter(pk__in=ending).prefetch_related(schedules)


def _next_charge_at(what: str, subscription: Subscription) -> datetime | None:
    """Return when a subscription's charge of this kind comes (UTC); None if none does."""
    if subscription.deleted:
        return None
    if what == TRIAL:
        ends = subscription.has_scheduled_cancellation and not subscription.bills_before_end
        return subscription.trial_end if subscription.status == "in_trial" and not ends else None
    if what == RENEWAL:
        stays = not subscription.has_scheduled_pause and _stays_yearly(subscription)
        renews = subscription.status == "active" and subscription.terms.period_unit == YEAR and stays
        return subscription.next_billing_at if renews else None
    at = _resume_at(subscription)
    return None if at is None or subscription.ends_by(at) else at


def _resume_at(subscription: Subscription) -> datetime | None:
    """Return when the pause of a subscription ends automatically (UTC); None if it does not, or was declined."""
    schedule = _open_schedule(subscription)
    if schedule is None:  # customer service has paused it, and may have given it an end
        return subscription.instant("resume_date") if subscription.status == "paused" else None
    # After a decline, the notice of the decline has the date of the next try.
    resumes = schedule.state == PauseSchedule.State.PAUSED and not schedule.declines
    return schedule.resume_date if resumes else None


def _stays_yearly(subscription: Subscription) -> bool:
    """Return whether nothing is scheduled, or only another yearly price, which customer service has agreed on."""
    if not subscription.has_scheduled_changes:
        return True
    if hasattr(subscription, "scheduled_unit"):  # a page of candidates has it already
        return bool(subscription.scheduled_unit == YEAR)
    price = ItemPrice.objects.filter(provider_id=subscription.text("scheduled_item_price_id")).first()
    return price is not None and price.terms.period_unit == YEAR


def _open_schedule(subscription: Subscription) -> PauseSchedule | None:
    """Return a subscription's open schedule. A page of candidates has them already."""
    if hasattr(subscription, "open_schedules"):
        return next(iter(subscription.open_schedules), None)
    return pause_schedules.current_schedule(subscription)


def _days_until(at: datetime, now: datetime, zone: str) -> int:
    """Return the days from now's date to a charge's, in the site's time zone; 0 is too late for a notice."""
    return (clock.local_date(at, zone) - clock.local_date(now, zone)).days


@transaction.atomic
def _queue_joint_notice(charges: Sequence[UpcomingCharge], account: Account) -> int:
    """Queue one mail for the charges that have no notice yet; each keeps a row, so that it is told once."""
    rows = [row for charge in charges if (row := _queue_notice(charge, account)) is not None]
    if not rows:
        return 0
    lead, *others = rows
    references = [{**other.context["about"], "mail": other.pk} for other in others]
    for other in others:
        queue.merge_mail(other, into=lead, context={**lead.context, "others": references})
    return 1


def _queue_notice(charge: UpcomingCharge, account: Account) -> OutgoingMail | None:
    return queue.queue_mail(
        kind=MAIL_KIND,
        to=account.email,
        account=account,
        context={"about": charge.outbox_reference()},
        dedupe_key=charge.key,
        # The outbox uses real time; billing's clock may be ahead of it.
        expires_at=charge.at - clock.clock_offset(),
        queue=OutgoingMail.Queue.JOBS,
    )


# --- Composing --------------------------------------------------------------------------------------------------------


def _compose_notice(what: str, bills: Sequence[UpcomingBill]) -> Receipt:
    if what == RESUME:
        return notices.resume_notice(sorted(bills, key=lambda bill: bill.subscription.plan.sort_key))
    (bill,) = bills
    return notices.trial_end_notice(bill) if what == TRIAL else notices.renewal_notice(bill)


@dataclass(frozen=True)
class ComingBill:
    """A bill that will come: its charge, and the provider's estimate, None if the provider does not answer."""

    charge: UpcomingCharge
    estimate: ChangeEstimate | None


def _find_upcoming_bills(references: Iterable[Mapping[str, Any]]) -> list[UpcomingBill | None]:
    """Return the bill of each charge that the outbox names; None if it does not come, or a resume charges nothing.

    What the customer has pays the charges in their order.
    """
    found = [_find_coming_bill(reference) for reference in references]
    in_order = sorted(filter(None, found), key=lambda bill: bill.charge.position)
    by_currency: dict[str, dict[str, ChangeEstimate]] = {}
    for bill in in_order:
        if bill.estimate is not None:
            subscription = bill.charge.subscription
            by_currency.setdefault(subscription.terms.currency, {})[subscription.provider_id] = bill.estimate
    due: dict[str, int] = {}
    for currency, estimated in by_currency.items():
        balances = Balances.of_customer(in_order[0].charge.subscription.customer)
        due |= amounts_due(estimated, balances, currency=currency)[0]
    return [None if bill is None else _upcoming_bill(bill.charge, due) for bill in found]


def _upcoming_bill(charge: UpcomingCharge, due: Mapping[str, int]) -> UpcomingBill | None:
    """Return the bill of a charge with tax if its amount is due by the provider's estimate, else our price before tax.

    None for a resume that charges nothing.
    """
    subscription = charge.subscription
    cents = due.get(subscription.provider_id)
    bill = UpcomingBill(
        subscription,
        charge.at,
        next_bill_amount(subscription) if cents is None else cents,
        is_tax_included=cents is not None,
        currency=subscription.terms.currency,
    )
    return None if charge.what == RESUME and not bill.cents else bill


def _find_coming_bill(reference: Mapping[str, Any]) -> ComingBill | None:
    subscription, is_fresh = _refetch_subscription(reference["subscription"])
    what, at = reference["what"], datetime.fromtimestamp(reference["at"], tz=UTC)
    if subscription is None or _next_charge_at(what, subscription) != at or at <= clock.billing_now():
        return None
    charge = UpcomingCharge(what, subscription, at)
    return ComingBill(charge, _request_estimate(charge) if is_fresh else None)


def _refetch_subscription(pk: int) -> tuple[Subscription | None, bool]:
    """Return a subscription after reading it from the provider, and whether the provider answered."""
    row = Subscription.objects.filter(pk=pk).first()
    if row is None:
        return None, False
    is_fresh = True
    try:
        account_import.refresh_or_mark_deleted("subscription", row.provider_id)
    except NoTurn as error:
        raise NotSettled from error
    except GatewayError as error:
        logger.warning("Subscription %s could not be refreshed before its notice: %s", pk, error)
        is_fresh = False
    return Subscription.objects.select_related("customer").get(pk=pk), is_fresh


def _request_estimate(charge: UpcomingCharge) -> ChangeEstimate | None:
    """Return the provider's estimate of a charge; None if the provider does not answer."""
    identifier = charge.subscription.provider_id
    try:
        if charge.what == RESUME:
            return estimates.estimate_resume(identifier, at=charge.at)
        if charge.what == RENEWAL:
            return ChangeEstimate(now=estimates.estimate_renewal(identifier))
        return ChangeEstimate(now=estimates.estimate_next_bill(identifier, with_waiting=True))
    except NoTurn as error:
        raise NotSettled from error
    except GatewayError as error:
        logger.warning("Subscription %s could not be estimated for its notice: %s", identifier, error)
        return None


def _is_still_declined(about: Mapping[str, Any]) -> bool:
    """Whether a declined resume is the latest event: no other try, no resume, and no cancellation since."""
    declined = PauseSchedule.objects.filter(
        pk=about["schedule"], failed_attempts=about["attempts"], state=PauseSchedule.State.PAUSED
    )
    schedule = declined.first()
    if schedule is None:
        return False
    _refetch_subscription(schedule.subscription_id)
    return declined.exists()
