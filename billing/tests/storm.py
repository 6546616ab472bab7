"""Several subscribers, operators, jobs, webhooks and time at a live provider, with troubles, and what must hold.

Every method that is no invariant is an act. What is asserted of the provider is known from its own events, each of
which is booked on who caused it: the portal, somebody at the provider's console, or time.
"""

from __future__ import annotations

import json
import logging
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

from django.core import mail as outgoing
from django.core.management import call_command

from accounts import outbox
from accounts.models import Account, OutgoingMail, SiteSettings
from billing import clock
from billing.models import (
    AccountDocument,
    BundleRate,
    CancellationFeedback,
    Command,
    JobRun,
    PauseSchedule,
    RetentionEvent,
    WebhookEvent,
)
from billing.queries.documents import documents_of
from billing.queries.owned import live_holdings
from billing.services import (
    alignment,
    bundle_rates,
    documents,
    jobs,
    pauses,
    resumes,
    support,
    sweep,
    sync,
    webhooks,
)
from billing.tests.app import App, Intent, NotOffered, Wish
from billing.tests.calm import told_by_reconcile
from billing.tests.leaving import Raws, pauses_in
from billing.tests.life import RATES, Start
from billing.tests.live import DECLINES, VISA, Provider, fingerprint
from billing.tests.perks import sell_codes
from billing.tests.post import Event, Post
from billing.tests.purse import Purse
from billing.tests.trouble import Act, Death, Meanwhile, Trouble, Weather
from conftest import GENESIS
from portal.errors import PortalError

Kind = RetentionEvent.Kind

OPERATOR = "support:vera"
# An answer that leaves open what became of the change, or says that a part of it was made.
UNDECIDED = ("billing_unconfirmed", "billing_partial")
# What a step that was done has left in the provider's log.
TOLD_AS = {
    "pause": "subscription_pause_scheduled",
    "restore_pause": "subscription_pause_scheduled",
    "remove_scheduled_pause": "subscription_scheduled_pause_removed",
    "set_pause_aside": "subscription_scheduled_pause_removed",
    "resume": "subscription_resumed",
    "cancel_at_term_end": "subscription_cancellation_scheduled",
    "cancel_now": "subscription_cancelled",
    "keep": "subscription_scheduled_cancellation_removed",
    "start": "subscription_created",
    "add_card": "payment_source_added",
    "remove_source": "payment_source_deleted",
}
COUNTED_AS = {
    "pause": Kind.PAUSE_SCHEDULED,
    "cancel_at_term_end": Kind.CANCELLED,
    "cancel_now": Kind.CANCELLED,
    "keep": Kind.KEPT,
}
# Changes whose receipt is never left out.
ALWAYS_TOLD = ("resume", "redeem_code", "claim_free_month", "add_payment_method", "remove_payment_method")
# Errors that an outage, a clock that leaps or somebody at the console may well cause.
EXPECTED_ERRORS = (
    "is parked after",
    "does not stay right",
    "were not sent in time",
    "The provider refused a customer's names",
)
# Nobody waits with a tab open for so long; a key that was forgotten stands for another change.
KEYS_ARE_KEPT = timedelta(hours=20)
ROUNDS = 12
# Longer than any lease or pause before another try.
LEASES_OVER = timedelta(minutes=11)
SOON = timedelta(minutes=2)


class Errors(logging.Handler):
    """What the portal told its operators of as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep an error of the portal's own code, with its cause."""
        words = record.getMessage()
        known = any(expected in words for expected in EXPECTED_ERRORS)
        if record.name.split(".")[0] in ("accounts", "billing", "portal") and not known:
            cause = record.exc_info[1] if record.exc_info else None
            self.said.append(f"{words} {cause!r}")


@dataclass
class Books:
    """What the portal has written at the provider for one customer, by the provider's own log."""

    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    # What the console did while a change was open may have been taken for the change, or have undone it.
    excused: dict[tuple[str, str], int] = field(default_factory=dict)
    muddied: bool = False
    intent: Intent | None = None
    # By subscription, in cents.
    charged: Counter[str] = field(default_factory=Counter)
    moved: bool = False

    def begin(self, intent: Intent | None) -> None:
        """Book what is charged from now on on an intent, or on none."""
        self.intent, self.charged, self.moved = intent, Counter(), False


@dataclass
class Storm:
    """The world of one sequence. `travel` moves the real clock, of the portal alone."""

    provider: Provider
    shift: Callable[[timedelta], None]
    starts: Mapping[str, Sequence[Start]]
    accounts: dict[str, Account] = field(default_factory=dict)
    apps: dict[str, App] = field(default_factory=dict)
    books: dict[str, Books] = field(default_factory=dict)
    tabs: dict[str, Intent] = field(default_factory=dict)
    last: dict[str, Intent] = field(default_factory=dict)
    acts: int = 0

    def __post_init__(self) -> None:
        self.provider.sandbox.start_afresh(GENESIS)
        self.provider.open_shop()
        sell_codes(self.provider)
        for size, percentage in RATES.items():
            BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
        SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
        self.provider.follow_clock()
        self.post, self.errors = Post(self.provider), Errors()
        self.weather = Weather(self.provider.sandbox)
        logging.getLogger().addHandler(self.errors)
        for name, starts in self.starts.items():
            self._move_in(name, starts)
        # What was arranged was imported.
        self.post.collect()
        self.post.under_way.clear()
        self.mailed = len(outgoing.outbox)

    def close(self) -> None:
        """Take down what listens."""
        logging.getLogger().removeHandler(self.errors)
        self.weather.close()

    def _move_in(self, name: str, starts: Sequence[Start]) -> None:
        account = self.provider.subscriber(name)
        coupons = [f"BUNDLE-{len(starts)}"] if len(starts) in RATES else []
        for start in starts:
            trial = {"trial_end": self._in(start.trial_days)} if start.trial_days else {}
            self.provider.subscribe(name, start.plan, unit=start.unit, coupon_ids=coupons, **trial)
        sync.resync_account(account)
        self.accounts[name], self.books[name] = account, Books()
        self.apps[name] = App(account, Purse(self.provider, account))

    def do(self, act: Act, trouble: Trouble = None) -> None:
        """Do an act that is given by its name and what it takes, in trouble where one may come over it."""
        name, *arguments = act
        method = getattr(self, name)
        if trouble is None:
            method(*arguments)
        else:
            method(*arguments, trouble=trouble)

    # --- What people do -------------------------------------------------------------------------------------------

    def ask(self, name: str, wish: Wish, trouble: Trouble = None) -> None:
        """Let a subscriber look at the figures of a change and confirm it; the trouble comes over the latter."""
        with suppress(NotOffered):
            intent = self.apps[name].prepare(wish)
            self._in_the_app(name, lambda: self._sent(name, intent), trouble)

    def look(self, name: str, wish: Wish, trouble: Trouble = None) -> None:
        """Leave a tab open with the figures of a change."""
        self.tabs.pop(name, None)
        with self.weather.over(trouble, self.do), suppress(NotOffered):
            self.tabs[name] = self.apps[name].prepare(wish)
        self.listen()

    def confirm(self, name: str, trouble: Trouble = None) -> None:
        """Confirm what was left open, however old its figures are."""
        intent = self.tabs.pop(name, None)
        if intent is not None:
            self._in_the_app(name, lambda: self._sent(name, intent), trouble)

    def repeat(self, name: str, trouble: Trouble = None) -> None:
        """Send the last request again with its key, as the app does that got no answer, or was told to wait."""
        intent = self.last.get(name)
        if intent is not None and clock.now() - (intent.first_sent_at or clock.now()) < KEYS_ARE_KEPT:
            self._in_the_app(name, lambda: self._sent(name, intent), trouble)

    def support(self, name: str, act: str, plan: str, trouble: Trouble = None) -> None:
        """Do what the account's admin page lets operators do."""
        account, key = self.accounts[name], f"operator-{self.acts}"
        self.acts += 1
        by: dict[str, Any] = {"key": key, "actor": OPERATOR}
        ids = [one.subscription.provider_id for one in live_holdings(account) if one.plan.id == plan] or None

        def do() -> None:
            services: dict[str, Callable[[], object]] = {
                "resume": lambda: resumes.resume(
                    account, subscription_ids=ids, quote=None, now=clock.now(), **by
                ),
                "remove pause": lambda: pauses.remove_scheduled(
                    account, subscription_ids=ids, now=clock.now(), **by
                ),
                "resync": lambda: support.resync(account, actor=OPERATOR, now=clock.now()),
            }
            services[act]()

        self._in_the_portal(do, trouble)

    def set_rate(self, size: int, percentage: int, trouble: Trouble = None) -> None:
        """Let an operator give a bundle another rate."""
        self._in_the_portal(lambda: bundle_rates.set_rate(size=size, percentage=Decimal(percentage)), trouble)

    def console(self, name: str, action: str, plan: str, trouble: Trouble = None) -> None:
        """Let an operator change a subscription at the provider's console; what troubles us troubles nobody there."""
        self._at_the_console(name, lambda: self.provider.console(self.accounts[name], action, plan))

    def console_card(self, name: str, declines: bool, trouble: Trouble = None) -> None:
        """Let an operator put a card into the vault at the provider's console."""
        self._at_the_console(name, lambda: self.provider.add_card(name, DECLINES if declines else VISA))

    # --- What machines and time do --------------------------------------------------------------------------------

    def bring_webhooks(self, chance: int, lost: bool, doubled: bool, trouble: Trouble = None) -> None:
        """Bring some webhooks, in an order that is left to chance; some of them never come, some come twice."""
        dice = random.Random(chance)  # noqa: S311  (keeps no secret)
        self._in_the_portal(lambda: self.post.bring(dice, lost=lost, doubled=doubled), trouble)

    def tick(self, trouble: Trouble = None) -> None:
        """Let a minute's beat do its sweep."""
        self._in_the_portal(sweep.tick, trouble)

    def work(self, trouble: Trouble = None) -> None:
        """Let workers take up all that rows or messages tell them of."""
        self._in_the_portal(self._work, trouble)

    def run_job(self, name: str, trouble: Trouble = None) -> None:
        """Run a job for its newest slot, if that was not done before."""
        self._in_the_portal(
            lambda: jobs.run(name, jobs.JOBS[name].slot(clock.now()), now=clock.now()), trouble
        )

    def send_mail(self) -> None:
        """Send what waits in the outbox."""
        for pk in outbox.due():
            outbox.deliver(pk)

    def pass_time(self, delta: timedelta) -> None:
        """Let time pass, with nobody at work."""
        self.listen()
        for books in self.books.values():
            books.moved = True
        destination = clock.now() + delta
        self.provider.sandbox.travel_to(destination)
        self.shift(delta)
        self.listen()

    def pass_days(self, days: int) -> None:
        """Let days pass with everybody at work whenever something happens, and in the nights after it."""
        destination = clock.now() + timedelta(days=days)
        while (now := clock.now()) < destination:
            happening = self._next_happening()
            stop = destination if happening is None else min(destination, happening + SOON)
            if happening is not None and happening + SOON < destination:
                self.pass_time(stop - now)
                self.work()
                stop = jobs.newest_night(clock.now() + timedelta(hours=26)) + SOON
            self.pass_time(min(destination, stop) - clock.now())
            self.work()

    def until_something_happens(self) -> None:
        """Let time pass until just after the next thing that the portal knows of."""
        happening = self._next_happening()
        if happening is not None:
            self.pass_time(happening + SOON - clock.now())

    def calm(self) -> None:
        """Let the storm abate: nothing fails any more, all is brought, and everybody works until nothing is left."""
        self.post.collect()
        self.post.bring(_Everything(), lost=False, doubled=False)  # type: ignore[arg-type]
        for _ in range(ROUNDS):
            self.pass_time(LEASES_OVER)
            self.work()
            if not self._is_busy():
                break
        assert self._is_busy() == []
        call_command("reconcile", "--restart", stdout=StringIO())
        self._work()
        self.send_mail()
        self.listen()
        self.check()
        self._assert_all_is_well()

    def listen(self) -> None:
        """Book what the provider told of since the last time on the portal, or on time."""
        self._book(by_the_portal=True)

    # --- What must hold -------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Assert what holds at every moment."""
        assert self.errors.said == []
        assert self.weather.within == 0, "the provider was asked inside a transaction"
        self._assert_never_billed_while_paused()
        for name, account in self.accounts.items():
            self._assert_written_once(name)
            self._assert_counted_once(account)
            assert Command.objects.filter(account=account, state__in=Command.OPEN).count() <= 1
            assert self._documents(account) == documents_of(Account.objects.get(pk=account.pk))
            prices = [one["price"].rsplit("-", 1)[0] for one in self._live(name).values()]
            assert len(prices) == len(set(prices)), f"{name} has two live subscriptions of one service"

    def _assert_all_is_well(self) -> None:
        """Assert what holds once nothing is left to do."""
        assert told_by_reconcile() == ""
        for account in self.accounts.values():
            assert alignment.needed(account) == []
        outcomes = CancellationFeedback.objects.values_list("outcome", flat=True)
        assert CancellationFeedback.Outcome.REQUESTED not in outcomes
        sent = OutgoingMail.objects.filter(state=OutgoingMail.State.SENT).count()
        assert len(outgoing.outbox) - self.mailed == sent
        for command in Command.objects.filter(state=Command.State.SUCCEEDED, kind__in=ALWAYS_TOLD):
            assert OutgoingMail.objects.filter(dedupe_key=f"command:{command.pk}").count() == 1
        overdue = PauseSchedule.objects.filter(
            state=PauseSchedule.State.PAUSED,
            declines=0,
            resume_date__lte=clock.now() - timedelta(days=2),
        )
        assert [str(one) for one in overdue] == []

    def _assert_written_once(self, name: str) -> None:
        """Assert that each step that was done has been written once, and none that was not; by the provider's log."""
        books, account = self.books[name], self.accounts[name]
        done = Counter(
            (one["subscription"] or name, TOLD_AS[one["op"]])
            for command in Command.objects.filter(account=account)
            for one in command.steps
            if one["state"] == "done" and one["op"] in TOLD_AS
        )
        both = books.made.keys() | done.keys() | books.excused.keys()
        ahead = {one: books.made[one] - done[one] - books.excused.get(one, 0) for one in both}
        is_open = Command.objects.filter(account=account, state__in=Command.OPEN).exists()
        if books.muddied:
            if not is_open:
                books.excused = {one: books.made[one] - done[one] for one in both}
                books.muddied = False
                books.begin(None)
            return
        assert all(count >= 0 for count in ahead.values()), f"done and never written: {ahead}"
        if is_open:
            return
        assert not any(ahead.values()), f"written otherwise than done: {ahead}"
        self._assert_charged_as_shown(name)

    def _assert_charged_as_shown(self, name: str) -> None:
        """Assert that what a request led to, by itself or finished by others, charged what was shown with it."""
        books, account = self.books[name], self.accounts[name]
        intent, charged, moved = books.intent, books.charged, books.moved
        books.begin(None)
        if intent is None:
            return
        command = Command.objects.filter(account=account, key=intent.command_key).first()
        # What a job resumed meanwhile is not this change's.
        concerned = {one["subscription"] for one in command.steps} if command else charged.keys()
        intent.charged += sum(charged[one] for one in concerned)
        if command is None or command.error_code == "billing_partial":
            # It was done in part, or finished what another one had left.
            assert intent.charged <= intent.shown, f"{intent}"
        elif command.state == Command.State.FAILED:
            assert intent.charged == 0, f"{intent} failed"
        elif not moved:
            assert intent.charged == intent.shown, f"{intent}"

    def _assert_counted_once(self, account: Account) -> None:
        """Assert that the retention report counts each step that was done once."""
        rows = RetentionEvent.objects.filter(account=account, kind__in=set(COUNTED_AS.values()))
        counted = Counter((row.subscription_id, str(row.kind)) for row in rows)
        done = Counter(
            (one["subscription"], str(COUNTED_AS[one["op"]]))
            for command in Command.objects.filter(account=account)
            for one in command.steps
            if one["state"] == "done" and one["op"] in COUNTED_AS
        )
        lost = {one: count for one, count in (done - counted).items() if one[1] != Kind.PAUSE_SCHEDULED}
        assert (counted - done, lost) == (Counter(), {})

    def _assert_never_billed_while_paused(self) -> None:
        stories: dict[str, list[Event]] = {}
        for event in self.post.story:
            if "subscription" in event["content"]:
                stories.setdefault(event["content"]["subscription"]["id"], []).append(event)
        held = {one: pauses_in(story, ()) for one, story in stories.items()}
        for event in self.post.story:
            if event["event_type"] == "invoice_generated":
                invoice = event["content"]["invoice"]
                within = [
                    one for one in held.get(invoice.get("subscription_id"), ()) if one.holds(invoice["date"])
                ]
                assert not within, f"invoice {invoice['id']} bills a paused subscription"

    # --- Within ---------------------------------------------------------------------------------------------------

    def _in_the_app(self, name: str, act: Callable[[], tuple[Intent, Any]], trouble: Trouble) -> None:
        """Let a subscriber do something; assert that what was refused changed nothing at the provider."""
        self.listen()
        before = self._prints(name)
        answers: list[tuple[Intent, Any]] = []
        with self.weather.over(trouble, self.do):
            answers.append(act())
        self.listen()
        self._note_command(name)
        if isinstance(trouble, Meanwhile) and self.weather.struck:
            # What was charged cannot be told apart from what came of the other act.
            self.books[name].begin(None)
        if isinstance(trouble, Death) and self.weather.struck:
            # Its request is held by nobody for a minute; whoever asked again before would only wait.
            self.pass_time(timedelta(seconds=61))
        elif answers and not isinstance(trouble, Meanwhile):
            self._assert_well_answered(name, *answers[0], before)

    def _sent(self, name: str, intent: Intent) -> tuple[Intent, Any]:
        self.last[name] = intent
        intent.first_sent_at = intent.first_sent_at or clock.now()
        books = self.books[name]
        if not Command.objects.filter(account=self.accounts[name], state__in=Command.OPEN).exists():
            books.begin(intent)
        return intent, self.apps[name].send(intent)

    def _note_command(self, name: str) -> None:
        """Note which command the last request stands for: the row that tells it is kept for a day."""
        intent = self.last.get(name)
        if intent is not None:
            row = self.accounts[name].idempotent_requests.filter(key=intent.key).first()
            intent.command_key = intent.command_key or (f"request-{row.pk}" if row else "")

    def _assert_well_answered(self, name: str, intent: Intent, answer: Any, before: Raws) -> None:
        if answer.status_code == 200:
            return
        if answer.json()["code"] not in UNDECIDED:
            assert self._prints(name) == before, f"{answer.json()} to {intent}, and something was changed"

    def _in_the_portal(self, act: Callable[[], object], trouble: Trouble) -> None:
        self.listen()
        # What an operator is told is no failure.
        with self.weather.over(trouble, self.do), suppress(PortalError):
            act()
        self.listen()

    def _at_the_console(self, name: str, act: Callable[[], None]) -> None:
        self.listen()
        if Command.objects.filter(account=self.accounts[name], state__in=Command.OPEN).exists():
            self.books[name].muddied = True
        act()
        self._book(by_the_portal=False)

    def _book(self, *, by_the_portal: bool) -> None:
        for event in self.post.collect():
            content = event["content"]
            owner = _owner(content)
            if not by_the_portal or event["source"] != "api" or owner not in self.books:
                continue
            books = self.books[owner]
            kind = event["event_type"]
            if kind in TOLD_AS.values():
                books.made[_subject(content, owner), kind] += 1
            if kind == "invoice_generated":
                invoice = content["invoice"]
                books.charged[invoice["subscription_id"]] += invoice["amount_paid"] + invoice["amount_due"]

    def _work(self) -> None:
        sweep.tick()
        webhooks.process_due()
        for job, slot in list(jobs.due(clock.now())):
            jobs.run(job.name, slot, now=clock.now())
        alignment.go_on_if_waiting(now=clock.now())
        for account in self.accounts.values():
            if alignment.needed(account):
                alignment.align_as_told(account, now=clock.now())

    def _is_busy(self) -> list[str]:
        """Return what is still to be done."""
        return [
            *map(str, Command.objects.filter(state__in=Command.OPEN)),
            *map(str, WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)),
            *(job.name for job in jobs.JOBS.values() if not self._has_run(job)),
        ]

    def _has_run(self, job: jobs.Job) -> bool:
        """Whether a job has run for its newest slot; that makes up for those before it."""
        runs = JobRun.objects.filter(job=job.name, scheduled_for=job.slot(clock.now()))
        return runs.filter(finished_at__isnull=False).exists()

    def _prints(self, name: str) -> Raws:
        """Return what a change could change at the provider."""
        customer = self.provider.sdk.Customer.retrieve(name).customer.raw_data
        own = ("first_name", "last_name", "primary_payment_source_id", "backup_payment_source_id")
        return {
            **self._live(name),
            "customer": {one: customer.get(one) for one in own},
            "sources": self.apps[name].purse.held(),
        }

    def _live(self, name: str) -> Raws:
        listed = self.provider.sdk.Subscription.list({"customer_id": {"is": name}, "limit": 100})
        raws = [entry.subscription.raw_data for entry in listed.list]
        return {raw["id"]: fingerprint(raw) for raw in raws if raw["status"] != "cancelled"}

    def _documents(self, account: Account) -> dict[str, Any]:
        return {kind: json.loads(documents.read(account, kind)) for kind in AccountDocument.Kind.values}

    def _in(self, days: int) -> int:
        return int((clock.now() + timedelta(days=days)).timestamp())

    def _next_happening(self) -> datetime | None:
        instants = [
            instant
            for account in self.accounts.values()
            for one in live_holdings(account)
            for instant in (
                one.subscription.next_billing_at,
                one.subscription.trial_end,
                one.subscription.current_term_end,
                one.cancel_at,
                one.pause_date,
                one.resume_date,
            )
            if instant is not None and instant > clock.now()
        ]
        return min(instants, default=None)


class _Everything:
    """Chance that brings all there is, in the order it came."""

    def shuffle(self, _things: list[Any]) -> None:
        """Leave them as they are."""

    def randint(self, _least: int, most: int) -> int:
        """Return the most."""
        return most


def _owner(content: Mapping[str, Any]) -> str:
    """Return the customer that an event is about."""
    for name in ("subscription", "payment_source", "invoice"):
        if name in content:
            return str(content[name]["customer_id"])
    return str(content.get("customer", {}).get("id", ""))


def _subject(content: Mapping[str, Any], owner: str) -> str:
    return str(content["subscription"]["id"]) if "subscription" in content else owner
