"""Whatever people, machines, the provider, the network and time do to each other: all is done once and billed right."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule
from pytest_django import Settings

from billing.services import jobs
from billing.tests.app import Wish
from billing.tests.life import Start
from billing.tests.live import DECLINES, VISA, Provider
from billing.tests.operators import ADMIN, PLANS, SITE, WALLET
from billing.tests.perks import CODES
from billing.tests.purse import MASTERCARD
from billing.tests.search import CONSOLE, Sequence, Tell, plans, search, some_plans
from billing.tests.storm import Storm
from billing.tests.trouble import Act, Death, Fault, Meanwhile, Trouble
from conftest import GENESIS

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("ava", "ben")
REFUSED_WHEN_ADDED = "4119862760338320"

names = st.sampled_from(NAMES)
starts = st.builds(
    Start,
    plan=plans,
    unit=st.sampled_from(["Monthly", "Monthly", "Yearly"]),
    trial_days=st.sampled_from([0, 0, 0, 10]),
)
some_starts = st.lists(starts, min_size=1, max_size=3, unique_by=lambda start: start.plan)
cards = st.sampled_from([VISA, MASTERCARD, DECLINES, REFUSED_WHEN_ADDED])
places = st.integers(0, 2)


def wish(*what: str, **fields: Any) -> st.SearchStrategy[Wish]:
    """One of these wishes, with what it is about."""
    return st.builds(Wish, what=st.sampled_from(what), **fields)


whatever = wish("whatever", plans=some_plans, word=cards, place=st.integers(0, 11))
wishes = st.one_of(
    whatever,
    wish("pause", plans=st.none() | some_plans, word=st.sampled_from(["", "", "pause_offer"])),
    wish("upgrade", "downgrade", "resume", "take_pause_back", plans=st.none() | some_plans),
    wish("cancel", plans=st.none() | some_plans, word=st.just("Too expensive")),
    wish("want", plans=some_plans),
    wish("keep", "undo_change", plans=some_plans),
    wish("claim", "sign_others_out"),
    wish("want_mail", word=st.sampled_from(["newsLetter", "promotions"])),
    wish("redeem", word=st.sampled_from(CODES)),
    wish("add_card", word=cards),
    wish("replace_card", word=cards, place=places),
    wish("add_paypal", "replace_paypal", place=places),
    wish("make_default", "make_default", "remove_card", place=places),
    wish("describe_card", "rename", word=st.sampled_from(["Grace", "Ada"]), place=places),
)

# What the provider is asked for once, and may have to be looked for.
forgotten = st.one_of(
    whatever,
    wish("claim"),
    wish("redeem", word=st.sampled_from(CODES)),
    wish("make_default", place=places),
    wish("add_card", "replace_card", word=cards, place=places),
)
# What was done and never heard of is the worst of them.
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
paths = st.sampled_from(
    ["*", "*", "*", "/subscriptions/*", "/payment_sources/*", "/invoices/*", "/customers/*"]
)
# Where it hurts: one of the first writes, and no estimate.
aimed = st.builds(
    Fault,
    kind=st.sampled_from(silent),
    method=st.just("POST"),
    path=st.sampled_from(
        ["/subscriptions/*", "/subscriptions/*", "/customers/*", "/payment_sources/*", "/invoices/*"]
    ),
    skip=st.sampled_from([0, 0, 0, 1, 2]),
    count=st.sampled_from([1, 50]),
)
# Nothing gets through, or nothing comes back.
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
deaths = st.builds(Death, moment=st.integers(0, 80))
follow_ups = st.one_of(
    st.tuples(st.just("repeat"), names),
    st.tuples(st.just("repeat"), names),
    st.tuples(st.just("look"), names, wishes),
    st.tuples(st.just("confirm"), names),
    st.tuples(st.just("sign_in"), names),
)
consoles = st.one_of(
    st.tuples(st.just("console"), names, st.sampled_from([*CONSOLE, *PLANS]), plans, places),
    st.tuples(st.just("console_wallet"), names, st.sampled_from(WALLET), places),
    st.tuples(
        st.just("console_price"), plans, st.sampled_from(["Monthly", "Yearly"]), st.integers(500, 9000)
    ),
)
operators = st.one_of(
    consoles,
    st.tuples(st.just("support"), names, st.sampled_from(ADMIN), plans),
    st.tuples(st.just("set_up"), st.sampled_from(SITE), st.integers(0, 3)),
    st.tuples(st.just("erase"), names),
)
machines = st.one_of(
    st.tuples(st.just("bring_webhooks"), st.integers(0, 1000), st.booleans(), st.booleans()),
    st.tuples(st.sampled_from(["tick", "work"])),
    st.tuples(st.just("run_job"), st.sampled_from(sorted(jobs.JOBS))),
)
spans = st.one_of(
    st.sampled_from([40, 400, 1900]).map(lambda seconds: timedelta(seconds=seconds)),
    st.integers(1, 30).map(lambda hours: timedelta(hours=hours)),
    st.sampled_from([2, 12, 28, 31, 33]).map(lambda days: timedelta(days=days)),
)
# What begins too early is seen on the eve alone.
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
        st.tuples(st.just("ask"), names, wishes),
        st.tuples(st.just("repeat"), names),
        consoles,
        machines,
    ),
)
# An older reading than what is known when it is written down.
readings = st.one_of(
    st.tuples(st.just("bring_webhooks"), st.integers(0, 1000), st.just(value=False), st.booleans()),
    st.tuples(st.just("support"), names, st.just("resync"), plans),
    st.tuples(st.just("run_job"), st.sampled_from(["feed", "reconcile"])),
)
changed_meanwhile = st.builds(
    Meanwhile, exchange=st.integers(0, 6), act=st.tuples(st.just("ask"), names, whatever)
)
# What writes to a subscription whose change is scheduled has to leave it that.
over_a_change = st.one_of(
    wish("redeem", word=st.sampled_from(CODES)), wish("want", plans=some_plans), wish("claim"), whatever
)
troubles = faults | deaths | meanwhile


class AnyStorm(Sequence):
    """Two subscribers, and all that may come over them."""

    commits = True
    storm: Storm

    def __init__(self) -> None:
        super().__init__()
        self._time = time_machine.travel(GENESIS, tick=False)
        self._traveller = self._time.start()

    @initialize(ava=some_starts, ben=some_starts, broke=st.sets(names))
    def begin(self, ava: list[Start], ben: list[Start], broke: set[str]) -> None:
        self.storm = Storm(self.provider, self._traveller.shift, {"ava": ava, "ben": ben}, broke)

    def teardown(self) -> None:
        """Let it calm down, unless something broke before."""
        try:
            if hasattr(self, "storm"):
                self._end()
        finally:
            self._time.stop()
            super().teardown()

    def _end(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.storm.calm()
        finally:
            self.storm.close()

    @rule(name=names, wish=whatever, trouble=st.none() | faults | deaths)
    def do_whatever(self, name: str, wish: Wish, trouble: Trouble) -> None:
        self.storm.ask(name, wish, trouble)

    @rule(name=names, wish=wishes)
    def ask(self, name: str, wish: Wish) -> None:
        self.storm.ask(name, wish)

    @rule(name=names, wish=wishes, fault=faults)
    def ask_under_a_fault(self, name: str, wish: Wish, fault: Trouble) -> None:
        self.storm.ask(name, wish, fault)

    @rule(name=names, wish=forgotten, fault=lost, later=st.sampled_from([2, 31, 31, 90]))
    def ask_and_hear_nothing_for_long(self, name: str, wish: Wish, fault: Trouble, later: int) -> None:
        self.storm.ask(name, wish, fault)
        self.storm.pass_time(timedelta(minutes=later))
        self.storm.tick()

    @rule(name=names, wish=wishes, death=deaths)
    def ask_and_die(self, name: str, wish: Wish, death: Trouble) -> None:
        self.storm.ask(name, wish, death)

    @rule(name=names, wish=wishes, others=meanwhile)
    def ask_beside_others(self, name: str, wish: Wish, others: Trouble) -> None:
        self.storm.ask(name, wish, others)

    @rule(name=names, wish=over_a_change, trouble=st.none() | troubles)
    def ask_where_a_change_is_scheduled(self, name: str, wish: Wish, trouble: Trouble) -> None:
        self.storm.ask(name, Wish("downgrade"))
        self.storm.check()
        self.storm.ask(name, wish, trouble)

    @rule(name=names, before=eves, trouble=st.none() | troubles)
    def let_a_pause_go_by(self, name: str, before: timedelta, trouble: Trouble) -> None:
        self.storm.ask(name, Wish("pause"))
        # What is charged from here on is not what the pause was shown to cost.
        self.storm.check()
        for _ in ("its beginning", "its end"):
            self.storm.until_the_eve(before)
            self.storm.work()
            self.storm.until_something_happens()
            self.storm.work(trouble)

    @rule(act=follow_ups, trouble=st.none() | troubles)
    def follow_up(self, act: Act, trouble: Trouble) -> None:
        self.storm.do(act, trouble)

    @rule(act=operators, trouble=st.none() | troubles)
    def operator(self, act: Act, trouble: Trouble) -> None:
        self.storm.do(act, trouble)

    @rule(act=machines, trouble=st.none() | troubles)
    def machine(self, act: Act, trouble: Trouble) -> None:
        self.storm.do(act, trouble)

    @rule(act=readings, others=changed_meanwhile)
    def read_while_it_changes(self, act: Act, others: Trouble) -> None:
        self.storm.do(act, others)

    @rule(act=times)
    def time_passes(self, act: Act) -> None:
        self.storm.do(act)

    @invariant()
    def everything_holds(self) -> None:
        self.storm.check()


@pytest.fixture(autouse=True)
def unhurried(settings: Settings) -> None:
    """Jobs ask as often as they like: nothing in a storm waits for a turn."""
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 0


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Tells how far a long search has got while it is at it."""

    def say(words: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"{words}\n")
            sys.stdout.flush()

    return say


def test_nothing_is_lost_doubled_or_told_wrong_in_any_storm(
    provider: Provider, settings: Settings, tell: Tell
) -> None:
    settings.RESUME_THREADS = 1
    search(AnyStorm, provider, sequences=4, steps=10, tell=tell)


@pytest.mark.services
def test_nothing_is_lost_doubled_or_told_wrong_where_many_threads_resume(
    provider: Provider, settings: Settings, tell: Tell
) -> None:
    settings.RESUME_THREADS = 8
    search(AnyStorm, provider, sequences=3, steps=10, tell=tell)
