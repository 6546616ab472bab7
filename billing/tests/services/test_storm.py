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
from billing.tests.perks import CODES
from billing.tests.purse import MASTERCARD
from billing.tests.search import CONSOLE, Sequence, plans, search, some_plans
from billing.tests.storm import Storm
from billing.tests.trouble import Act, Death, Fault, Meanwhile, Trouble
from conftest import GENESIS

pytestmark = pytest.mark.django_db

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


wishes = st.one_of(
    wish("pause", "upgrade", "downgrade", plans=st.none() | some_plans),
    wish("cancel", plans=st.none() | some_plans, word=st.just("Too expensive")),
    wish("want", plans=some_plans),
    wish("keep", "undo_change", plans=some_plans),
    wish("resume", "take_pause_back", "claim"),
    wish("redeem", word=st.sampled_from(CODES)),
    wish("add_card", word=cards),
    wish("replace_card", word=cards, place=places),
    wish("make_default", "remove_card", place=places),
    wish("describe_card", "rename", word=st.sampled_from(["Grace", "Ada"]), place=places),
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
faults = st.one_of(
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
)
consoles = st.one_of(
    st.tuples(st.just("console"), names, st.sampled_from(CONSOLE), plans),
    st.tuples(st.just("console_card"), names, st.booleans()),
)
operators = st.one_of(
    consoles,
    st.tuples(st.just("support"), names, st.sampled_from(["resume", "remove pause", "resync"]), plans),
    st.tuples(st.just("set_rate"), st.sampled_from([2, 3]), st.sampled_from([10, 20])),
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
times = st.one_of(
    st.tuples(st.just("pass_time"), spans),
    st.tuples(st.just("until_something_happens")),
    st.tuples(st.just("pass_days"), st.sampled_from([2, 12, 31, 40])),
    st.tuples(st.just("calm")),
)
meanwhile = st.builds(
    Meanwhile,
    exchange=st.integers(0, 6),
    act=st.one_of(
        st.tuples(st.just("ask"), names, wishes),
        st.tuples(st.just("repeat"), names),
        consoles,
        machines,
    ),
)
troubles = faults | deaths | meanwhile


class AnyStorm(Sequence):
    """Two subscribers, and all that may come over them."""

    storm: Storm

    def __init__(self) -> None:
        super().__init__()
        self._time = time_machine.travel(GENESIS, tick=False)
        self._traveller = self._time.start()

    @initialize(ava=some_starts, ben=some_starts)
    def begin(self, ava: list[Start], ben: list[Start]) -> None:
        self.storm = Storm(self.provider, self._traveller.shift, {"ava": ava, "ben": ben})

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

    @rule(name=names, wish=wishes)
    def ask(self, name: str, wish: Wish) -> None:
        self.storm.ask(name, wish)

    @rule(name=names, wish=wishes, fault=faults)
    def ask_under_a_fault(self, name: str, wish: Wish, fault: Trouble) -> None:
        self.storm.ask(name, wish, fault)

    @rule(name=names, wish=wishes, death=deaths)
    def ask_and_die(self, name: str, wish: Wish, death: Trouble) -> None:
        self.storm.ask(name, wish, death)

    @rule(name=names, wish=wishes, others=meanwhile)
    def ask_beside_others(self, name: str, wish: Wish, others: Trouble) -> None:
        self.storm.ask(name, wish, others)

    @rule(act=follow_ups, trouble=st.none() | troubles)
    def follow_up(self, act: Act, trouble: Trouble) -> None:
        self.storm.do(act, trouble)

    @rule(act=operators, trouble=st.none() | troubles)
    def operator(self, act: Act, trouble: Trouble) -> None:
        self.storm.do(act, trouble)

    @rule(act=machines, trouble=st.none() | troubles)
    def machine(self, act: Act, trouble: Trouble) -> None:
        self.storm.do(act, trouble)

    @rule(act=times)
    def time_passes(self, act: Act) -> None:
        self.storm.do(act)

    @invariant()
    def everything_holds(self) -> None:
        self.storm.check()


def test_nothing_is_lost_doubled_or_told_wrong_in_any_storm(provider: Provider, settings: Settings) -> None:
    settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE = 0
    # Others would have connections of their own, and what is undone afterwards is seen by this one alone.
    settings.RESUME_THREADS = 1
    search(AnyStorm, provider, sequences=6, steps=15)
