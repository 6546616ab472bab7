"""Several subscribers, operators, jobs, webhooks and time at a live provider, with troubles.

Public methods are acts. `storm_invariants` asserts what must hold.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

from django.conf import settings
from django.core import mail as outgoing
from django.core.management import call_command

from accounts.mail import outbox
from accounts.models import Account, OutgoingMail
from accounts.profile import erasure
from accounts.tests.sign_in.sign_in_client import CODE_PATTERN, SignInClient
from billing import clock
from billing.changes.discounts import bundle_coupons
from billing.jobs import recovery, schedule
from billing.mirror import account_import
from billing.mirror.events import webhook_processing
from billing.models import (
    Command,
    JobRun,
    WebhookEvent,
)
from billing.queries.subscriptions.ownership import live_holdings
from billing.tests.storm.initial_site import RATES, InitialPlan, reset_site
from billing.tests.storm.injected_troubles import Act, DeathAt, Fault, Meanwhile, Trouble
from billing.tests.storm.lifecycle.account_lifecycle import next_event_at
from billing.tests.storm.operator_actions import OPERATOR, AdminOperator, ConsoleOperator
from billing.tests.storm.storm_invariants import StormInvariants
from billing.tests.storm.subscriber_app import AppRequest, AppWish, NotOffered, SubscriberApp
from billing.tests.storm.write_ledger import ProviderLog, WriteLedger, owner_of
from billing.tests.support.live_provider import DECLINING_CARD, RawSubscriptions
from billing.tests.support.subscriber_wallet import SubscriberWallet
from conftest import GENESIS
from core.errors import PortalError

# Answers after which the change may have happened, wholly or in part.
UNCERTAIN_CODES = ("billing_unconfirmed", "billing_partial")
# Shorter than the retention of idempotency keys, after which a key starts another change.
KEY_LIFETIME = timedelta(hours=20)
OK, NO_CONTENT = 200, 204
ROUNDS = 12
# Longer than any lease or delay before a retry.
LEASE_EXPIRY = timedelta(minutes=11)
SOON = timedelta(minutes=2)


@dataclass(kw_only=True)
class StormWorld(StormInvariants):
    """The world of one sequence. `shift` moves the real clock, for the portal alone.

    The subscribers in `broke` have a card that paid the first bill and declines the next ones. `site` is what the
    provider's merchant has chosen for the site, where that is not the default.
    """

    shift: Callable[[timedelta], None]
    starts: Mapping[str, Sequence[InitialPlan]]
    broke: Collection[str] = ()
    site: Mapping[str, str | float] = field(default_factory=dict)
    apps: dict[str, SubscriberApp] = field(default_factory=dict)
    tabs: dict[str, AppRequest] = field(default_factory=dict)
    last: dict[str, AppRequest] = field(default_factory=dict)

    def __post_init__(self) -> None:
        reset_site(self.provider, GENESIS, self.site)
        super().__post_init__()
        self.log = ProviderLog()
        self.admin, self.console_operator = AdminOperator(), ConsoleOperator(self.provider)
        logging.getLogger().addHandler(self.errors)
        for name, starts in self.starts.items():
            self._create_subscriber(name, starts)
        # The initial state is already imported.
        for event in self.delivery.collect_new():
            self.log.count_writes(event)
        self.delivery.under_way.clear()
        self.mailed = len(outgoing.outbox)

    def close_world(self) -> None:
        """Remove the log handler and the observer of exchanges."""
        logging.getLogger().removeHandler(self.errors)
        self.trouble_maker.stop_faults()

    def _create_subscriber(self, name: str, starts: Sequence[InitialPlan]) -> None:
        account = self.provider.subscriber(name)
        coupons = [f"BUNDLE-{len(starts)}"] if len(starts) in RATES else []
        for start in starts:
            start.start_subscription(self.provider, name, coupons)
        if name in self.broke:
            self.provider.add_card(name, DECLINING_CARD)
        account_import.resync_account(account)
        self._add_account(name, account)

    def _add_account(self, name: str, account: Account) -> None:
        self.accounts[name], self.ledgers[name] = account, WriteLedger()
        self.apps[name] = SubscriberApp(account, SubscriberWallet(self.provider, account))

    def perform_act(self, act: Act, trouble: Trouble = None) -> None:
        """Perform an act by its name and arguments, with a trouble if one is given."""
        name, *arguments = act
        method = getattr(self, name)
        if trouble is None:
            method(*arguments)
        else:
            method(*arguments, trouble=trouble)

    def _perform_meanwhile(self, act: Act) -> None:
        self.perform_act(act)
        # Record the versions now, so that an older answer applied afterwards is detected.
        self.assert_never_older()

    # --- What people do -------------------------------------------------------------------------------------------

    def ask(self, name: str, wish: AppWish, trouble: Trouble = None) -> None:
        """Preview a change and confirm it; the trouble strikes the confirmation."""
        with suppress(NotOffered):
            intent = self.apps[name].prepare_request(wish)
            self._run_in_app(name, lambda: self._send_request(name, intent), trouble)

    def look(self, name: str, wish: AppWish, trouble: Trouble = None) -> None:
        """Preview a change, and leave the tab open."""
        self.tabs.pop(name, None)
        with self.trouble_maker.inject_trouble(trouble, self._perform_meanwhile), suppress(NotOffered):
            self.tabs[name] = self.apps[name].prepare_request(wish)
        self.collect_events()

    def confirm(self, name: str, trouble: Trouble = None) -> None:
        """Confirm the change of the open tab, however old its figures are."""
        intent = self.tabs.pop(name, None)
        if intent is not None:
            self._run_in_app(name, lambda: self._send_request(name, intent), trouble)

    def repeat(self, name: str, trouble: Trouble = None) -> None:
        """Send the last request again with its key, as the app does without an answer or after Retry-After."""
        intent = self.last.get(name)
        if intent is not None and clock.billing_now() - (intent.first_sent_at or clock.billing_now()) < KEY_LIFETIME:
            self._run_in_app(name, lambda: self._send_request(name, intent), trouble)

    def sign_in(self, name: str, trouble: Trouble = None) -> None:
        """Sign in with a mailed code, and sign out."""
        email, client, asked = f"{name}@example.com", SignInClient(), []
        self._run_in_portal(lambda: asked.append(client.request_code(email)), trouble)
        self.send_mail()
        codes = [
            message for message in outgoing.outbox if message.to == [email] and CODE_PATTERN.search(str(message.body))
        ]
        if asked and asked[0].status_code == OK and codes:
            answer = client.submit_code(CODE_PATTERN.findall(str(codes[-1].body))[0], email, **asked[0].json())
            if answer.status_code == OK:
                client.carry_token(answer.json()["token"])
                assert client.api.post("/api/auth/logout").status_code == NO_CONTENT

    def support(self, name: str, act: str, plan: str, trouble: Trouble = None) -> None:
        """Do an operator's action on an account in the admin."""
        self._run_in_portal(lambda: self.admin.perform_action(self.accounts[name], act, plan), trouble)

    def give_back(self, name: str, way: str, cents: int, place: int, trouble: Trouble = None) -> None:
        """Give an account money back in the admin."""
        self._run_in_portal(lambda: self.admin.give_back(self.accounts[name], way, cents, place), trouble)

    def give_back_again(self, name: str, trouble: Trouble = None) -> None:
        """Submit the last confirmation of a refund or credit in the admin once more."""
        self._run_in_portal(lambda: self.admin.give_back_again(self.accounts[name]), trouble)

    def set_up(self, act: str, number: int, trouble: Trouble = None) -> None:
        """Set a bundle rate or a site setting in the admin."""
        self._run_in_portal(lambda: self.admin.set_up(act, number), trouble)

    def erase(self, name: str, trouble: Trouble = None) -> None:
        """Erase an account if that is allowed, and import it again, as when its subscriber returns."""
        sent = OutgoingMail.objects.filter(state=OutgoingMail.State.SENT).count
        before = sent()
        self._run_in_portal(lambda: erasure.erase_account(self.accounts[name], actor=OPERATOR), trouble)
        if not Account.objects.filter(email=f"{name}@example.com").exists():
            self.mailed += before - sent()
            account = account_import.import_account(f"{name}@example.com")
            assert account is not None
            self.tabs.pop(name, None)
            self.last.pop(name, None)
            self._add_account(name, account)

    def console(self, name: str, act: str, plan: str, place: int, trouble: Trouble = None) -> None:
        """Change a subscription in the provider's console, to which no trouble applies."""
        self._run_in_console(name, lambda: self.console_operator.perform_action(self.accounts[name], act, plan, place))

    def console_wallet(self, name: str, act: str, place: int, trouble: Trouble = None) -> None:
        """Change payment methods or collect due invoices in the provider's console."""
        self._run_in_console(name, lambda: self.console_operator.change_wallet(self.accounts[name], act, place))

    def console_price(self, plan: str, unit: str, cents: int, trouble: Trouble = None) -> None:
        """Set another price of a plan in the provider's console."""
        self.console_operator.set_price(plan, unit, cents)

    # --- What workers and time do ---------------------------------------------------------------------------------

    def bring_webhooks(self, chance: int, lost: bool, doubled: bool, trouble: Trouble = None) -> None:
        """Deliver some webhooks in random order; some are lost, some are repeated."""
        dice = random.Random(chance)  # noqa: S311  (keeps no secret)
        self._run_in_portal(lambda: self.delivery.deliver_some(dice, lost=lost, doubled=doubled), trouble)

    def tick(self, trouble: Trouble = None) -> None:
        """Run the tick of a minute."""
        self._run_in_portal(recovery.run_tick, trouble)

    def work(self, trouble: Trouble = None) -> None:
        """Let the workers process all due rows and messages."""
        self._run_in_portal(self._run_workers, _trouble_in_threads(trouble))

    def run_job(self, name: str, trouble: Trouble = None) -> None:
        """Run a job for its newest slot, unless it has run."""
        self._run_in_portal(
            lambda: schedule.run_job(
                name, schedule.JOBS[name].newest_slot(clock.billing_now()), now=clock.billing_now()
            ),
            _trouble_in_threads(trouble),
        )

    def send_mail(self) -> None:
        """Send the pending mail."""
        for pk in outbox.due_mail_ids():
            outbox.deliver_mail(pk)

    def pass_time(self, delta: timedelta) -> None:
        """Let time pass without workers."""
        self.collect_events()
        for ledger in self.ledgers.values():
            ledger.moved = True
        destination = clock.billing_now() + delta
        self.provider.sandbox.travel_to(destination)
        self.shift(delta)
        self.collect_events()

    def pass_days(self, days: int) -> None:
        """Let days pass, with workers at each scheduled event and in the night after it."""
        destination = clock.billing_now() + timedelta(days=days)
        while (now := clock.billing_now()) < destination:
            event_at = self._next_event_time()
            stop = destination if event_at is None else min(destination, event_at + SOON)
            if event_at is not None and event_at + SOON < destination:
                self.pass_time(stop - now)
                self.work()
                stop = schedule.newest_night(clock.billing_now() + timedelta(hours=26)) + SOON
            self.pass_time(min(destination, stop) - clock.billing_now())
            self.work()

    def until_something_happens(self) -> None:
        """Let time pass until just after the next scheduled event."""
        event_at = self._next_event_time()
        if event_at is not None:
            self.pass_time(event_at + SOON - clock.billing_now())

    def until_the_eve(self, before: timedelta) -> None:
        """Let time pass until this long before the next scheduled event, unless that time is past."""
        event_at = self._next_event_time()
        if event_at is not None and event_at - before > clock.billing_now():
            self.pass_time(event_at - before - clock.billing_now())

    def calm(self) -> None:
        """End all troubles, deliver all webhooks, and let the workers run until no work is left."""
        self.delivery.collect_new()
        self.delivery.deliver_some(_AllInOrder(), lost=False, doubled=False)  # type: ignore[arg-type]
        for _ in range(ROUNDS):
            self.pass_time(LEASE_EXPIRY)
            self.work()
            if not self._remaining_work():
                break
        assert self._remaining_work() == []
        call_command("reconcile", "--restart", stdout=StringIO())
        self._run_workers()
        self.send_mail()
        self.collect_events()
        self.assert_invariants()
        self.assert_final_state()

    def collect_events(self) -> None:
        """Attribute the new events to the portal or to time."""
        self._record_events(by_portal=True)

    # --- Helpers --------------------------------------------------------------------------------------------------

    def _run_in_app(self, name: str, act: Callable[[], tuple[AppRequest, Any]], trouble: Trouble) -> None:
        """Perform a subscriber's act; assert that a refusal changed nothing at the provider."""
        self.collect_events()
        before = self._changeable_state(name)
        answers: list[tuple[AppRequest, Any]] = []
        with self.trouble_maker.inject_trouble(trouble, self._perform_meanwhile):
            answers.append(act())
        self.collect_events()
        self._note_command(name)
        if isinstance(trouble, Meanwhile) and self.trouble_maker.struck:
            # The charge cannot be told apart from that of the other act.
            self.ledgers[name].begin_intent(None)
            for intent in (self.last[name], *(sent for sent, _ in answers)):
                intent.charged = None
        if isinstance(trouble, DeathAt) and self.trouble_maker.struck:
            # The lease of the killed request lasts a minute, and a retry before would only wait.
            self.pass_time(timedelta(seconds=61))
        elif answers and not isinstance(trouble, Meanwhile):
            self._assert_refusal_changed_nothing(name, *answers[0], before)

    def _send_request(self, name: str, intent: AppRequest) -> tuple[AppRequest, Any]:
        self.last[name] = intent
        intent.first_sent_at = intent.first_sent_at or clock.billing_now()
        ledger = self.ledgers[name]
        if not Command.objects.filter(account=self.accounts[name], state__in=Command.OPEN).exists():
            ledger.begin_intent(intent)
        return intent, self.apps[name].send_request(intent)

    def _note_command(self, name: str) -> None:
        """Note the command of the last request, because its row is deleted after a day."""
        intent = self.last.get(name)
        if intent is not None:
            row = self.accounts[name].user.idempotent_requests.filter(key=intent.key).first()
            intent.command_key = intent.command_key or (f"request-{row.pk}" if row else "")

    def _assert_refusal_changed_nothing(
        self, name: str, intent: AppRequest, answer: Any, before: RawSubscriptions
    ) -> None:
        if answer.status_code == 200:
            return
        if answer.json()["code"] not in UNCERTAIN_CODES:
            assert self._changeable_state(name) == before, f"{answer.json()} to {intent}, and something was changed"

    def _run_in_portal(self, act: Callable[[], object], trouble: Trouble) -> None:
        self.collect_events()
        # A refusal is shown to the operator, and is no failure.
        with self.trouble_maker.inject_trouble(trouble, self._perform_meanwhile), suppress(PortalError):
            act()
        self.collect_events()

    def _run_in_console(self, name: str, act: Callable[[], None]) -> None:
        self.collect_events()
        if Command.objects.filter(account=self.accounts[name], state__in=Command.OPEN).exists():
            self.ledgers[name].ambiguous = True
        act()
        self._record_events(by_portal=False)

    def _record_events(self, *, by_portal: bool) -> None:
        for event in self.delivery.collect_new():
            owner = owner_of(event["content"])
            ledger = self.ledgers.get(owner)
            if ledger is None:
                self.log.count_writes(event)
            elif by_portal and event["source"] == "api":
                ledger.record_portal_writes(self.log, event)
            else:
                ledger.record_other_writes(self.log, event)

    def _run_workers(self) -> None:
        recovery.run_tick()
        webhook_processing.process_due_events()
        for job, slot in list(schedule.due_jobs(clock.billing_now())):
            schedule.run_job(job.name, slot, now=clock.billing_now())
        for account in self.accounts.values():
            if bundle_coupons.pending_swaps(account):
                bundle_coupons.align_hinted_account(account.pk, now=clock.billing_now())

    def _remaining_work(self) -> list[str]:
        """Return the work that is left."""
        return [
            *map(str, Command.objects.filter(state__in=Command.OPEN)),
            *map(str, WebhookEvent.objects.filter(state=WebhookEvent.State.RECEIVED)),
            *(job.name for job in schedule.JOBS.values() if not self._has_run(job)),
        ]

    def _has_run(self, job: schedule.Job) -> bool:
        """Return whether a job has finished its newest slot, which covers earlier ones, and all its requests."""
        slot = job.newest_slot(clock.billing_now())
        runs = JobRun.objects.filter(job=job.name, scheduled_for=slot)
        return (slot is None or runs.exists()) and not runs.filter(finished_at=None).exists()

    def _changeable_state(self, name: str) -> RawSubscriptions:
        """Return the provider's state that a change can alter."""
        customer = self.provider.sdk.Customer.retrieve(name).customer.raw_data
        own = ("first_name", "last_name", "primary_payment_source_id", "backup_payment_source_id")
        return {
            **self.provider.live_fingerprints(name),
            "customer": {field: customer.get(field) for field in own},
            "sources": self.apps[name].wallet.provider_sources(),
        }

    def _next_event_time(self) -> datetime | None:
        return next_event_at(holding for account in self.accounts.values() for holding in live_holdings(account))


class _AllInOrder:
    """A stand-in for Random that delivers all events in their order."""

    def shuffle(self, _things: list[Any]) -> None:
        """Keep the order."""

    def randint(self, _least: int, most: int) -> int:
        """Return the upper bound."""
        return most


def _trouble_in_threads(trouble: Trouble) -> Trouble:
    """Return a trouble as it applies to a job whose threads send requests concurrently."""
    if isinstance(trouble, Fault) and settings.RESUME_THREADS > 1:
        return trouble.for_all_requests()
    return trouble
