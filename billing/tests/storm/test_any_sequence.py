"""Random sequences of changes: each charges what was shown, and the mirror equals the provider."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from billing.tests.storm.initial_site import InitialPlan
from billing.tests.storm.lifecycle.account_lifecycle import AccountLifecycle
from billing.tests.storm.lifecycle.plan_changes import PlanChanges
from billing.tests.storm.sequence_search import (
    CONSOLE_ACTIONS,
    plans,
    search_sequences,
)
from billing.tests.support.live_provider import FAITH, GOSPEL, Provider

pytestmark = pytest.mark.django_db

starts = st.builds(
    InitialPlan,
    plan=plans,
    unit=st.sampled_from(["Monthly", "Yearly"]),
    trial_days=st.sampled_from([0, 0, 0, 10]),
)


class PlanChangesMachine(PlanChanges):
    """Random changes of one account."""

    @initialize(starts=st.lists(starts, max_size=3, unique_by=lambda start: start.plan))
    def begin(self, starts: list[InitialPlan]) -> None:
        self.life = AccountLifecycle(self.provider, starts)

    @precondition(lambda self: not self.life.stale and self.life.removable_plans())
    @rule(data=st.data())
    def remove_and_keep(self, data: st.DataObject) -> None:
        self.life.remove_and_keep(data.draw(st.sampled_from(self.life.removable_plans())))

    @precondition(lambda self: not self.life.stale and self.life.cancelable_plans())
    @rule(data=st.data())
    def cancel_and_keep(self, data: st.DataObject) -> None:
        self.life.cancel_and_keep(data.draw(st.sampled_from(self.life.cancelable_plans())))

    @precondition(lambda self: not self.life.stale and self.life.downgradable_plans())
    @rule(data=st.data())
    def downgrade_and_stay(self, data: st.DataObject) -> None:
        self.life.downgrade_and_stay(data.draw(st.sampled_from(self.life.downgradable_plans())))

    @precondition(lambda self: not self.life.stale and self.life.pausable_plans())
    @rule(data=st.data())
    def pause_and_stay(self, data: st.DataObject) -> None:
        self.life.pause_and_stay(data.draw(st.sampled_from(self.life.pausable_plans())))

    @rule(act=st.sampled_from(CONSOLE_ACTIONS), plan=plans, delivered=st.booleans())
    def operator(self, act: str, plan: str, delivered: bool) -> None:
        self.life.act_as_operator(act, plan, delivered=delivered)

    @rule(declines=st.sampled_from([True, False, False]))
    def change_card(self, declines: bool) -> None:
        self.life.change_card(declines=declines)

    @rule(hours=st.integers(1, 40))
    def let_hours_pass(self, hours: int) -> None:
        self.life.travel_forward(hours=hours)

    @rule(days=st.sampled_from([2, 12, 31, 31, 65, 370]))
    def let_days_pass(self, days: int) -> None:
        self.life.travel_forward(days=days)

    @rule()
    def let_a_term_end(self) -> None:
        self.life.travel_to_next_event()

    @invariant()
    def everything_holds(self) -> None:
        self.life.assert_invariants()


def test_any_sequence_charges_what_is_shown_and_keeps_the_mirror_equal(provider: Provider) -> None:
    search_sequences(PlanChangesMachine, provider, sequences=5, steps=10)


def test_a_plan_that_ends_at_a_renewal_does_not_count_for_that_bill(provider: Provider) -> None:
    life = AccountLifecycle(provider, [InitialPlan(GOSPEL), InitialPlan(FAITH)])

    life.select_plans([FAITH])
    life.travel_forward(days=40)

    life.assert_invariants()
