"""Random acts of people, workers and time under faults: each change happens once and is billed correctly."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule
from pytest_django import Settings

from billing.jobs import schedule
from billing.tests.storm.initial_site import InitialPlan
from billing.tests.storm.injected_troubles import Act, DeathAt, Fault, Meanwhile, Trouble
from billing.tests.storm.operator_actions import (
    ADMIN_ACTIONS,
    PLAN_ACTIONS,
    SITE_ACTIONS,
    WALLET_ACTIONS,
    WAYS_TO_GIVE,
)
from billing.tests.storm.sequence_search import (
    CONSOLE_ACTIONS,
    ReportProgress,
    SequenceMachine,
    plans,
    search_sequences,
    some_plans,
)
from billing.tests.storm.storm_world import StormWorld
from billing.tests.storm.subscriber_app import AppWish
from billing.tests.support.coupon_codes import CODES
from billing.tests.support.live_provider import DECLINING_CARD, VISA_CARD, Provider
from billing.tests.support.subscriber_wallet import MASTERCARD
from chargebee_sandbox.tests.support.hosted_fields import ALWAYS_AUTHENTICATED_CARD
from conftest import GENESIS

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("ava", "ben")
REFUSED_WHEN_ADDED = "4119862760338320"

subscriber_names = st.sampled_from(NAMES)
starts = st.builds(
    InitialPlan,
    plan=plans,
    unit=st.sampled_from(["Monthly", "Monthly", "Yearly"]),
    trial_days=st.sampled_from([0, 0, 0, 10]),
    contract_bills=st.sampled_from([0, 0, 0, 0, 2]),
)
some_starts = st.lists(starts, min_size=1, max_size=3, unique_by=lambda start: start.plan)
# What the provider's merchant can choose for the site; what is left out has its default.
sites = st.fixed_dictionaries(
    {},
    optional={
        "dunning_end": st.sampled_from(["cancel", "pause"]),
        "dunning_retries": st.sampled_from([1, 3]),
        "unpaid_changes": st.just(value=True),
        "unbilled_charges": st.just(value=True),
        "card_gateway": st.sampled_from(["stripe", "adyen"]),
        "tax_percent": st.just(7.5),
        "time_zone": st.sampled_from(["UTC", "Pacific/Auckland"]),
        "billing_day": st.sampled_from([1, 31]),
        "consolidated_invoices": st.just(value=True),
        "business_entity": st.just("family"),
    },
)
cards = st.sampled_from([VISA_CARD, MASTERCARD, ALWAYS_AUTHENTICATED_CARD, DECLINING_CARD, REFUSED_WHEN_ADDED])
places = st.integers(0, 2)


def make_wish(*what: str, **fields: Any) -> st.SearchStrategy[AppWish]:
    """Return a strategy for one of these wishes."""
    return st.builds(AppWish, what=st.sampled_from(what), **fields)


whatever = make_wish("whatever", plans=some_plans, word=cards, place=st.integers(0, 11), asks_bank=st.booleans())
wish_strategies = st.one_of(
    whatever,
    make_wish("pause", plans=st.none() | some_plans, word=st.sampled_from(["", "", "pause_offer"])),
    make_wish("upgrade", "resume", plans=st.none() | some_plans, asks_bank=st.booleans()),
    make_wish("downgrade", "take_pause_back", plans=st.none() | some_plans),
    make_wish("cancel", plans=st.none() | some_plans, word=st.just("Too expensive")),
    make_wish("want", plans=some_plans, asks_bank=st.booleans()),
    make_wish("want", "upgrade", "resume", plans=some_plans, asks_bank=st.just(value=True)),
    make_wish("keep", "undo_change", plans=some_plans),
    make_wish("claim", "sign_others_out"),
    make_wish("want_mail", word=st.sampled_from(["newsLetter", "promotions"])),
    make_wish("redeem", word=st.sampled_from(CODES)),
    make_wish("add_card", word=cards),
    make_wish("replace_card", word=cards, place=places),
    make_wish("add_paypal", "replace_paypal", place=places),
    make_wish("make_default", "make_default", "remove_card", place=places),
    make_wish("describe_card", "rename", word=st.sampled_from(["Grace", "Ada"]), place=places),
)

# Changes that are read back when their answers are lost.
wishes_with_lost_answers = st.one_of(
    whatever,
    make_wish("claim"),
    make_wish("redeem", word=st.sampled_from(CODES)),
    make_wish("make_default", place=places),
    make_wish("add_card", "replace_card", word=cards, place=places),
)
# A write whose answer is lost is the hardest fault, so it is the most frequent.
silent = (
    "drop_connection_after",
    "drop_connection_after",
    "drop_connection_after",
    "drop_connection_before",
    "cut_body",
    "decline_payment",
    "html_body",
    "missing_object",
)
slow = ("delay", "time_out_before", "time_out_after")
paths = st.sampled_from(["*", "*", "*", "/subscriptions/*", "/payment_sources/*", "/invoices/*", "/customers/*"])
# At one of the first writes, never at an estimate.
aimed = st.builds(
    Fault,
    kind=st.sampled_from(silent),
    method=st.just("POST"),
    path=st.sampled_from(["/subscriptions/*", "/subscriptions/*", "/customers/*", "/payment_sources/*", "/invoices/*"]),
    skip=st.sampled_from([0, 0, 0, 1, 2]),
    count=st.sampled_from([1, 50]),
)
# All requests or all answers are lost.
lost = st.builds(
    Fault,
    kind=st.sampled_from(["drop_connection_before", "drop_connection_after"]),
    method=st.just("POST"),
    path=st.sampled_from(["*", "/subscriptions/*", "/customers/*", "/payment_sources/*"]),
    skip=st.sampled_from([0, 0, 0, 1]),
    count=st.just(50),
)
faults = st.one_of(
    aimed,
    st.builds(
        Fault,
        kind=st.sampled_from(silent),
        method=st.sampled_from(["POST", "POST", "*"]),
        path=paths,
        skip=st.integers(0, 3),
        count=st.sampled_from([1, 1, 2, 50]),
    ),
    st.builds(Fault, kind=st.sampled_from(slow), method=st.just("POST"), path=paths),
    st.builds(
        Fault,
        kind=st.just("error"),
        path=paths,
        skip=st.integers(0, 3),
        count=st.sampled_from([1, 3]),
        status=st.sampled_from([401, 429, 500, 503]),
    ),
    st.builds(
        Fault,
        kind=st.just("error"),
        method=st.just("POST"),
        path=paths,
        skip=st.integers(0, 3),
        status=st.just(409),
        code=st.just("invalid_state_for_request"),
    ),
)
deaths = st.builds(DeathAt, moment=st.integers(0, 80))
follow_ups = st.one_of(
    st.tuples(st.just("repeat"), subscriber_names),
    st.tuples(st.just("repeat"), subscriber_names),
    st.tuples(st.just("look"), subscriber_names, wish_strategies),
    st.tuples(st.just("confirm"), subscriber_names),
    st.tuples(st.just("sign_in"), subscriber_names),
)
consoles = st.one_of(
    st.tuples(st.just("console"), subscriber_names, st.sampled_from([*CONSOLE_ACTIONS, *PLAN_ACTIONS]), plans, places),
    st.tuples(st.just("console_wallet"), subscriber_names, st.sampled_from(WALLET_ACTIONS), places),
    st.tuples(st.just("console_price"), plans, st.sampled_from(["Monthly", "Yearly"]), st.integers(500, 9000)),
)
operators = st.one_of(
    consoles,
    st.tuples(st.just("support"), subscriber_names, st.sampled_from(ADMIN_ACTIONS), plans),
    st.tuples(st.just("set_up"), st.sampled_from(SITE_ACTIONS), st.integers(0, 3)),
    st.tuples(st.just("erase"), subscriber_names),
    st.tuples(st.just("give_back_again"), subscriber_names),
)
gifts = st.tuples(
    st.just("give_back"),
    subscriber_names,
    st.sampled_from(WAYS_TO_GIVE),
    st.sampled_from([1, 100, 350, 699, 5000]),
    places,
)
# The answer of a refund or a credit is lost.
lost_gifts = st.builds(
    Fault,
    kind=st.sampled_from(["drop_connection_before", "drop_connection_after", "drop_connection_after"]),
    method=st.just("POST"),
    path=st.sampled_from(["/invoices/*/refund", "/credit_notes", "/promotional_credits/*"]),
    count=st.sampled_from([1, 50]),
)
machines = st.one_of(
    st.tuples(st.just("bring_webhooks"), st.integers(0, 1000), st.booleans(), st.booleans()),
    st.tuples(st.sampled_from(["tick", "work"])),
    st.tuples(st.just("run_job"), st.sampled_from(sorted(schedule.JOBS))),
)
spans = st.one_of(
    st.sampled_from([40, 400, 1900]).map(lambda seconds: timedelta(seconds=seconds)),
    st.integers(1, 30).map(lambda hours: timedelta(hours=hours)),
    st.sampled_from([2, 12, 28, 31, 33]).map(lambda days: timedelta(days=days)),
)
# An early resume shows only shortly before its date.
eves = st.sampled_from([3, 20, 44, 70]).map(lambda hours: timedelta(hours=hours))
times = st.one_of(
    st.tuples(st.just("pass_time"), spans),
    st.tuples(st.just("until_something_happens")),
    st.tuples(st.just("until_the_eve"), eves),
    st.tuples(st.just("pass_days"), st.sampled_from([2, 12, 31, 40])),
    st.tuples(st.just("calm")),
)
meanwhile = st.builds(
    Meanwhile,
    exchange=st.sampled_from([0, 0, 0, 1, 1, 2, 3, 5]),
    act=st.one_of(
        st.tuples(st.just("ask"), subscriber_names, wish_strategies),
        st.tuples(st.just("repeat"), subscriber_names),
        consoles,
        machines,
        gifts,
    ),
)
# Refreshes during which the subscription changes, so that an older snapshot arrives late.
readings = st.one_of(
    st.tuples(st.just("bring_webhooks"), st.integers(0, 1000), st.just(value=False), st.booleans()),
    st.tuples(st.just("support"), subscriber_names, st.just("resync"), plans),
    st.tuples(st.just("run_job"), st.sampled_from(["feed", "reconcile"])),
)
changed_meanwhile = st.builds(
    Meanwhile, exchange=st.integers(0, 6), act=st.tuples(st.just("ask"), subscriber_names, whatever)
)
# Writes that must keep the scheduled change of a subscription.
over_a_change = st.one_of(
    make_wish("redeem", word=st.sampled_from(CODES)),
    make_wish("want", plans=some_plans, asks_bank=st.booleans()),
    make_wish("claim"),
    whatever,
)
troubles = faults | deaths | meanwhile


class StormMachine(SequenceMachine):
    """Random acts and troubles of two subscribers."""

    commits = True
    storm: StormWorld

    def __init__(self) -> None:
        super().__init__()
        self._time = time_machine.travel(GENESIS, tick=False)
        self._time_traveler = self._time.start()

    @initialize(ava=some_starts, ben=some_starts, broke=st.sets(subscriber_names), site=sites)
    def begin(
        self, ava: list[InitialPlan], ben: list[InitialPlan], broke: set[str], site: dict[str, str | float]
    ) -> None:
        shift, starts = self._time_traveler.shift, {"ava": ava, "ben": ben}
        self.storm = StormWorld(provider=self.provider, shift=shift, starts=starts, broke=broke, site=site)

    def teardown(self) -> None:
        """Let the storm calm, unless a rule is already broken."""
        try:
            if hasattr(self, "storm"):
                self._end_storm()
        finally:
            self._time.stop()
            super().teardown()

    def _end_storm(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.storm.calm()
        finally:
            self.storm.close_world()

    @rule(name=subscriber_names, wish=whatever, trouble=st.none() | faults | deaths)
    def do_whatever(self, name: str, wish: AppWish, trouble: Trouble) -> None:
        self.storm.ask(name, wish, trouble)

    @rule(name=subscriber_names, wish=wish_strategies)
    def ask(self, name: str, wish: AppWish) -> None:
        self.storm.ask(name, wish)

    @rule(name=subscriber_names, wish=wish_strategies, fault=faults)
    def ask_under_a_fault(self, name: str, wish: AppWish, fault: Trouble) -> None:
        self.storm.ask(name, wish, fault)

    @rule(name=subscriber_names, wish=wishes_with_lost_answers, fault=lost, later=st.sampled_from([2, 31, 31, 90]))
    def ask_and_hear_nothing_for_long(self, name: str, wish: AppWish, fault: Trouble, later: int) -> None:
        self.storm.ask(name, wish, fault)
        self.storm.pass_time(timedelta(minutes=later))
        self.storm.tick()

    @rule(name=subscriber_names, wish=wish_strategies, death=deaths)
    def ask_and_die(self, name: str, wish: AppWish, death: Trouble) -> None:
        self.storm.ask(name, wish, death)

    @rule(name=subscriber_names, wish=wish_strategies, others=meanwhile)
    def ask_beside_others(self, name: str, wish: AppWish, others: Trouble) -> None:
        self.storm.ask(name, wish, others)

    @rule(name=subscriber_names, wish=over_a_change, trouble=st.none() | troubles)
    def ask_where_a_change_is_scheduled(self, name: str, wish: AppWish, trouble: Trouble) -> None:
        self.storm.ask(name, AppWish("downgrade"))
        self.storm.assert_invariants()
        self.storm.ask(name, wish, trouble)

    @rule(name=subscriber_names, before=eves, trouble=st.none() | troubles)
    def let_a_pause_go_by(self, name: str, before: timedelta, trouble: Trouble) -> None:
        self.storm.ask(name, AppWish("pause"))
        # Settles the charge of the pause before later charges.
        self.storm.assert_invariants()
        for _ in ("its beginning", "its end"):
            self.storm.until_the_eve(before)
            self.storm.work()
            self.storm.until_something_happens()
            self.storm.work(trouble)

    @rule(act=follow_ups, trouble=st.none() | troubles)
    def follow_up(self, act: Act, trouble: Trouble) -> None:
        self.storm.perform_act(act, trouble)

    @rule(act=operators, trouble=st.none() | troubles)
    def operator(self, act: Act, trouble: Trouble) -> None:
        self.storm.perform_act(act, trouble)

    @rule(act=gifts, trouble=st.none() | troubles | lost_gifts)
    def give_back(self, act: Act, trouble: Trouble) -> None:
        self.storm.perform_act(act, trouble)

    @rule(act=gifts, fault=lost_gifts, later=st.sampled_from([1, 2, 31, 90]))
    def give_back_and_hear_nothing(self, act: Act, fault: Trouble, later: int) -> None:
        self.storm.perform_act(act, fault)
        self.storm.pass_time(timedelta(minutes=later))
        self.storm.perform_act(("give_back_again", act[1]), None)

    @rule(act=machines, trouble=st.none() | troubles)
    def run_machines(self, act: Act, trouble: Trouble) -> None:
        self.storm.perform_act(act, trouble)

    @rule(act=readings, others=changed_meanwhile)
    def read_while_it_changes(self, act: Act, others: Trouble) -> None:
        self.storm.perform_act(act, others)

    @rule(act=times)
    def time_passes(self, act: Act) -> None:
        self.storm.perform_act(act)

    @invariant()
    def everything_holds(self) -> None:
        self.storm.assert_invariants()


@pytest.fixture(autouse=True)
def unlimited_rate(settings: Settings) -> None:
    """Turn off the rate limit of jobs, so that a storm does not wait."""
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 0


@pytest.fixture
def report_progress(capsys: pytest.CaptureFixture[str]) -> ReportProgress:
    """Return a function that prints the progress of a long search."""

    def print_progress(words: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"{words}\n")
            sys.stdout.flush()

    return print_progress


def test_any_storm_loses_and_repeats_nothing(
    provider: Provider, settings: Settings, report_progress: ReportProgress
) -> None:
    settings.RESUME_THREADS = 1
    search_sequences(StormMachine, provider, sequences=4, steps=10, report_progress=report_progress)


@pytest.mark.services
def test_a_storm_with_many_resume_threads_loses_and_repeats_nothing(
    provider: Provider, settings: Settings, report_progress: ReportProgress
) -> None:
    settings.RESUME_THREADS = 8
    search_sequences(StormMachine, provider, sequences=3, steps=10, report_progress=report_progress)
