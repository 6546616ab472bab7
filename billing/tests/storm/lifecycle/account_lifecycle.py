"""One subscriber at a live provider: the actions of a sequence, and the invariants that hold after each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from accounts.models import Account
from billing import clock
from billing.changes import billing_period, cancellation, pauses, plan_selection, resumes, undo
from billing.changes.discounts import bundle_coupons, free_month
from billing.changes.discounts import coupons as change_coupons
from billing.errors import BillingError, BillingPartial, PaymentProcessingFailed
from billing.gateway.errors import Refused
from billing.jobs import schedule
from billing.mirror import account_import, reconcile
from billing.models import CancellationFeedback, Command
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.survey import Survey
from billing.tests.storm.initial_site import RATES, InitialPlan, reset_site
from billing.tests.storm.lifecycle.shown_figures import ExpectedCharge, ShownFigures, Sums, preview_totals, sum_totals
from billing.tests.support.coupon_codes import FREE_MONTH
from billing.tests.support.live_provider import DECLINING_CARD, VISA_CARD, Provider, RawSubscriptions, billed_ids
from billing.tests.support.shown_documents import read_documents
from conftest import GENESIS
from core.errors import PortalError

NAME = "ava"


def next_event_at(holdings: Iterable[Holding]) -> datetime | None:
    """Return the time of the next scheduled event of these holdings, as the portal knows it."""
    instants = [
        instant
        for holding in holdings
        for instant in (
            holding.subscription.next_billing_at,
            holding.subscription.trial_end,
            holding.subscription.current_term_end,
            holding.cancel_at,
            holding.pause_date,
            holding.resume_date,
        )
        if instant is not None and instant > clock.billing_now()
    ]
    return min(instants, default=None)


@dataclass
class AccountLifecycle:
    """An account and its provider. Each public method is an action; `assert_invariants` checks the state after it.

    `stale` says that the provider has changes that the mirror lacks. `site` is what the provider's merchant has chosen.
    """

    provider: Provider
    starts: Sequence[InitialPlan]
    genesis: datetime = GENESIS
    account: Account = field(init=False)
    stale: bool = False
    declining: bool = False
    intents: int = 0
    site: Mapping[str, str | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        reset_site(self.provider, self.genesis, self.site)
        self.account = self.provider.subscriber(NAME)
        coupons = [f"BUNDLE-{len(self.starts)}"] if len(self.starts) in RATES else []
        for start in self.starts:
            start.start_subscription(self.provider, NAME, coupons)
        account_import.resync_account(self.account)
        self.figures = ShownFigures(self.provider, self.account)

    # --- What the subscriber does ---------------------------------------------------------------------------------

    def select_plans(self, plans: Collection[str]) -> None:
        """Select exactly these plans."""

        def make_change() -> None:
            shown = plan_selection.preview_selection(self.account, plan_ids=sorted(plans), now=clock.billing_now())
            with self._expect_charge(shown.body["due_now"]):
                plan_selection.change_selection(
                    self.account, plan_ids=sorted(plans), quote=shown.body["quote"], **self._next_intent()
                )
            self._assert_shown(shown.body)

        self._attempt_change(make_change)

    def switch_period(self, direction: str, plans: Collection[str] | None) -> None:
        """Upgrade or downgrade these plans, or all that can be switched."""

        def make_change() -> None:
            ask = {"direction": direction, "plan_ids": None if plans is None else sorted(plans)}
            shown = billing_period.preview_switch(self.account, now=clock.billing_now(), **ask)  # type: ignore[arg-type]
            with self._expect_charge(shown.body["due_now"]):
                quote = shown.body["quote"]
                billing_period.switch_period(self.account, quote=quote, **ask, **self._next_intent())  # type: ignore[arg-type]
            if all(switch.at_once for switch in shown.switches):
                self._assert_shown(shown.body)

        self._attempt_change(make_change)

    def redeem_code(self, code: str) -> None:
        """Redeem a code, or claim the free month."""
        self._attempt_change(self._claim_free_month if code == FREE_MONTH else lambda: self._redeem_code(code))

    def pause_plans(self, plans: Collection[str] | None) -> None:
        """Pause these plans, or all that can be paused."""
        self._attempt_change(
            lambda: self._pause_subscriptions(None if plans is None else self._subscription_ids(plans))
        )

    def cancel_plans(self, plans: Collection[str] | None) -> None:
        """Cancel these plans, or all; assert that nothing is charged and the survey answers are stored."""

        def make_change() -> None:
            stored = CancellationFeedback.objects.count()
            try:
                with self._expect_charge(0):
                    self._cancel_subscriptions(None if plans is None else self._subscription_ids(plans))
            finally:
                assert CancellationFeedback.objects.count() == stored + 1

        self._attempt_change(make_change)

    def resume_all(self) -> None:
        """Resume all paused plans; assert that the charge equals the estimate."""

        def make_change() -> None:
            shown = resumes.estimate_resume(self.account, subscription_ids=None, days=None, now=clock.billing_now())
            with self._expect_charge(shown.amount_due):
                resumes.resume_subscriptions(
                    self.account, subscription_ids=None, quote=shown.quote, **self._next_intent()
                )
            self._assert_resumed(shown)

        self._attempt_change(make_change)

    def undo_scheduled(self, what: str) -> None:
        """Undo all scheduled `pauses`, `changes` or `cancellations`."""
        acts = {
            "pauses": self._remove_pauses,
            "changes": self._undo_changes,
            "cancellations": self._keep_all_subscriptions,
        }
        self._attempt_change(acts[what])

    # --- Changes and their undo -----------------------------------------------------------------------------------

    def remove_and_keep(self, plan: str) -> None:
        """Remove a service and undo it; assert that the state is restored."""
        before = self.live_fingerprints()
        others = {
            holding.plan.id
            for holding in self.list_holdings()
            if holding.plan.id != plan and holding.status != "NON_RENEWING"
        }
        chosen = self._subscription_ids([plan])
        self.select_plans(others)
        self._keep_subscriptions(chosen)
        assert self.live_fingerprints() == before

    def cancel_and_keep(self, plan: str) -> None:
        """Cancel a service and undo it; assert that the state is restored, with what was scheduled."""
        before, chosen = self.live_fingerprints(), self._subscription_ids([plan])
        self._cancel_subscriptions(chosen)
        self._keep_subscriptions(chosen)
        assert self.live_fingerprints() == before

    def downgrade_and_stay(self, plan: str) -> None:
        """Downgrade and undo it; assert that the state is restored."""
        before = self.live_fingerprints()
        self.switch_period(billing_period.DOWNGRADE, [plan])
        undo.remove_scheduled_change(
            self.account, subscription_ids=self._subscription_ids([plan]), **self._next_intent()
        )
        assert self.live_fingerprints() == before

    def pause_and_stay(self, plan: str) -> None:
        """Schedule a pause and remove it; assert that the state is restored."""
        before = self.live_fingerprints()
        self._pause_subscriptions(self._subscription_ids([plan]))
        self._remove_pauses(self._subscription_ids([plan]))
        assert self.live_fingerprints() == before

    # --- What others do -------------------------------------------------------------------------------------------

    def act_as_operator(self, action: str, plan: str, *, delivered: bool) -> None:
        """Change a subscription in the console; unless `delivered`, its events do not reach the portal yet."""
        self.provider.console(self.account, action, plan)
        self.stale = True
        if delivered:
            self.sync_events()

    def change_card(self, *, declines: bool) -> None:
        """Change the primary card to a valid or a declining one."""
        self.declining = declines
        self.provider.add_card(NAME, DECLINING_CARD if self.declining else VISA_CARD)
        self.sync_events()

    def travel_forward(self, **duration: float) -> None:
        """Let time pass, and run the due jobs after each scheduled event on the way."""
        destination = clock.billing_now() + timedelta(**duration)
        self.sync_events()
        while self._travel_to_next_stop(destination) < destination:
            pass

    def travel_to_next_event(self) -> None:
        """Let time pass until just after the next scheduled event."""
        self.sync_events()
        event_at = next_event_at(self.list_holdings())
        if event_at is not None:
            self._travel_to_next_stop(event_at + timedelta(minutes=1))

    def sync_events(self) -> None:
        """Read the feed, and align the bundle coupons, as the workers do."""
        reconcile.read_feed(now=clock.billing_now())
        bundle_coupons.align_if_possible(self.account, now=clock.billing_now())
        self.stale = False

    # --- What must hold -------------------------------------------------------------------------------------------

    def assert_invariants(self) -> None:
        """Assert what holds after every action."""
        assert not Command.objects.filter(state__in=Command.OPEN).exists()
        if self.stale:
            return
        assert bundle_coupons.pending_swaps(self.account) == []
        bodies = read_documents(self.account)
        reconcile.read_feed(now=clock.billing_now())
        assert read_documents(self.account) == bodies, "a read shows later what it did not show at once"
        assert [str(difference) for difference in reconcile.find_differences()] == []
        self._assert_one_per_service()
        assert self.figures.totals_on_screen() == self.figures.totals_at_provider()
        self._assert_scheduled_as_shown()

    def list_holdings(self) -> list[Holding]:
        """Return the live holdings according to the portal."""
        return live_holdings(self.account)

    def removable_plans(self) -> list[str]:
        """Return the plans with nothing scheduled that can be removed because another one stays."""
        staying = [holding for holding in self.list_holdings() if holding.status != "NON_RENEWING"]
        return [holding.plan.id for holding in staying if len(staying) > 1 and _is_unscheduled(holding)]

    def cancelable_plans(self) -> list[str]:
        """Return the plans whose cancellation waits for the term end."""
        return [holding.plan.id for holding in self.list_holdings() if holding.status in ("ACTIVE", "IN_TRIAL")]

    def downgradable_plans(self) -> list[str]:
        """Return the yearly plans whose downgrade waits for the term end."""
        holdings = [holding for holding in self.list_holdings() if holding.terms.period_unit == "year"]
        return [holding.plan.id for holding in holdings if holding.status == "ACTIVE" and _is_unscheduled(holding)]

    def pausable_plans(self) -> list[str]:
        """Return the plans that can be paused."""
        return [holding.plan.id for holding in self.list_holdings() if holding.can_be_paused]

    def live_fingerprints(self) -> RawSubscriptions:
        """Return what an undo must restore, of each live subscription at the provider."""
        return self.provider.live_fingerprints(NAME)

    # --- Helpers --------------------------------------------------------------------------------------------------

    def _attempt_change(self, change: Callable[[], None]) -> None:
        """Try a change; assert that a refusal is justified and changed nothing."""
        stale, before = self.stale, self.live_fingerprints()
        try:
            change()
        except PortalError as error:
            if not stale:
                self._assert_refusal_justified(error, before)
            self.sync_events()
        if stale:
            self.sync_events()

    def _assert_refusal_justified(self, error: PortalError, before: Mapping[str, Any]) -> None:
        if error.code == BillingPartial.code:
            # If the second of two is declined, the first is done and the answer says so (docs/rules.md, rule 2).
            assert self.declining
            return
        assert self.live_fingerprints() == before
        if error.code == PaymentProcessingFailed.code:
            assert self.declining
            return
        cause = error.__cause__
        assert not isinstance(cause, Refused), f"the provider refused what the portal offered: {cause}"

    def _next_intent(self) -> dict[str, Any]:
        self.intents += 1
        return {"key": f"intent-{self.intents}", "actor": "you", "now": clock.billing_now()}

    def _expect_charge(self, cents: int) -> ExpectedCharge:
        return ExpectedCharge(self.provider, self.account, cents)

    def _assert_resumed(self, shown: resumes.ResumeEstimate) -> None:
        """Assert what a subclass expects of a resume that was estimated like this."""

    def _pause_subscriptions(self, ids: Sequence[str] | None) -> None:
        pauses.schedule_pause(self.account, subscription_ids=ids, days=30, **self._next_intent())

    def _cancel_subscriptions(self, ids: Sequence[str] | None) -> None:
        survey = Survey(reason="Too expensive")
        cancellation.cancel_subscriptions(self.account, subscription_ids=ids, survey=survey, **self._next_intent())

    def _remove_pauses(self, ids: Sequence[str] | None = None) -> None:
        pauses.remove_scheduled_pause(self.account, subscription_ids=ids, **self._next_intent())

    def _undo_changes(self) -> None:
        ids = [
            holding.subscription.provider_id
            for holding in self.list_holdings()
            if holding.subscription.has_scheduled_changes
        ]
        undo.remove_scheduled_change(self.account, subscription_ids=ids, **self._next_intent())

    def _keep_all_subscriptions(self) -> None:
        self._keep_subscriptions(
            [holding.subscription.provider_id for holding in self.list_holdings() if holding.status == "NON_RENEWING"]
        )

    def _redeem_code(self, code: str) -> None:
        with self._expect_charge(0):
            shown = change_coupons.redeem_code(self.account, code=code, quote=None, **self._next_intent())
        assert preview_totals(shown) == self.figures.totals_on_screen()

    def _claim_free_month(self) -> None:
        offer = free_month.estimate_free_month(self.account, now=clock.billing_now())
        before = self._amount_due()
        with self._expect_charge(0):
            free_month.claim_free_month(self.account, quote=offer["quote"], **self._next_intent())
        assert self._amount_due() == before - offer["amount_saved"]

    def _keep_subscriptions(self, ids: Sequence[str]) -> None:
        undo.remove_scheduled_cancellation(self.account, subscription_ids=ids, **self._next_intent())

    def _subscription_ids(self, plans: Collection[str]) -> list[str]:
        return [holding.subscription.provider_id for holding in self.list_holdings() if holding.plan.id in plans]

    def _timestamp_in(self, **duration: float) -> int:
        return int((clock.billing_now() + timedelta(**duration)).timestamp())

    def _amount_due(self) -> int:
        return sum(total for total, _, _ in self.figures.totals_on_screen().values())

    def _assert_shown(self, figures: Mapping[str, Any]) -> None:
        """Assert that the screen shows the totals of the preview."""
        shown = {unit: sums for unit, sums in preview_totals(figures).items() if sums[0]}
        assert {unit: sums for unit, sums in self.figures.totals_on_screen().items() if sums[0]} == shown

    def _assert_scheduled_as_shown(self) -> None:
        """Assert that scheduled changes are shown as the provider will bill them."""
        with suppress(BillingError):
            shown = billing_period.preview_switch(
                self.account, direction="downgrade", plan_ids=None, now=clock.billing_now()
            )
            if all(switch.is_scheduled for switch in shown.switches):
                changed = {switch.subscription_id for switch in shown.switches}
                sums: dict[str, list[Sums]] = {}
                for holding in self.list_holdings():
                    if holding.will_bill:
                        unit = holding.terms.period_unit
                        unit = "month" if holding.subscription.provider_id in changed else unit
                        sums.setdefault(unit, []).append(
                            self.figures.estimate_bill(holding, ignore_scheduled_changes=False)
                        )
                assert {unit: sum_totals(bills) for unit, bills in sums.items()} == preview_totals(shown.body)

    def _assert_one_per_service(self) -> None:
        prices = [raw["price"].rsplit("-", 1)[0] for raw in self.live_fingerprints().values()]
        assert len(prices) == len(set(prices)), f"two live subscriptions of one service: {prices}"

    # --- Time -----------------------------------------------------------------------------------------------------

    def _travel_to_next_stop(self, destination: datetime) -> datetime:
        """Travel to the destination or the night after the next event, whichever is first; return that time.

        The due jobs run there.
        """
        event_at = next_event_at(self.list_holdings())
        stop = destination
        if event_at is not None and event_at < destination:
            night = schedule.newest_night(event_at + timedelta(hours=26))
            stop = min(destination, night + timedelta(minutes=1))
        expected = self.figures.expected_bills()
        paused = {holding.subscription.provider_id for holding in self.list_holdings() if holding.is_paused}
        before = {invoice.id for invoice in self.provider.invoices(self.account)}
        self.provider.travel_to(stop)
        fresh = [invoice for invoice in self.provider.invoices(self.account) if invoice.id not in before]
        self._assert_billed_as_shown(fresh, expected)
        assert not [invoice for invoice in fresh if paused & billed_ids(invoice.raw_data)], "billed while paused"
        for job, slot in list(schedule.due_jobs(clock.billing_now())):
            run = schedule.run_job(job.name, slot, now=clock.billing_now())
            assert run is not None
            assert run.error == ""
        self.sync_events()
        return stop

    def _assert_billed_as_shown(self, invoices: Sequence[Any], expected: Mapping[str, tuple[datetime, int]]) -> None:
        self.figures.assert_billed_as_shown(invoices, expected)


def _is_unscheduled(holding: Holding) -> bool:
    unscheduled = not holding.has_scheduled_pause and not holding.subscription.has_scheduled_changes
    return unscheduled and holding.status in ("ACTIVE", "IN_TRIAL")
