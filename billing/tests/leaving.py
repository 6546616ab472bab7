"""A subscriber on the way out and back, as the whole portal lives it: people, jobs, webhooks, mail, time."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core import mail as outgoing
from django.db.models import QuerySet
from django.test import override_settings

from accounts import outbox
from accounts.models import OutgoingMail, SiteSettings
from billing import clock
from billing.errors import BillingPartial
from billing.models import CancellationFeedback, Command, PauseSchedule, RetentionEvent, Subscription
from billing.queries.documents import documents_of
from billing.services import alignment, cancelling, jobs, notices, pauses, reconcile, resumes, support
from billing.services.figures import Figures
from billing.survey import Screen, Survey
from billing.tests.life import NAME, Life, next_happening
from billing.tests.live import DECLINES, VISA, at, fingerprint
from billing.tests.post import Event, Post
from billing.tests.purse import Purse
from portal.errors import PortalError

Raws = dict[str, Mapping[str, Any]]
Kind = RetentionEvent.Kind
Outcome = CancellationFeedback.Outcome

TURNS = (Kind.PAUSED, Kind.RESUMED)
THIRTY_DAYS = timedelta(days=30)
# The clock runs on while a test works.
SOON = timedelta(minutes=2)
OPERATOR = "support:vera"
UNDO = re.compile(r"[?&]undo=([\w-]+)")
# Nothing listens there: a provider that is away.
NOBODY = "http://127.0.0.1:9/api/v2"


@dataclass
class Leaving(Life):
    """A life of which the portal may hear late, never, twice or in any order, and whose jobs may run late or twice.

    What is asserted is known from the provider alone: from what it holds, and from the events it told of.
    """

    zone: str = "America/New_York"
    post: Post = field(init=False)
    said: dict[str, Survey] = field(default_factory=dict)
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)
    ours: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__post_init__()
        SiteSettings.objects.filter(pk=1).update(time_zone=self.zone)
        self.post = Post(self.provider)
        self.post.collect()
        self.purse = Purse(self.provider, self.account)
        self.was_deaf = False

    # --- What the subscriber does ---------------------------------------------------------------------------------

    def pause_offered(self, plans: Collection[str] | None, survey: Survey, *, offered: str) -> None:
        """Pause these plans, or all that can be; a screen may have `offered` it, and asked why one was leaving."""
        ids, intent, before = None if plans is None else self._ids(plans), self._intent(), self.raws()
        screen = Screen(survey=survey)
        error = self._attempt(
            lambda: pauses.schedule(
                self.account, subscription_ids=ids, days=30, offered=offered, screen=screen, **intent
            )
        )
        if survey.is_answered:
            self.said[intent["key"]] = survey
            self._assert_outcome(intent["key"], before, error, done=Outcome.PAUSED)

    def leave(self, plans: Collection[str] | None, survey: Survey, *, twice: bool) -> None:
        """Cancel these plans, or all that go on, and say why; the app may send the same intent `twice`."""
        ids, intent = None if plans is None else self._ids(plans), self._intent()
        self.said[intent["key"]] = survey

        def cancel() -> None:
            cancelling.cancel(self.account, subscription_ids=ids, survey=survey, **intent)

        before = self.raws()
        error = self._attempt(cancel)
        self._assert_outcome(intent["key"], before, error)
        if twice and error is None:
            after = self.raws()
            assert self._attempt(cancel) is None
            assert self.raws() == after
            self._assert_outcome(intent["key"], before, None)

    def change_card_here(self, *, declines: bool) -> None:
        """Add a card on the portal and pay by it from now on."""
        token, before = self.purse.token(DECLINES if declines else VISA), self.raws()

        def change() -> None:
            added = self.purse.add(token, key=self._intent()["key"])
            assert added.source_id is not None
            self.purse.make_default(added.source_id, key=self._intent()["key"])

        self._attempt(change)
        self.declining = self._declines()
        self._assert_still_scheduled(before)

    def redeem(self, code: str) -> None:
        """Redeem a code, or claim the free month: what is scheduled stays so (contract, rule 6)."""
        before = self.raws()
        super().redeem(code)
        self._assert_still_scheduled(before)

    # --- What operators do ----------------------------------------------------------------------------------------

    def change_card(self, *, declines: bool) -> None:
        """Put a card into the vault at the provider's console."""
        self.declining = declines
        self.provider.add_card(NAME, DECLINES if declines else VISA)
        self.deaf()

    def support(self, act: str, plan: str) -> None:
        """Do from the account's admin page what its services let operators do."""
        acts: dict[str, Callable[[str, dict[str, Any]], None]] = {
            "resume": lambda one, by: resumes.resume(self.account, subscription_ids=[one], quote=None, **by),
            "remove pause": lambda one, by: pauses.remove_scheduled(
                self.account, subscription_ids=[one], **by
            ),
        }
        for subscription_id in self._ids([plan]):
            by = {**self._intent(), "actor": OPERATOR}
            self._attempt(lambda one=subscription_id, by=by: acts[act](one, by))  # type: ignore[misc]

    def resync(self) -> None:
        """Read the account again from the provider."""
        with self._unattended():
            support.resync(self.account, actor=OPERATOR, now=clock.now())

    def operator(self, action: str, plan: str, *, heard: bool = False) -> None:
        """Let an operator change a subscription at the provider's console."""
        super().operator(action, plan, heard=False)
        self.deaf()

    def move_pause(self, plan: str, days: int) -> None:
        """Let the provider's console set another date for a pause."""
        pause = {"pause_option": "specific_date", "pause_date": self._in(days=days)}
        with suppress(Exception):  # whatever the SDK raises: the provider refused, and nothing happened
            self.provider.sdk.Subscription.pause(self.provider.subscription(self.account, plan).id, pause)
        self.deaf()

    # --- What the machines do -------------------------------------------------------------------------------------

    def webhooks(self, chance: int, *, lost: bool, doubled: bool) -> None:
        """Bring some webhooks, in an order that is left to chance."""
        with self._unattended():
            self.post.bring(random.Random(chance), lost=lost, doubled=doubled)  # noqa: S311  (keeps no secret)

    def run_job(self, name: str, *, times: int, reachable: bool) -> None:
        """Run a job whatever the hour, as often as workers take it up."""
        endpoint = settings.CHARGEBEE_ENDPOINT if reachable else NOBODY
        slot = jobs.JOBS[name].slot(clock.now())
        with self._unattended(), override_settings(CHARGEBEE_ENDPOINT=endpoint):
            run = jobs.run(name, slot, now=clock.now())
            assert run is None or not run.error or not reachable
            for _ in range(times - 1 if reachable else 0):
                jobs.JOBS[name].run(clock.now(), float("inf"), lambda _: None)

    def send_mail(self) -> None:
        """Send what waits in the outbox."""
        waiting = list(OutgoingMail.objects.filter(state=OutgoingMail.State.PENDING).order_by("?"))
        with self._unattended():
            for mail in waiting:
                outbox.deliver(mail.pk)
                mail.refresh_from_db()
                if mail.state == OutgoingMail.State.SENT:
                    self._assert_true_now(mail)

    def sleep(self, **duration: float) -> None:
        """Let time pass with nobody at work."""
        self.provider.travel(**duration)
        self.deaf()

    def live_on(self, **duration: float) -> None:
        """Let time pass; the jobs run in every hour and night in which something is to do."""
        destination = clock.now() + timedelta(**duration)
        while (stop := self._next_stop(destination)) < destination:
            self._work_at(stop)
        self._work_at(destination)

    def live_until_something_happens(self, *, attended: bool) -> None:
        """Let time pass until just after the next thing that the portal knows of, with somebody at work then or not."""
        happening = next_happening(self.held())
        if happening is not None and attended:
            self._work_at(happening + SOON)
        elif happening is not None:
            self.provider.travel_to(happening + SOON)
            self.deaf()

    def _work_at(self, stop: datetime) -> None:
        """Go there, run the jobs that are due, and send what mail there is then."""
        self.provider.travel_to(stop)
        known = set(self._paused().values_list("pk", flat=True))
        with self._unattended():
            for job, slot in list(jobs.due(clock.now())):
                run = jobs.run(job.name, slot, now=clock.now())
                assert run is not None
                assert run.error == ""
        self.hear()
        self._assert_nothing_is_overdue(known)
        self.send_mail()

    def hear(self) -> None:
        """Read what no webhook brought, and do what the workers were told then."""
        with self._unattended():
            super().hear()

    def settle(self) -> None:
        """Hold the mirror against the provider, and mend it."""
        with self._unattended():
            counts = reconcile.mend(now=clock.now())
        assert counts["failed"] == 0
        self.hear()
        assert [str(one) for one in reconcile.differences()] == []
        assert alignment.needed(self.account) == []

    def deaf(self) -> None:
        """Something happened at the provider that the portal has not heard of."""
        self.stale = self.was_deaf = True

    # --- What must hold -------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Assert what holds after every event, whether the portal has heard of it or not."""
        self.post.collect()
        assert not Command.objects.filter(state__in=Command.OPEN).exists()
        assert {row.key: row.survey for row in CancellationFeedback.objects.all()} == self.said
        assert self._counts(Kind.CANCELLED, Kind.KEPT, Kind.PAUSE_SCHEDULED) == +self.counted
        self._assert_never_billed_while_paused()
        self._assert_pauses_and_resumes_are_counted_once()
        self._assert_told_once()
        assert self._documents() == documents_of(self.account)
        if not self.stale:
            self._assert_one_per_service()
            self._assert_schedules_follow()

    def raws(self) -> Raws:
        """Return the account's subscriptions as the provider holds them."""
        listed = self.provider.sdk.Subscription.list({"customer_id": {"is": NAME}, "limit": 100})
        return {entry.subscription.id: entry.subscription.raw_data for entry in listed.list}

    # --- Within ---------------------------------------------------------------------------------------------------

    def _assert_shown(self, figures: Figures) -> None:
        """What was shown before all was heard could not know of it."""
        if not self.stale:
            super()._assert_shown(figures)

    def _attempt(self, change: Callable[[], None]) -> PortalError | None:  # type: ignore[override]
        """Try a change; return what it was refused with, which must be for a reason that the portal knew."""
        before, prints, failed = self.raws(), self.fingerprints(), None
        self.post.collect()
        try:
            change()
        except PortalError as error:
            failed = error
        placed = [one for one in self.post.collect() if one["event_type"] == "subscription_pause_scheduled"]
        # Only pauses that were placed here are resumed here, and counted.
        self.ours.update(event["id"] for event in placed)
        self._count(before, self.raws(), placed)
        if failed is not None and not self.stale:
            self._assert_well_refused(failed, prints)
        return failed

    def _count(self, before: Raws, after: Raws, placed: Sequence[Event]) -> None:
        """Count what a change that was asked for here did to each subscription."""
        for identifier, was in before.items():
            now = after[identifier]
            if now["status"] == "cancelled" != was["status"] or "cancelled_at" in now.keys() - was.keys():
                self.counted[identifier, Kind.CANCELLED] += 1
            elif "cancelled_at" in was.keys() - now.keys():
                self.counted[identifier, Kind.KEPT] += 1
            elif any(event["content"]["subscription"]["id"] == identifier for event in placed):
                self.counted[identifier, Kind.PAUSE_SCHEDULED] += 1

    @contextmanager
    def _unattended(self) -> Iterator[None]:
        """Assert that what machines do within changes nothing at the provider but what they were told to."""
        self.post.collect()
        before = self.raws()
        yield
        for identifier, now in self.raws().items():
            was = before[identifier]
            if was["status"] == "paused" and now["status"] != "paused":
                self._assert_resume_was_due(was)
            else:
                assert _held(now) == _held(was), "a machine changed what nobody asked it to"

    def _assert_still_scheduled(self, before: Raws) -> None:
        assert {one: _held(raw) for one, raw in self.raws().items()} == {
            one: _held(raw) for one, raw in before.items()
        }

    def _assert_resume_was_due(self, was: Mapping[str, Any]) -> None:
        promised = at(was["pause_date"]) + THIRTY_DAYS
        assert clock.local_date(clock.now(), self.zone) >= clock.local_date(promised, self.zone), (
            "resumed early"
        )
        assert self._is_ours(was["id"]) or self.was_deaf, "resumed what nobody had paused here"

    def _is_ours(self, identifier: str) -> bool:
        """Whether the newest pause of a subscription was placed here."""
        return bool(self._pauses_of(identifier)[-1:] and self._pauses_of(identifier)[-1].ours)

    def _pauses_of(self, identifier: str) -> list[Pause]:
        return pauses_in(self.post.about(identifier), self.ours)

    def _paused(self) -> QuerySet[PauseSchedule]:
        return PauseSchedule.objects.filter(state=PauseSchedule.State.PAUSED)

    def _assert_nothing_is_overdue(self, known: Collection[int]) -> None:
        """Assert that whatever was promised for the last night or before has been kept, where it could be paid.

        Of what was not `known` before the night the next one will take care.
        """
        night = clock.local_date(jobs.newest_night(clock.now()), self.zone)
        for schedule in self._paused().filter(pk__in=known):
            if clock.local_date(schedule.resume_date, self.zone) <= night:
                later = schedule.next_try_at is not None and schedule.next_try_at > clock.now()
                assert later or schedule.given_up_at is not None, f"{schedule} is overdue"

    def _assert_outcome(
        self, key: str, before: Raws, error: PortalError | None, *, done: Outcome = Outcome.CANCELLED
    ) -> None:
        """Assert that what is kept of a wish to leave says how it went at the provider."""
        row, after = CancellationFeedback.objects.get(key=key), self.raws()
        concerned = [one for one in row.subscription_ids if one in before]
        if error is None:
            assert row.outcome == done
            assert all(_ends(after[one]) or "pause_date" in after[one] for one in concerned)
            assert done == Outcome.PAUSED or all(_ends(after[one]) for one in concerned)
        elif isinstance(error, BillingPartial):
            assert row.outcome == Outcome.PARTLY
        else:
            assert row.outcome == Outcome.FAILED
            assert all(_held(after[one]) == _held(before[one]) for one in concerned)

    def _assert_true_now(self, mail: OutgoingMail) -> None:
        """Assert that what a notice tells is so at the provider, at this moment."""
        about = mail.context.get("about")
        if about is None:
            self._assert_offers_what_can_be_undone()
            return
        raw = self._raw_about(about)
        if about["what"] == notices.DECLINE:
            assert raw["status"] == "paused"
            return
        assert about["at"] > clock.now().timestamp()
        if about["what"] == notices.RESUME:
            assert raw["status"] == "paused"
            promised = at(raw["pause_date"]) + THIRTY_DAYS
            assert clock.local_date(at(about["at"]), self.zone) == clock.local_date(promised, self.zone)
        else:
            assert raw["next_billing_at"] == about["at"]
            assert not {"pause_date", "cancelled_at"} & raw.keys()

    def _assert_offers_what_can_be_undone(self) -> None:
        """Assert that what the newest mail offers to take back waits at the provider, if the portal heard of all."""
        if not self.stale:
            raws = self.raws()
            for identifier in UNDO.findall(str(outgoing.outbox[-1].body)):
                raw = raws[identifier]
                waits = "pause_date" in raw or "cancelled_at" in raw or raw["has_scheduled_changes"]
                assert waits
                assert raw["status"] not in ("paused", "cancelled")

    def _raw_about(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        pk = about.get("subscription")
        if pk is None:
            pk = PauseSchedule.objects.get(pk=about["schedule"]).subscription_id
        held = {one.subscription.pk: one.subscription.provider_id for one in self.held()}
        return self.raws()[held[pk]]

    def _assert_told_once(self) -> None:
        sent = OutgoingMail.objects.filter(state=OutgoingMail.State.SENT, kind=notices.KIND)
        told = Counter(str(sorted(mail.context["about"].items())) for mail in sent)
        assert [event for event, times in told.items() if times > 1] == []

    def _counts(self, *kinds: str) -> Counter[tuple[str, str]]:
        rows = RetentionEvent.objects.filter(kind__in=kinds)
        return Counter((row.subscription_id, row.kind) for row in rows)

    def _assert_never_billed_while_paused(self) -> None:
        pauses = {one: self._pauses_of(one) for one in self._all_ids()}
        for event in self.post.story:
            if event["event_type"] == "invoice_generated":
                invoice = event["content"]["invoice"]
                within = [
                    one
                    for one in pauses.get(invoice.get("subscription_id"), ())
                    if one.holds(invoice["date"])
                ]
                assert not within, f"invoice {invoice['id']} bills a paused subscription"

    def _all_ids(self) -> set[str]:
        return {str(row.provider_id) for row in Subscription.objects.all()}

    def _assert_pauses_and_resumes_are_counted_once(self) -> None:
        """Assert that they take turns and are of pauses that were placed here; of all of them, if all was heard."""
        for identifier in self._all_ids():
            rows = RetentionEvent.objects.filter(subscription_id=identifier, kind__in=TURNS).order_by("pk")
            kinds = [row.kind for row in rows]
            assert kinds == [TURNS[index % 2] for index in range(len(kinds))]
            ours = [one for one in self._pauses_of(identifier) if one.ours or self.was_deaf]
            happened = (len(ours), len([one for one in ours if one.resumed_at is not None]))
            counted = (kinds.count(Kind.PAUSED), kinds.count(Kind.RESUMED))
            assert all(one <= most for one, most in zip(counted, happened, strict=True))
            assert self.was_deaf or counted == happened

    def _assert_schedules_follow(self) -> None:
        """Assert that every pause that was placed here and lasts has its schedule, of thirty days, and no other has.

        One that the console took back and placed anew, unheard, looks like one that it moved.
        """
        there = {
            identifier: ("paused" if raw["status"] == "paused" else "scheduled", raw["pause_date"])
            for identifier, raw in self.raws().items()
            if "pause_date" in raw and raw["status"] != "cancelled"
        }
        rows = PauseSchedule.objects.filter(state__in=PauseSchedule.OPEN).select_related("subscription")
        found = {
            one.subscription.provider_id: (str(one.state), int(one.pause_date.timestamp())) for one in rows
        }
        ours = {identifier for identifier in there if self._is_placed_here(identifier)}
        assert found.items() <= there.items()
        assert ours <= found.keys() if self.was_deaf else ours == found.keys()
        assert all(one.resume_date - one.pause_date == THIRTY_DAYS for one in rows)

    def _is_placed_here(self, identifier: str) -> bool:
        return placed_here(self.post.about(identifier), self.ours)

    def _next_stop(self, destination: datetime) -> datetime:
        """Return the next instant at which the machines have something to do, at the latest the destination."""
        now, happening = clock.now(), next_happening(self.held())
        night = jobs.newest_night(now + timedelta(hours=26))
        if happening is None:
            return destination
        near = happening - now < timedelta(days=4)
        hour = jobs.newest_hour(happening) + timedelta(hours=1)
        eve = jobs.newest_night(happening - timedelta(days=3))
        stops = [night] if near else [eve, hour]
        return min(destination, *(one for one in [*stops, hour] if one > now + SOON))

    def _declines(self) -> bool:
        source = self.purse.held().get(self.purse.role() or "", {})
        return bool(source.get("card", {}).get("last4") == DECLINES[-4:])


@dataclass
class Pause:
    """A pause as the provider told of it, in seconds; `ours` was placed at the portal."""

    began_at: int
    ours: bool
    ended_at: int | None = None
    resumed_at: int | None = None

    def holds(self, instant: int) -> bool:
        """Whether it was in effect at an instant, and still just after."""
        return self.began_at <= instant and (self.ended_at is None or instant < self.ended_at)


def pauses_in(story: Iterable[Event], ours: Collection[str]) -> list[Pause]:
    """Return the pauses of one subscription that began, from its events in order."""
    found: list[Pause] = []
    placed_by_us = False
    for event in story:
        raw = event["content"]["subscription"]
        open_one = found[-1] if found and found[-1].ended_at is None else None
        placed_by_us = (placed_by_us or event["id"] in ours) and "pause_date" in raw
        if raw["status"] == "paused" and open_one is None:
            found.append(Pause(began_at=event["occurred_at"], ours=placed_by_us))
        elif raw["status"] != "paused" and open_one is not None:
            open_one.ended_at = event["occurred_at"]
            open_one.resumed_at = None if raw["status"] == "cancelled" else event["occurred_at"]
    return found


def placed_here(story: Iterable[Event], ours: Collection[str]) -> bool:
    """Whether the pause that a subscription has or waits for was placed at the portal."""
    placed = False
    for event in story:
        placed = (placed or event["id"] in ours) and "pause_date" in event["content"]["subscription"]
    return placed


def _ends(raw: Mapping[str, Any]) -> bool:
    return raw["status"] == "cancelled" or "cancelled_at" in raw


def _held(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return what only people change: everything that an undo restores but the coupons."""
    return {name: value for name, value in fingerprint(raw).items() if name != "coupons"}
