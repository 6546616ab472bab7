"""A subscriber who pauses, cancels and returns, with operators, jobs, webhooks, mail and time."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.test import override_settings

from accounts.mail import outbox
from accounts.models import OutgoingMail, SiteSettings
from billing import clock
from billing.changes import cancellation, operator_actions, pauses, resumes
from billing.changes.discounts import bundle_coupons
from billing.errors import BillingPartial
from billing.jobs import schedule as job_schedule
from billing.mirror import reconcile
from billing.models import CancellationFeedback, ChurnEvent, Command, JobRun, PauseSchedule, Subscription
from billing.survey import Screen, Survey
from billing.tests.storm.lifecycle.account_lifecycle import NAME, AccountLifecycle, next_event_at
from billing.tests.storm.lifecycle.pause_periods import (
    PausePeriod,
    assert_never_billed_while_paused,
    is_placed_by_portal,
    pause_periods,
)
from billing.tests.storm.lifecycle.true_mails import THIRTY_DAYS, assert_mail_is_true, assert_notices_sent_once
from billing.tests.support.live_provider import (
    DECLINING_CARD,
    VISA_CARD,
    RawSubscriptions,
    undo_fingerprint,
    utc_time,
)
from billing.tests.support.shown_documents import built_documents, read_documents
from billing.tests.support.subscriber_wallet import SubscriberWallet
from billing.tests.support.webhook_delivery import Event, WebhookDelivery
from core.errors import PortalError

Kind = ChurnEvent.Kind
Outcome = CancellationFeedback.Outcome

TURNS = (Kind.PAUSED, Kind.RESUMED)
# Longer than any action takes, because the clock does not stand still.
SOON = timedelta(minutes=2)
OPERATOR = "support:vera"
# No server listens on this port.
UNREACHABLE_ENDPOINT = "http://127.0.0.1:9/api/v2"


@dataclass
class ChurnLifecycle(AccountLifecycle):
    """An account whose webhooks may be late, lost, repeated or reordered, and whose jobs may run late or twice.

    The assertions compare with the provider alone: its records and its events.
    """

    zone: str = "America/New_York"
    delivery: WebhookDelivery = field(init=False)
    surveys: dict[str, Survey] = field(default_factory=dict)
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)
    ours: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__post_init__()
        SiteSettings.objects.filter(pk=1).update(time_zone=self.zone)
        self.delivery = WebhookDelivery(self.provider)
        self.delivery.collect_new()
        self.wallet = SubscriberWallet(self.provider, self.account)
        self.missed_events = False

    # --- What the subscriber does ---------------------------------------------------------------------------------

    def pause_with_survey(self, plans: Collection[str] | None, survey: Survey, *, offered: str) -> None:
        """Pause these plans, or all that can be paused, perhaps from the screen `offered`, with a survey."""
        ids, intent, before = (
            None if plans is None else self._subscription_ids(plans),
            self._next_intent(),
            self.raw_subscriptions(),
        )
        screen = Screen(survey=survey)
        error = self._attempt_change(
            lambda: pauses.schedule_pause(
                self.account, subscription_ids=ids, days=30, offered=offered, screen=screen, **intent
            )
        )
        if survey.is_answered:
            self.surveys[intent["key"]] = survey
            self._assert_outcome(intent["key"], before, error, done=Outcome.PAUSED)

    def cancel_with_survey(self, plans: Collection[str] | None, survey: Survey, *, twice: bool) -> None:
        """Cancel these plans, or all, with a survey; the app may send the request `twice`."""
        ids, intent = None if plans is None else self._subscription_ids(plans), self._next_intent()
        self.surveys[intent["key"]] = survey

        def make_cancellation() -> None:
            cancellation.cancel_subscriptions(self.account, subscription_ids=ids, survey=survey, **intent)

        before = self.raw_subscriptions()
        error = self._attempt_change(make_cancellation)
        self._assert_outcome(intent["key"], before, error)
        if twice and error is None:
            after = self.raw_subscriptions()
            assert self._attempt_change(make_cancellation) is None
            assert self.raw_subscriptions() == after
            self._assert_outcome(intent["key"], before, None)

    def change_card_in_portal(self, *, declines: bool) -> None:
        """Add a card in the portal, and make it the default."""
        token, before = (
            self.wallet.authorize_card(DECLINING_CARD if declines else VISA_CARD),
            self.raw_subscriptions(),
        )

        def make_change() -> None:
            added = self.wallet.add_card(token, key=self._next_intent()["key"])
            assert added.source_id is not None
            self.wallet.make_default(added.source_id, key=self._next_intent()["key"])

        self._attempt_change(make_change)
        self.declining = self._card_declines()
        self._assert_still_scheduled(before)

    def redeem_code(self, code: str) -> None:
        """Redeem a code, or claim the free month; scheduled changes stay (docs/rules.md, rule 6)."""
        before = self.raw_subscriptions()
        super().redeem_code(code)
        self._assert_still_scheduled(before)

    # --- What operators do ----------------------------------------------------------------------------------------

    def change_card(self, *, declines: bool) -> None:
        """Add a primary card in the provider's console."""
        self.declining = declines
        self.provider.add_card(NAME, DECLINING_CARD if declines else VISA_CARD)
        self.mark_stale()

    def act_as_support(self, act: str, plan: str) -> None:
        """Do an operator's action on the admin page of the account."""
        acts: dict[str, Callable[[str, dict[str, Any]], None]] = {
            "resume": lambda subscription_id, intent: resumes.resume_subscriptions(
                self.account, subscription_ids=[subscription_id], quote=None, **intent
            ),
            "remove pause": lambda subscription_id, intent: pauses.remove_scheduled_pause(
                self.account, subscription_ids=[subscription_id], **intent
            ),
        }
        for subscription_id in self._subscription_ids([plan]):
            intent = {**self._next_intent(), "actor": OPERATOR}
            self._attempt_change(lambda owned=subscription_id, intent=intent: acts[act](owned, intent))  # type: ignore[misc]

    def resync_account(self) -> None:
        """Resync the account as an operator."""
        with self._expect_due_resumes_only():
            operator_actions.resync_as_operator(self.account, actor=OPERATOR, now=clock.billing_now())

    def act_as_operator(self, action: str, plan: str, *, delivered: bool = False) -> None:
        """Change a subscription in the provider's console."""
        super().act_as_operator(action, plan, delivered=False)
        self.mark_stale()

    def move_pause(self, plan: str, days: int) -> None:
        """Set another date for a pause in the provider's console."""
        pause = {"pause_option": "specific_date", "pause_date": self._timestamp_in(days=days)}
        with suppress(Exception):  # any error of the SDK: the provider refused, and nothing happened
            self.provider.sdk.Subscription.pause(self.provider.subscription(self.account, plan).id, pause)
        self.mark_stale()

    # --- What workers and time do -----------------------------------------------------------------------------------

    def deliver_webhooks(self, chance: int, *, lost: bool, doubled: bool) -> None:
        """Deliver some webhooks in random order."""
        with self._expect_due_resumes_only():
            self.delivery.deliver_some(random.Random(chance), lost=lost, doubled=doubled)  # noqa: S311  (keeps no secret)

    def run_job(self, name: str, *, times: int, reachable: bool) -> None:
        """Run a job at any hour, perhaps by several workers."""
        endpoint = settings.CHARGEBEE_ENDPOINT if reachable else UNREACHABLE_ENDPOINT
        slot = job_schedule.JOBS[name].newest_slot(clock.billing_now())
        with self._expect_due_resumes_only(), override_settings(CHARGEBEE_ENDPOINT=endpoint):
            run = job_schedule.run_job(name, slot, now=clock.billing_now())
            assert run is None or not run.error or not reachable
            for _ in range(times - 1 if reachable else 0):
                JobRun.objects.filter(job=name).delete()
                job_schedule.run_job(name, slot, now=clock.billing_now())

    def send_mail(self) -> None:
        """Send the pending mail."""
        waiting = list(OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).order_by("?"))
        with self._expect_due_resumes_only():
            for mail in waiting:
                outbox.deliver_mail(mail.pk)
                mail.refresh_from_db()
                if mail.state == OutgoingMail.State.SENT:
                    assert_mail_is_true(mail, provider=self.provider, customer=NAME, zone=self.zone, stale=self.stale)

    def skip_time(self, **duration: float) -> None:
        """Let time pass without workers."""
        self.provider.travel(**duration)
        self.mark_stale()

    def pass_time(self, **duration: float) -> None:
        """Let time pass, with workers at each hour and night that has work."""
        destination = clock.billing_now() + timedelta(**duration)
        while (stop := self._next_stop(destination)) < destination:
            self._travel_and_work(stop)
        self._travel_and_work(destination)

    def pass_time_to_next_event(self, *, attended: bool) -> None:
        """Let time pass until just after the next scheduled event, with workers if `attended`."""
        event_at = next_event_at(self.list_holdings())
        if event_at is not None and attended:
            self._travel_and_work(event_at + SOON)
        elif event_at is not None:
            self.provider.travel_to(event_at + SOON)
            self.mark_stale()

    def _travel_and_work(self, stop: datetime) -> None:
        """Travel to a time, run the due jobs, and send the pending mail."""
        self.provider.travel_to(stop)
        known = set(self._paused_subscriptions().values_list("pk", flat=True))
        with self._expect_due_resumes_only():
            for job, slot in list(job_schedule.due_jobs(clock.billing_now())):
                run = job_schedule.run_job(job.name, slot, now=clock.billing_now())
                assert run is not None
                assert run.error == ""
        self.sync_events()
        self._assert_nothing_is_overdue(known)
        self.send_mail()

    def sync_events(self) -> None:
        """Read the feed, and align the bundle coupons, as the workers do."""
        with self._expect_due_resumes_only():
            super().sync_events()

    def repair_mirror_now(self) -> None:
        """Repair the mirror; assert that no difference is left."""
        with self._expect_due_resumes_only():
            counts = reconcile.repair_mirror(now=clock.billing_now())
        assert counts["failed"] == 0
        self.sync_events()
        assert [str(difference) for difference in reconcile.find_differences()] == []
        assert bundle_coupons.pending_swaps(self.account) == []

    def mark_stale(self) -> None:
        """Note that the provider has changes that the mirror lacks."""
        self.stale = self.missed_events = True

    # --- What must hold -------------------------------------------------------------------------------------------

    def assert_invariants(self) -> None:
        """Assert what holds after every action, even if the mirror is stale."""
        self.delivery.collect_new()
        assert not Command.objects.filter(state__in=Command.OPEN).exists()
        assert {row.key: row.survey for row in CancellationFeedback.objects.all()} == self.surveys
        assert self._event_counts(Kind.CANCELLED, Kind.KEPT, Kind.PAUSE_SCHEDULED) == +self.counted
        assert_never_billed_while_paused(self.delivery.story)
        self._assert_pauses_and_resumes_are_counted_once()
        assert_notices_sent_once()
        assert read_documents(self.account) == built_documents(self.account)
        if not self.stale:
            self._assert_one_per_service()
            self._assert_schedules_match_pauses()

    def raw_subscriptions(self) -> RawSubscriptions:
        """Return the account's subscriptions as the provider holds them."""
        return self.provider.raw_subscriptions(NAME)

    # --- Helpers --------------------------------------------------------------------------------------------------

    def _assert_shown(self, figures: Mapping[str, Any]) -> None:
        """Assert it unless the mirror is stale, because a stale preview shows old totals."""
        if not self.stale:
            super()._assert_shown(figures)

    def _attempt_change(self, change: Callable[[], None]) -> PortalError | None:  # type: ignore[override]
        """Try a change; return its refusal, which must be justified."""
        before, prints, failed = self.raw_subscriptions(), self.live_fingerprints(), None
        self.delivery.collect_new()
        try:
            change()
        except PortalError as error:
            failed = error
        placed = [
            event for event in self.delivery.collect_new() if event["event_type"] == "subscription_pause_scheduled"
        ]
        # The portal resumes and counts only the pauses that it scheduled.
        self.ours.update(event["id"] for event in placed)
        self._count_events(before, self.raw_subscriptions(), placed)
        if failed is not None and not self.stale:
            self._assert_refusal_justified(failed, prints)
        return failed

    def _count_events(self, before: RawSubscriptions, after: RawSubscriptions, placed: Sequence[Event]) -> None:
        """Count what a change by the portal did to each subscription."""
        for identifier, was in before.items():
            now = after[identifier]
            if now["status"] == "cancelled" != was["status"] or "cancelled_at" in now.keys() - was.keys():
                self.counted[identifier, Kind.CANCELLED] += 1
            elif "cancelled_at" in was.keys() - now.keys():
                self.counted[identifier, Kind.KEPT] += 1
            elif any(event["content"]["subscription"]["id"] == identifier for event in placed):
                self.counted[identifier, Kind.PAUSE_SCHEDULED] += 1

    @contextmanager
    def _expect_due_resumes_only(self) -> Iterator[None]:
        """Assert that the workers' actions in the block change nothing at the provider but due resumes."""
        self.delivery.collect_new()
        before = self.raw_subscriptions()
        yield
        for identifier, now in self.raw_subscriptions().items():
            was = before[identifier]
            if was["status"] == "paused" and now["status"] != "paused":
                self._assert_resume_was_due(was)
            else:
                assert _undoable_state(now) == _undoable_state(was), "a machine changed what nobody asked it to"

    def _assert_still_scheduled(self, before: RawSubscriptions) -> None:
        assert {identifier: _undoable_state(raw) for identifier, raw in self.raw_subscriptions().items()} == {
            identifier: _undoable_state(raw) for identifier, raw in before.items()
        }

    def _assert_resume_was_due(self, was: Mapping[str, Any]) -> None:
        promised = utc_time(was["pause_date"]) + THIRTY_DAYS
        assert clock.local_date(clock.billing_now(), self.zone) >= clock.local_date(promised, self.zone), (
            "resumed early"
        )
        assert self._has_pause_placed_by_portal(was["id"]) or self.missed_events, "resumed what nobody had paused here"

    def _has_pause_placed_by_portal(self, identifier: str) -> bool:
        """Return whether the portal scheduled the newest pause of a subscription."""
        return bool(self._pauses_of(identifier)[-1:] and self._pauses_of(identifier)[-1].ours)

    def _pauses_of(self, identifier: str) -> list[PausePeriod]:
        return pause_periods(self.delivery.events_about(identifier), self.ours)

    def _paused_subscriptions(self) -> QuerySet[PauseSchedule]:
        return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED)

    def _assert_nothing_is_overdue(self, known: Collection[int]) -> None:
        """Assert that each resume due by the last night happened, is to be retried, or was given up.

        Schedules that were not `known` before the night are left to the next one.
        """
        night = clock.local_date(job_schedule.newest_night(clock.billing_now()), self.zone)
        for schedule in self._paused_subscriptions().filter(pk__in=known):
            if clock.local_date(schedule.resume_date, self.zone) <= night:
                later = schedule.retry_at is not None and schedule.retry_at > clock.billing_now()
                assert later or schedule.given_up_at is not None, f"{schedule} is overdue"

    def _assert_outcome(
        self,
        key: str,
        before: RawSubscriptions,
        error: PortalError | None,
        *,
        done: Outcome = Outcome.CANCELLED,
    ) -> None:
        """Assert that the stored feedback has the outcome at the provider."""
        row, after = CancellationFeedback.objects.get(key=key), self.raw_subscriptions()
        concerned = [identifier for identifier in row.subscription_ids if identifier in before]
        if error is None:
            assert row.outcome == done
            assert all(_is_ending(after[identifier]) or "pause_date" in after[identifier] for identifier in concerned)
            assert done == Outcome.PAUSED or all(_is_ending(after[identifier]) for identifier in concerned)
        elif isinstance(error, BillingPartial):
            assert row.outcome == Outcome.PARTLY
        else:
            assert row.outcome == Outcome.FAILED
            assert all(
                _undoable_state(after[identifier]) == _undoable_state(before[identifier]) for identifier in concerned
            )

    def _event_counts(self, *kinds: str) -> Counter[tuple[str, str]]:
        rows = ChurnEvent.objects.filter(kind__in=kinds)
        return Counter((row.subscription_id, row.kind) for row in rows)

    def _all_ids(self) -> set[str]:
        return {str(row.provider_id) for row in Subscription.objects.all()}

    def _assert_pauses_and_resumes_are_counted_once(self) -> None:
        """Assert that they alternate and match the portal's pauses: all of them if no event was missed."""
        for identifier in self._all_ids():
            rows = ChurnEvent.objects.filter(subscription_id=identifier, kind__in=TURNS).order_by("pk")
            kinds = [row.kind for row in rows]
            assert kinds == [TURNS[index % 2] for index in range(len(kinds))]
            ours = [pause for pause in self._pauses_of(identifier) if pause.ours or self.missed_events]
            happened = (len(ours), len([pause for pause in ours if pause.resumed_at is not None]))
            counted = (kinds.count(Kind.PAUSED), kinds.count(Kind.RESUMED))
            assert all(count <= most for count, most in zip(counted, happened, strict=True))
            assert self.missed_events or counted == happened

    def _assert_schedules_match_pauses(self) -> None:
        """Assert that exactly the open pauses that the portal scheduled have a schedule, of thirty days.

        With missed events, a pause removed and scheduled again in the console looks like a moved one.
        """
        at_provider = {
            identifier: ("paused" if raw["status"] == "paused" else "scheduled", raw["pause_date"])
            for identifier, raw in self.raw_subscriptions().items()
            if "pause_date" in raw and raw["status"] != "cancelled"
        }
        rows = PauseSchedule.objects.filter(state__in=PauseSchedule.OPEN).select_related("subscription")
        found = {row.subscription.provider_id: (str(row.state), int(row.pause_date.timestamp())) for row in rows}
        ours = {identifier for identifier in at_provider if self._is_portals_pause(identifier)}
        assert found.items() <= at_provider.items()
        assert ours <= found.keys() if self.missed_events else ours == found.keys()
        assert all(row.resume_date - row.pause_date == THIRTY_DAYS for row in rows)

    def _is_portals_pause(self, identifier: str) -> bool:
        return is_placed_by_portal(self.delivery.events_about(identifier), self.ours)

    def _next_stop(self, destination: datetime) -> datetime:
        """Return the next time at which the workers have work, at the latest the destination."""
        now, event_at = clock.billing_now(), next_event_at(self.list_holdings())
        night = job_schedule.newest_night(now + timedelta(hours=26))
        if event_at is None:
            return destination
        near = event_at - now < timedelta(days=4)
        hour = job_schedule.newest_hour(event_at) + timedelta(hours=1)
        eve = job_schedule.newest_night(event_at - timedelta(days=3))
        stops = [night] if near else [eve, hour]
        return min(destination, *(stop for stop in [*stops, hour] if stop > now + SOON))

    def _card_declines(self) -> bool:
        source = self.wallet.provider_sources().get(self.wallet.source_in_role() or "", {})
        return bool(source.get("card", {}).get("last4") == DECLINING_CARD[-4:])


def _is_ending(raw: Mapping[str, Any]) -> bool:
    return raw["status"] == "cancelled" or "cancelled_at" in raw


def _undoable_state(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return what workers never change: what an undo restores, without the coupons."""
    return {name: value for name, value in undo_fingerprint(raw).items() if name != "coupons"}
