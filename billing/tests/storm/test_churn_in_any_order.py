"""Random sequences around pauses: nobody is billed while paused, and each resume happens on its date."""

from __future__ import annotations

from collections.abc import Set
from datetime import UTC, datetime

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from billing.api.serializers.requests import OFFERING_SCREENS
from billing.jobs import schedule
from billing.survey import DAILY_USAGES, EMPTY_SURVEY, OFFERS, REASONS, SATISFACTION_LEVELS, Survey
from billing.tests.storm.initial_site import InitialPlan
from billing.tests.storm.lifecycle.churn_lifecycle import ChurnLifecycle
from billing.tests.storm.sequence_search import (
    CONSOLE_ACTIONS,
    SequenceMachine,
    plans,
    search_sequences,
    some_plans,
)
from billing.tests.support.coupon_codes import CODES, FREE_MONTH
from billing.tests.support.live_provider import Provider
from conftest import GENESIS

pytestmark = pytest.mark.django_db

NEW_YORK, AUCKLAND, KOLKATA = "America/New_York", "Pacific/Auckland", "Asia/Kolkata"
# Start times and time zones. A pause after a month that ends thirty days later ends in the night that the comment
# names.
BEGINNINGS = (
    (GENESIS, NEW_YORK),
    (datetime(2026, 1, 6, 7, 15, tzinfo=UTC), NEW_YORK),  # its hour is skipped in spring
    (datetime(2026, 9, 2, 5, 30, tzinfo=UTC), NEW_YORK),  # its hour repeats in fall
    (datetime(2028, 1, 30, 4, 30, tzinfo=UTC), NEW_YORK),  # the end of a leap year's February
    (
        datetime(2027, 12, 31, 23, 30, tzinfo=UTC),
        KOLKATA,
    ),  # the provider's date is the last of the year, the local one the first of the next
    (datetime(2026, 3, 4, 11, 30, tzinfo=UTC), AUCKLAND),  # fall in the Southern Hemisphere
)
OFFERED = ("", *OFFERING_SCREENS)

starts = st.builds(
    InitialPlan,
    plan=plans,
    unit=st.sampled_from(["Monthly", "Monthly", "Yearly"]),
    trial_days=st.sampled_from([0, 0, 0, 10]),
)
surveys = st.builds(
    Survey,
    reason=st.sampled_from(["", *REASONS]),
    satisfaction=st.sampled_from(["", *SATISFACTION_LEVELS]),
    usage=st.sampled_from(["", *DAILY_USAGES]),
    offer=st.sampled_from(["", *OFFERS]),
)


class ChurnMachine(SequenceMachine):
    """Random acts of a subscriber, operators, workers and time around pauses and cancellations."""

    life: ChurnLifecycle

    @initialize(
        starts=st.lists(starts, min_size=1, max_size=3, unique_by=lambda start: start.plan),
        beginning=st.sampled_from(BEGINNINGS),
        pauses=st.booleans(),
        asleep=st.booleans(),
    )
    def begin(self, starts: list[InitialPlan], beginning: tuple[datetime, str], pauses: bool, asleep: bool) -> None:
        genesis, zone = beginning
        self.life = ChurnLifecycle(self.provider, starts, genesis=genesis, zone=zone)
        if pauses:
            self.life.pause_with_survey(None, EMPTY_SURVEY, offered="")
        if asleep:
            self.life.pass_time_to_next_event(attended=True)

    @rule(chosen=st.none() | some_plans, survey=surveys, offered=st.sampled_from(OFFERED))
    def pause(self, chosen: Set[str] | None, survey: Survey, offered: str) -> None:
        self.life.pause_with_survey(chosen, survey, offered=offered)

    @rule(chosen=st.none() | some_plans, survey=surveys, twice=st.booleans())
    def cancel(self, chosen: Set[str] | None, survey: Survey, twice: bool) -> None:
        self.life.cancel_with_survey(chosen, survey, twice=twice)

    @rule()
    def resume(self) -> None:
        self.life.resume_all()

    @rule(what=st.sampled_from(["pauses", "changes", "cancellations"]))
    def take_back(self, what: str) -> None:
        self.life.undo_scheduled(what)

    @rule(wanted=some_plans)
    def want(self, wanted: Set[str]) -> None:
        self.life.select_plans(wanted)

    @rule(direction=st.sampled_from(["upgrade", "downgrade"]), chosen=st.none() | some_plans)
    def switch(self, direction: str, chosen: Set[str] | None) -> None:
        self.life.switch_period(direction, chosen)

    @rule(code=st.sampled_from([*CODES, FREE_MONTH]))
    def redeem(self, code: str) -> None:
        self.life.redeem_code(code)

    @rule(declines=st.booleans(), here=st.booleans())
    def change_card(self, declines: bool, here: bool) -> None:
        (self.life.change_card_in_portal if here else self.life.change_card)(declines=declines)

    @rule(act=st.sampled_from(["resume", "remove pause"]), plan=plans)
    def support(self, act: str, plan: str) -> None:
        self.life.act_as_support(act, plan)

    @rule()
    def resync(self) -> None:
        self.life.resync_account()

    @rule(act=st.sampled_from(CONSOLE_ACTIONS), plan=plans)
    def console(self, act: str, plan: str) -> None:
        self.life.act_as_operator(act, plan)

    @rule(plan=plans, days=st.integers(1, 20))
    def console_moves_a_pause(self, plan: str, days: int) -> None:
        self.life.move_pause(plan, days)

    @rule(chance=st.integers(0, 1000), lost=st.booleans(), doubled=st.booleans())
    def webhooks(self, chance: int, lost: bool, doubled: bool) -> None:
        self.life.deliver_webhooks(chance, lost=lost, doubled=doubled)

    @rule(
        name=st.sampled_from(sorted(schedule.JOBS)),
        times=st.integers(1, 2),
        reachable=st.sampled_from([True, True, False]),
    )
    def job(self, name: str, times: int, reachable: bool) -> None:
        self.life.run_job(name, times=times, reachable=reachable)

    @rule()
    def mail(self) -> None:
        self.life.send_mail()

    @rule(attended=st.booleans())
    def something_falls_due(self, attended: bool) -> None:
        self.life.pass_time_to_next_event(attended=attended)

    @rule(hours=st.integers(1, 30))
    def hours_pass_unattended(self, hours: int) -> None:
        self.life.skip_time(hours=hours)

    @rule(days=st.sampled_from([2, 12, 28, 31, 33]))
    def days_pass_unattended(self, days: int) -> None:
        self.life.skip_time(days=days)

    @rule(hours=st.integers(1, 30))
    def hours_pass(self, hours: int) -> None:
        self.life.pass_time(hours=hours)

    @rule(days=st.sampled_from([2, 12, 31, 31, 65]))
    def days_pass(self, days: int) -> None:
        self.life.pass_time(days=days)

    @rule()
    def run_reconcile(self) -> None:
        self.life.repair_mirror_now()

    @invariant()
    def everything_holds(self) -> None:
        self.life.assert_invariants()


@pytest.mark.shows("reliability-11")
def test_any_sequence_keeps_every_promised_date(provider: Provider) -> None:
    search_sequences(ChurnMachine, provider, sequences=3, steps=12)
