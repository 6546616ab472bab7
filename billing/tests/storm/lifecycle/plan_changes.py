"""The plan changes of a subscriber, as the rules of a state machine."""

from __future__ import annotations

from collections.abc import Set

from hypothesis import strategies as st
from hypothesis.stateful import rule

from billing.tests.storm.lifecycle.account_lifecycle import AccountLifecycle
from billing.tests.storm.sequence_search import SequenceMachine, some_plans
from billing.tests.support.coupon_codes import CODES, FREE_MONTH


class PlanChanges(SequenceMachine):
    """Changes of the plans of one account; a subclass begins its life and lets time pass."""

    life: AccountLifecycle

    @rule(wanted=some_plans)
    def want(self, wanted: Set[str]) -> None:
        self.life.select_plans(wanted)

    @rule(direction=st.sampled_from(["upgrade", "downgrade"]), chosen=st.none() | some_plans)
    def switch(self, direction: str, chosen: Set[str] | None) -> None:
        self.life.switch_period(direction, chosen)

    @rule(code=st.sampled_from([*CODES, FREE_MONTH]))
    def redeem(self, code: str) -> None:
        self.life.redeem_code(code)

    @rule(chosen=st.none() | some_plans)
    def pause(self, chosen: Set[str] | None) -> None:
        self.life.pause_plans(chosen)

    @rule(chosen=st.none() | some_plans)
    def cancel(self, chosen: Set[str] | None) -> None:
        self.life.cancel_plans(chosen)

    @rule()
    def resume(self) -> None:
        self.life.resume_all()

    @rule(what=st.sampled_from(["pauses", "changes", "cancellations"]))
    def take_back(self, what: str) -> None:
        self.life.undo_scheduled(what)
