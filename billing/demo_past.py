"""Seed what the portal would know of the demo's many subscribers if it had followed them from the beginning.

The provider's events are applied in their order, each at its time. What a subscriber must have asked the portal for is
recorded as the command that did it, by the code that records any command; only nothing is sent, and no mail. What
only the portal can know is made up: what the survey was answered, and whether an offer was shown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import cycle
from typing import Any

from django.db import transaction

from accounts.models import Account, Brand
from accounts.profile.events import record_event
from billing.changes import cancellation, pauses, resumes, undo
from billing.changes.discounts import free_month
from billing.commands.command_kind import CommandKind
from billing.commands.operations import OPERATIONS
from billing.demo_seed import MANY
from billing.gateway import records
from billing.gateway.event_feed import read_events_page
from billing.gateway.snapshots import Snapshot, SubscriptionSnapshot
from billing.mirror import pause_schedules, writer
from billing.models import CancellationFeedback, Command, Customer, Subscription
from billing.models.commands import SYSTEM_ACTOR
from billing.models.steps import Step, StepOperation, StepState
from billing.queries.discounts import FREE_MONTH_COUPON
from billing.survey import DAILY_USAGES, FREE_MONTH, PAUSE, REASONS, SATISFACTION_LEVELS, Survey

YOU = "you"
SUBSCRIPTION = "subscription"
CREATED = "subscription_created"
PAUSE_EVENTS = ("subscription_paused", "subscription_cancelled")
SITE_AGE = timedelta(days=800)
ROWS_PER_WRITE = 500
# A skipped question is as frequent as in life.
GIVEN_REASONS = (2, 4, 2, None, 0, 2, 4, 1, None, 2, 3, 0)
GIVEN_SATISFACTION = (1, 2, None, 3, 1, None, 0, 4, 2, 1, None)
GIVEN_USAGES = (3, 1, None, 4, 2, 3, None)
OFFERS_REFUSED = (PAUSE, PAUSE, FREE_MONTH, "")


@dataclass(frozen=True)
class Act:
    """What of a subscriber's, or of a job's, an event of the provider comes from."""

    kind: CommandKind
    operation: StepOperation
    actor: str = YOU


CANCEL = Act(cancellation.CANCEL, StepOperation.CANCEL_AT_TERM_END)
SCHEDULE_PAUSE = Act(pauses.PAUSE, StepOperation.PAUSE)
CLAIM = Act(free_month.CLAIM_FREE_MONTH, StepOperation.SWAP_COUPONS)
ACTS = {
    "subscription_cancellation_scheduled": CANCEL,
    "subscription_scheduled_cancellation_removed": Act(undo.UNDO_CANCELLATION, StepOperation.KEEP),
    "subscription_pause_scheduled": SCHEDULE_PAUSE,
    "subscription_resumed": Act(resumes.RESUME, StepOperation.RESUME, SYSTEM_ACTOR),
}


@dataclass(frozen=True)
class PastEvent:
    """An event about a subscription, and the subscription after it."""

    id: str
    event_type: str
    at: datetime
    subscription: SubscriptionSnapshot
    invoice_id: str = ""

    @property
    def act(self) -> Act | None:
        """What it comes from; None for what happened by itself, or at the provider alone."""
        coupons = {str(coupon["coupon_id"]) for coupon in self.subscription.payload["coupons"]}
        is_claim = self.event_type == "subscription_changed" and FREE_MONTH_COUPON in coupons
        return CLAIM if is_claim else ACTS.get(self.event_type)


def seed_past(*, now: datetime) -> int:
    """Import the demo's many subscribers with their past; return how many. Raises NotSent.

    All is written in one transaction: a second run finds it whole, or not at all.
    """
    if Customer.objects.filter(provider_id__startswith=MANY).exists():
        return 0
    customers = [customer for customer in records.find_records("customer") if customer.id.startswith(MANY)]
    owners = {customer.id for customer in customers}
    bills = [row for kind in records.CUSTOMER_KINDS if kind != SUBSCRIPTION for row in _find_owned(kind, owners)]
    subscriptions = _find_owned(SUBSCRIPTION, owners)
    past = sorted(_read_past(owners, since=now - SITE_AGE), key=lambda event: event.at)
    with transaction.atomic():
        # There are no accounts yet, so that nobody is told of the bills of the last days.
        _write([*customers, *bills], now=now)
        _open_accounts(owners)
        # The ledger dates what is new by itself, so that it need not be written one by one.
        _write([event.subscription for event in past if event.event_type == CREATED], now=now)
        replay = _PastReplay()
        for event in past:
            if event.event_type != CREATED:
                replay.apply_event(event)
        _write(subscriptions, now=now)
    return len(customers)


def _find_owned(kind: str, owners: set[str]) -> list[Any]:
    return [snapshot for snapshot in records.find_records(kind) if getattr(snapshot, "customer_id", "") in owners]


def _read_past(owners: set[str], *, since: datetime) -> Iterator[PastEvent]:
    """Yield the events about the owners' subscriptions, page by page."""
    page = read_events_page(since=since)
    while True:
        for entry in page.events:
            invoices = [record.id for record in entry.records if record.kind == "invoice"]
            for record in entry.records:
                subscription = record.snapshot
                if isinstance(subscription, SubscriptionSnapshot) and subscription.customer_id in owners:
                    event = entry.event
                    yield PastEvent(event.id, event.event_type, event.occurred_at, subscription, *invoices[:1])
        if not page.next_offset:
            return
        page = read_events_page(since=since, offset=page.next_offset)


def _write(snapshots: Sequence[Snapshot], *, now: datetime) -> None:
    for start in range(0, len(snapshots), ROWS_PER_WRITE):
        writer.write_snapshots(snapshots[start : start + ROWS_PER_WRITE], now=now)


def _open_accounts(owners: set[str]) -> None:
    """Open the accounts, each at the time when its customer joined. Their first visit builds their documents."""
    brand = Brand.objects.filter(is_default=True).first()
    for customer in Customer.objects.filter(provider_id__in=owners).order_by("pk"):
        account = Account.objects.open_account(
            email=customer.email, first_name=customer.text("first_name"), last_name=customer.text("last_name")
        )
        Account.objects.filter(pk=account.pk).update(created_at=customer.instant("created_at"), brand=brand)
        Customer.objects.filter(pk=customer.pk).update(account=account)


@dataclass
class _PastReplay:
    """Applies events in their order. What it makes up, such as the next reason, is the same in every replay."""

    reasons: Iterator[int | None] = field(default_factory=lambda: cycle(GIVEN_REASONS))
    levels: Iterator[int | None] = field(default_factory=lambda: cycle(GIVEN_SATISFACTION))
    usages: Iterator[int | None] = field(default_factory=lambda: cycle(GIVEN_USAGES))
    offers: Iterator[str] = field(default_factory=lambda: cycle(OFFERS_REFUSED))
    pauses_offered: Iterator[bool] = field(default_factory=lambda: cycle((True, True, False)))
    brands: frozenset[str] = field(default_factory=lambda: frozenset(Brand.objects.values_list("code", flat=True)))

    def apply_event(self, event: PastEvent) -> None:
        """Apply an event to the mirror, with what the portal did about it."""
        writer.write_snapshots([event.subscription], now=event.at)
        act = event.act
        if act is None and event.event_type not in PAUSE_EVENTS:
            return
        subscriptions = Subscription.objects.select_related("customer__account")
        subscription = subscriptions.get(provider_id=event.subscription.id)
        if act is None:
            pause_schedules.sync_schedules([subscription], now=event.at)
        elif subscription.customer.account is not None:
            self._record_act(act, event, subscription, subscription.customer.account)

    def _record_act(self, act: Act, event: PastEvent, subscription: Subscription, account: Account) -> None:
        """Record the command that an event comes from, its effects here, and its activity."""
        service = subscription.plan.service
        brand = service if service in self.brands and act.actor == YOU else ""
        command = _open_command(act, event, account, {"brand": brand, **self._shown_figures(act, subscription)})
        if survey := self._answer_survey(act, command):
            _store_answers(command, subscription, survey, brand=brand, at=event.at)
        record_effects = OPERATIONS[act.operation].record_effects
        if record_effects is not None:
            record_effects([subscription], event.at)
        Command.objects.filter(pk=command.pk).update(
            state=Command.State.SUCCEEDED, created_at=event.at, finished_at=event.at
        )
        if act.kind.finish is not None:
            act.kind.finish(command, [subscription], event.at)
        told = act.kind.compose_receipt(command, [subscription]) if act.kind.compose_receipt else None
        if told is not None:
            record_event(account, kind=told.kind, text=told.receipt.title, actor=act.actor, at=event.at)

    def _shown_figures(self, act: Act, subscription: Subscription) -> dict[str, Any]:
        """Return the rest of what the command was confirmed with."""
        if act == SCHEDULE_PAUSE:
            return {"offered": next(self.pauses_offered)}
        return {"amount_saved": subscription.amount} if act == CLAIM else {}

    def _answer_survey(self, act: Act, command: Command) -> Survey | None:
        """Return the answers that came with a cancellation, or with the pause that was taken instead."""
        if act != CANCEL and not command.shown.get("offered"):
            return None
        return Survey(
            reason=_pick_answer(REASONS, next(self.reasons)),
            satisfaction=_pick_answer(SATISFACTION_LEVELS, next(self.levels)),
            usage=_pick_answer(DAILY_USAGES, next(self.usages)),
            offer=next(self.offers) if act == CANCEL else PAUSE,
        )


def _open_command(act: Act, event: PastEvent, account: Account, shown: dict[str, Any]) -> Command:
    step = Step(
        act.operation,
        event.subscription.id,
        state=StepState.DONE,
        attempt=1,
        begun_at=event.at,
        invoice_id=event.invoice_id,
    )
    return Command.objects.create(
        account=account,
        key=event.id,
        kind=act.kind.name,
        actor=act.actor,
        steps=[step],
        shown=shown,
        first_sent_at=event.at,
    )


def _store_answers(command: Command, subscription: Subscription, survey: Survey, *, brand: str, at: datetime) -> None:
    CancellationFeedback.objects.create(
        account=command.account,
        command=command,
        key=command.key,
        at=at,
        actor=command.actor,
        brand=brand,
        services=[subscription.plan.service],
        subscription_ids=[subscription.provider_id],
        plan_ids=[subscription.plan.id],
        **asdict(survey),
    )


def _pick_answer(answers: Sequence[str], place: int | None) -> str:
    return "" if place is None else answers[place]
