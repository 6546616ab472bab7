"""Random lives: every next bill that is shown is what the provider then bills, to the cent and to the day.

`LONG_SEQUENCES=1000` searches a thousand lives (see `sequence_search`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from billing import clock
from billing.changes.pauses import estimate_pause
from billing.changes.resumes import ResumeEstimate
from billing.mirror import documents, next_bills
from billing.mirror.pause_schedules import PAUSE_DAYS
from billing.models import AccountDocument
from billing.tests.storm.initial_site import InitialPlan
from billing.tests.storm.lifecycle.account_lifecycle import NAME, AccountLifecycle
from billing.tests.storm.lifecycle.plan_changes import PlanChanges
from billing.tests.storm.sequence_search import plans, search_sequences
from billing.tests.support.live_provider import Provider, billed_ids

pytestmark = pytest.mark.django_db

SITE_ZONE = ZoneInfo("America/New_York")

starts = st.builds(
    InitialPlan, plan=plans, unit=st.sampled_from(["Monthly", "Yearly"]), trial_days=st.sampled_from([0, 0, 10])
)


paid_starts = st.builds(InitialPlan, plan=plans, unit=st.sampled_from(["Monthly", "Yearly"]))


@dataclass
class BilledLifecycle(AccountLifecycle):
    """A life whose bills are held against those that were shown before; `compared` counts them."""

    compared: Counter[str] = field(default_factory=Counter)

    def travel_forward(self, **duration: float) -> None:
        """Let time pass, and compare what was billed meanwhile with what was shown before."""
        self.sync_events()
        shown, before = self.shown_bills(), self._invoice_ids()
        pausing = {holding.subscription.provider_id for holding in self.list_holdings() if holding.pause_date}
        super().travel_forward(**duration)
        self._assert_came_true(shown, before, pausing)

    def shown_bills(self) -> list[dict[str, Any]]:
        """Return the next bills on the screen, with the estimates that its read requests."""
        documents.read_document(self.account, AccountDocument.Kind.ACCOUNT)
        next_bills.estimate_wanted_bills(self.account.pk, now=clock.billing_now())
        body = json.loads(documents.read_document(self.account, AccountDocument.Kind.ACCOUNT).body)
        bills: list[dict[str, Any]] = body["nextBills"]
        assert all(bill["amount"] is not None for bill in bills), bills
        return bills

    def _pause_subscriptions(self, ids: Sequence[str] | None) -> None:
        estimate = estimate_pause(self.account, subscription_ids=ids, days=PAUSE_DAYS, now=clock.billing_now())
        super()._pause_subscriptions(ids)
        self._assert_bills_shown([bill.as_json() for bill in estimate.next_bills])

    def _assert_resumed(self, shown: ResumeEstimate) -> None:
        super()._assert_resumed(shown)
        plans = {plan for bill in shown.next_bills for plan in bill["plans"]}
        assert plans == set(shown.charges), "a resumed plan has no next bill"
        self._assert_bills_shown(shown.next_bills, plans)

    def _assert_shown(self, figures: Mapping[str, Any]) -> None:
        super()._assert_shown(figures)
        self._assert_bills_shown(figures["next_bills"])

    def _assert_bills_shown(self, estimated: Iterable[Mapping[str, Any]], plans: Set[str] | None = None) -> None:
        """Assert that the account shows the bills, of these subscriptions or of all, that a preview has promised."""
        promised = [(bill["plan_ids"], bill["date"][:10], bill["amount"], bill["follows"]) for bill in estimated]
        shown = [
            (bill["planIds"], bill["date"][:10], bill["amount"], bill["follows"])
            for bill in self.shown_bills()
            if plans is None or plans & set(bill["plans"])
        ]
        assert sorted(promised) == sorted(shown), "the preview shows other bills than the account then"

    def _invoice_ids(self) -> set[str]:
        return {str(invoice.id) for invoice in self.provider.invoices(self.account)}

    def _assert_came_true(self, shown: list[dict[str, Any]], before: Set[str], pausing: Set[str]) -> None:
        first_dates: dict[str, str] = {}
        for invoice in self.provider.invoices(self.account):
            if str(invoice.id) in before:
                continue
            day = _site_day(datetime.fromtimestamp(int(invoice.date), tz=UTC))
            billed_plans = billed_ids(invoice.raw_data)
            promised = {
                plan: bill["amount"]
                for bill in shown
                for plan in bill["plans"]
                if plan in billed_plans and _site_day(_instant(bill["date"])) <= day
            }
            assert promised.keys() == billed_plans, f"{invoice.id} of {day} bills what nobody was told: {shown}"
            billed = invoice.total - (invoice.credits_applied or 0)
            assert billed == sum(promised.values()), f"billed {billed} on {day}, shown: {shown}"
            for plan in billed_plans:
                first_dates.setdefault(plan, day)
            self.compared["bills"] += 1
        for bill in shown:
            day = _site_day(_instant(bill["date"]))
            if not bill["follows"] and _instant(bill["date"]) < clock.billing_now() - timedelta(days=2):
                # Time stops in the night after each event, so that a resume comes up to a day late.
                late = timedelta(days=1 if bill["plans"][0] in pausing else 0)
                days = (day, _site_day(_instant(bill["date"]) + late))
                assert first_dates.get(bill["plans"][0]) in days, f"no bill on {day}: {shown}"

    def _assert_billed_as_shown(self, invoices: Sequence[Any], expected: Mapping[str, tuple[datetime, int]]) -> None:
        # The totals do not count promotional credits, which are a discount of an invoice.
        super()._assert_billed_as_shown([row for row in invoices if not _uses_credits(row)], expected)


class LifeWithoutPauses(BilledLifecycle):
    """A life on a site that bills by calendar, where the first bill after a pause is known once it has begun."""

    def pause_plans(self, plans: Collection[str] | None) -> None:
        """Pause nothing."""


class NextBillsMachine(PlanChanges):
    """Random changes of one account, and time; `compared` counts the lives and their compared bills."""

    life: BilledLifecycle
    compared: ClassVar[Counter[str]] = Counter()

    @rule(cents=st.integers(1, 3000))
    def give_credits(self, cents: int) -> None:
        self.provider.sdk.PromotionalCredit.add({"customer_id": NAME, "amount": cents, "description": "Sorry"})
        self.life.sync_events()

    @rule(days=st.sampled_from([2, 12, 31, 40, 65, 130, 370]))
    def let_days_pass(self, days: int) -> None:
        self.life.travel_forward(days=days)


class AnyLifeMachine(NextBillsMachine):
    """Lives on a site where each subscription is billed on its own day."""

    @initialize(starts=st.lists(starts, min_size=1, max_size=3, unique_by=lambda start: start.plan))
    def begin(self, starts: list[InitialPlan]) -> None:
        self.compared["lives"] += 1
        self.life = BilledLifecycle(self.provider, starts, compared=self.compared)


class CalendarMachine(NextBillsMachine):
    """Lives on a site where all are billed on one day of the month, and first terms are cut."""

    @initialize(
        starts=st.lists(paid_starts, min_size=1, max_size=3, unique_by=lambda start: start.plan),
        day=st.sampled_from([1, 15, 28]),
        consolidated=st.booleans(),
    )
    def begin(self, starts: list[InitialPlan], day: int, consolidated: bool) -> None:
        self.compared["lives by calendar"] += 1
        site = {"billing_day": day, "consolidated_invoices": consolidated}
        self.life = LifeWithoutPauses(self.provider, starts, compared=self.compared, site=site)


def _uses_credits(invoice: Any) -> bool:
    return any(row["entity_type"] == "promotional_credits" for row in invoice.raw_data.get("discounts") or ())


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _site_day(instant: datetime) -> str:
    return instant.astimezone(SITE_ZONE).date().isoformat()


@pytest.mark.shows("rule-21")
def test_the_next_bills_of_any_life_come_true(provider: Provider) -> None:
    search_sequences(AnyLifeMachine, provider, sequences=5, steps=8, report_progress=print)
    counts = NextBillsMachine.compared
    print(f"{counts['lives']} lives, {counts['bills']} bills compared with what was shown")  # noqa: T201  (pytest -s)


@pytest.mark.shows("rule-21")
def test_the_next_bills_of_a_life_billed_by_calendar_come_true(provider: Provider) -> None:
    search_sequences(CalendarMachine, provider, sequences=4, steps=8, report_progress=print)
    assert NextBillsMachine.compared["lives by calendar"] > 0
