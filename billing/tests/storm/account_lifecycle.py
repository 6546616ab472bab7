"""One subscriber at a live provider: the actions of a sequence, and the invariants that hold after each."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Account, SiteSettings
from billing import clock
from billing.changes import billing_period, cancellation, pauses, plan_selection, resumes, undo
from billing.changes.discounts import bundle_coupons, free_month
from billing.changes.discounts import coupons as change_coupons
from billing.errors import BillingError, BillingPartial, PaymentProcessingFailed
from billing.gateway.errors import Refused
from billing.jobs import schedule
from billing.mirror import account_import, documents, reconcile
from billing.models import AccountDocument, BundleRate, CancellationFeedback, Command
from billing.queries.bundles import JUST_AFTER
from billing.queries.subscriptions.holdings import Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.survey import Survey
from billing.tests.support.coupon_codes import FREE_MONTH, sell_codes
from billing.tests.support.live_provider import DECLINING_CARD, VISA_CARD, Provider, billed_ids, undo_fingerprint
from conftest import GENESIS
from core.errors import PortalError

NAME = "ava"
# Bundle size -> percentage of its coupon.
RATES = {2: 10, 3: 15}
NEVER_SECONDS = 10**12

Totals = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class InitialPlan:
    """A plan that the subscriber begins with, with a trial of so many days, and a contract over so many bills."""

    plan: str
    unit: str = "Monthly"
    trial_days: int = 0
    contract_bills: int = 0

    def start_subscription(self, provider: Provider, customer: str, coupons: Sequence[str]) -> None:
        """Start the subscription at the provider."""
        trial_end = int((clock.billing_now() + timedelta(days=self.trial_days)).timestamp())
        trial = {"trial_end": trial_end} if self.trial_days else {}
        contract = {"billing_cycles": self.contract_bills, "contract_term": {"action_at_term_end": "evergreen"}}
        more = {**trial, **(contract if self.contract_bills else {})}
        provider.subscribe(customer, self.plan, unit=self.unit, coupon_ids=list(coupons), **more)


def reset_site(provider: Provider, genesis: datetime, site: Mapping[str, str | float] | None = None) -> None:
    """Reset the site, set what its merchant has chosen, and create plans, bundle rates, codes and the free month."""
    provider.sandbox.start_afresh(genesis)
    if site:
        provider.sandbox.configure_site(**site)
    provider.open_shop()
    sell_codes(provider)
    for size, percentage in RATES.items():
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
    provider.follow_clock()


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
        bodies = self._hot_read_bodies()
        reconcile.read_feed(now=clock.billing_now())
        assert self._hot_read_bodies() == bodies, "a read shows later what it did not show at once"
        assert [str(difference) for difference in reconcile.find_differences()] == []
        self._assert_one_per_service()
        assert self._totals_on_screen() == self._totals_at_provider()
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

    def live_fingerprints(self) -> dict[str, Any]:
        """Return what an undo must restore, of each live subscription at the provider."""
        listed = self.provider.sdk.Subscription.list({"customer_id": {"is": NAME}, "limit": 100})
        raws = [entry.subscription.raw_data for entry in listed.list]
        return {raw["id"]: undo_fingerprint(raw) for raw in raws if raw["status"] != "cancelled"}

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

    def _expect_charge(self, cents: int) -> _ExpectedCharge:
        return _ExpectedCharge(self.provider, self.account, cents)

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
        assert _shown_totals(shown) == self._totals_on_screen()

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

    def _hot_read_bodies(self) -> dict[str, Any]:
        return {kind: json.loads(documents.read_document(self.account, kind)) for kind in AccountDocument.Kind.values}

    def _totals_on_screen(self) -> Totals:
        return _totals_by_period(json.loads(documents.read_document(self.account, AccountDocument.Kind.PLANS)))

    def _amount_due(self) -> int:
        return sum(total for total, _, _ in self._totals_on_screen().values())

    def _assert_shown(self, figures: Mapping[str, Any]) -> None:
        """Assert that the screen shows the totals of the preview."""
        shown = {unit: sums for unit, sums in _shown_totals(figures).items() if sums[0]}
        assert {unit: sums for unit, sums in self._totals_on_screen().items() if sums[0]} == shown

    def _totals_at_provider(self) -> Totals:
        sums: dict[str, list[tuple[int, int, int]]] = {}
        for holding in self.list_holdings():
            if holding.will_bill:
                bill = self._estimate_bill(holding, ignore_scheduled_changes=True)
                sums.setdefault(holding.terms.period_unit, []).append(bill)
        own = self._hot_read_bodies()[AccountDocument.Kind.PLANS]["periodUnit"]
        sums.setdefault(own, [])
        return {unit: _sum_totals(bills) for unit, bills in sums.items()}

    def _estimate_bill(self, holding: Holding, *, ignore_scheduled_changes: bool) -> tuple[int, int, int]:
        options = {"ignore_scheduled_changes": ignore_scheduled_changes, "use_existing_balances": False}
        answer = self.provider.sdk.Estimate.renewal_estimate(holding.subscription.provider_id, options)
        invoice = answer.estimate.raw_data["invoice_estimate"]
        discounts = invoice.get("discounts") or []
        bundle = sum(discount["amount"] for discount in discounts if discount["entity_type"] == "item_level_coupon")
        return invoice["total"], bundle, sum(discount["amount"] for discount in discounts) - bundle

    def _assert_scheduled_as_shown(self) -> None:
        """Assert that scheduled changes are shown as the provider will bill them."""
        with suppress(BillingError):
            shown = billing_period.preview_switch(
                self.account, direction="downgrade", plan_ids=None, now=clock.billing_now()
            )
            if all(switch.is_scheduled for switch in shown.switches):
                changed = {switch.subscription_id for switch in shown.switches}
                sums: dict[str, list[tuple[int, int, int]]] = {}
                for holding in self.list_holdings():
                    if holding.will_bill:
                        unit = holding.terms.period_unit
                        unit = "month" if holding.subscription.provider_id in changed else unit
                        sums.setdefault(unit, []).append(self._estimate_bill(holding, ignore_scheduled_changes=False))
                assert {unit: _sum_totals(bills) for unit, bills in sums.items()} == _shown_totals(shown.body)

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
        expected = self._expected_bills()
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

    def _expected_bills(self) -> dict[str, tuple[datetime, int]]:
        """Return the time and the total of each next bill as shown, by subscription."""
        return {
            holding.subscription.provider_id: (holding.next_billing_at, self._shown_bill(holding))
            for holding in self.list_holdings()
            if holding.next_billing_at is not None
        }

    def _shown_bill(self, holding: Holding) -> int:
        """Return the next bill as shown, or its estimate if a change is scheduled."""
        if holding.changing_to is None:
            return holding.price.total
        return self._estimate_bill(holding, ignore_scheduled_changes=False)[0]

    def _assert_billed_as_shown(self, invoices: Sequence[Any], expected: Mapping[str, tuple[datetime, int]]) -> None:
        for invoice in invoices:
            shown = [
                cents
                for identifier in billed_ids(invoice.raw_data)
                for at, cents in [expected.get(identifier, (None, 0))]
                if at is not None and timedelta() <= at - datetime.fromtimestamp(invoice.date, UTC) < timedelta(days=1)
            ]
            if shown:
                assert invoice.total == sum(shown), f"{invoice.id} bills otherwise than shown"
                self._assert_bundle_counts(invoice)

    def _assert_bundle_counts(self, invoice: Any) -> None:
        """Assert that the bundle rate of a bill counts the subscriptions that are live just after it."""
        listed = self.provider.sdk.Subscription.list({"customer_id": {"is": NAME}, "limit": 100})
        raws = [entry.subscription.raw_data for entry in listed.list]
        live = [raw for raw in raws if _is_live_after(raw, int(invoice.date))]
        percent = RATES.get(len(live), 0)
        owed = sum((line.amount * percent + 50) // 100 for line in invoice.line_items)
        taken = sum(
            discount.amount for discount in invoice.discounts or [] if str(discount.entity_type) == "item_level_coupon"
        )
        assert taken == owed, f"{len(live)} live, {taken} taken off"


class _ExpectedCharge:
    """Asserts that its block charges this amount; at most this if partial, and nothing if refused."""

    def __init__(self, provider: Provider, account: Account, cents: int) -> None:
        self.provider, self.account, self.cents = provider, account, cents

    def __enter__(self) -> None:
        self.before = {invoice.id for invoice in self.provider.invoices(self.account)}

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        fresh = [invoice for invoice in self.provider.invoices(self.account) if invoice.id not in self.before]
        charged = sum(invoice.amount_paid + invoice.amount_due for invoice in fresh)
        if kind is BillingPartial:
            assert charged <= self.cents
            return
        assert charged == (0 if kind else self.cents), f"{charged} charged, {self.cents} shown"


def _is_unscheduled(holding: Holding) -> bool:
    unscheduled = not holding.has_scheduled_pause and not holding.subscription.has_scheduled_changes
    return unscheduled and holding.status in ("ACTIVE", "IN_TRIAL")


def _shown_totals(figures: Mapping[str, Any]) -> Totals:
    """Return the totals of a preview by period."""
    return {
        totals["period_unit"]: (totals["total"], totals["bundle_savings"], totals["coupon_discount"])
        for totals in (figures["own"], *figures["others"])
        if totals is not None
    }


def _totals_by_period(document: Mapping[str, Any]) -> Totals:
    """Return the totals of a document by period."""
    return {
        totals["periodUnit"]: (totals["total"], totals["bundleSavings"], totals["couponDiscount"])
        for totals in (document, document["otherTotal"])
        if totals is not None
    }


def _sum_totals(bills: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    return (sum(bill[0] for bill in bills), sum(bill[1] for bill in bills), sum(bill[2] for bill in bills))


def _is_live_after(raw: Mapping[str, Any], instant: int) -> bool:
    just_after = instant + int(JUST_AFTER.total_seconds())
    return int(raw["created_at"]) <= instant and just_after < int(raw.get("cancelled_at", NEVER_SECONDS))
