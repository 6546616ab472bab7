"""One subscriber's life at a live provider, one event at a time, with all that must hold after each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from accounts.models import Account, SiteSettings
from billing import clock
from billing.errors import BillingError, BillingPartial, PaymentProcessingFailed
from billing.gateway.errors import Refused
from billing.models import AccountDocument, BundleRate, CancellationFeedback, Command
from billing.queries.holdings import Holding
from billing.queries.owned import live_holdings
from billing.services import (
    add_remove,
    alignment,
    cancelling,
    codes,
    documents,
    jobs,
    offers,
    pauses,
    periods,
    reconcile,
    resumes,
    sync,
    undo,
)
from billing.services.figures import Figures
from billing.survey import Survey
from billing.tests.live import DECLINES, VISA, Provider, fingerprint
from billing.tests.perks import FREE_MONTH, sell_codes
from conftest import GENESIS
from portal.errors import PortalError

NAME = "ava"
# size of the bundle -> what its coupon takes off
RATES = {2: 10, 3: 15}
NEVER_SECONDS = 10**12

Totals = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class Start:
    """A plan that the subscriber begins with; `trial_days` 0 for none."""

    plan: str
    unit: str = "Monthly"
    trial_days: int = 0


def open_site(provider: Provider, genesis: datetime) -> None:
    """Begin afresh with everything on sale: plans, bundles, codes and a free month."""
    provider.sandbox.start_afresh(genesis)
    provider.open_shop()
    sell_codes(provider)
    for size, percentage in RATES.items():
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
    provider.follow_clock()


def next_happening(holdings: Iterable[Holding]) -> datetime | None:
    """Return when the next thing happens by itself to any of these that the portal knows of."""
    instants = [
        instant
        for one in holdings
        for instant in (
            one.subscription.next_billing_at,
            one.subscription.trial_end,
            one.subscription.current_term_end,
            one.cancel_at,
            one.pause_date,
            one.resume_date,
        )
        if instant is not None and instant > clock.now()
    ]
    return min(instants, default=None)


@dataclass
class Life:
    """An account and its provider. Every method is an event; `check` says whether all is as it must be.

    `stale` says that somebody changed something at the provider and the portal has not heard of it.
    """

    provider: Provider
    starts: Sequence[Start]
    genesis: datetime = GENESIS
    account: Account = field(init=False)
    stale: bool = False
    declining: bool = False
    intents: int = 0

    def __post_init__(self) -> None:
        open_site(self.provider, self.genesis)
        self.account = self.provider.subscriber(NAME)
        coupons = [f"BUNDLE-{len(self.starts)}"] if len(self.starts) in RATES else []
        for start in self.starts:
            trial = {"trial_end": self._in(days=start.trial_days)} if start.trial_days else {}
            self.provider.subscribe(NAME, start.plan, unit=start.unit, coupon_ids=coupons, **trial)
        sync.resync_account(self.account)

    # --- What the subscriber does ---------------------------------------------------------------------------------

    def want(self, plans: Collection[str]) -> None:
        """Want exactly these plans from now on."""

        def change() -> None:
            shown = add_remove.preview(self.account, plan_ids=sorted(plans), now=clock.now())
            with self._charges(shown.figures.due_now):
                add_remove.change(
                    self.account, plan_ids=sorted(plans), quote=shown.figures.quote, **self._intent()
                )
            self._assert_shown(shown.figures)

        self._attempt(change)

    def switch(self, direction: str, plans: Collection[str] | None) -> None:
        """Upgrade or downgrade these plans, or all that can be."""

        def change() -> None:
            ask = {"direction": direction, "plan_ids": None if plans is None else sorted(plans)}
            shown = periods.preview(self.account, now=clock.now(), **ask)  # type: ignore[arg-type]
            with self._charges(shown.figures.due_now):
                periods.switch(self.account, quote=shown.figures.quote, **ask, **self._intent())  # type: ignore[arg-type]
            if all(one.at_once for one in shown.switches):
                self._assert_shown(shown.figures)

        self._attempt(change)

    def redeem(self, code: str) -> None:
        """Redeem a code, or claim the free month."""
        self._attempt(self._claim_free_month if code == FREE_MONTH else lambda: self._redeem(code))

    def pause(self, plans: Collection[str] | None) -> None:
        """Pause these plans, or all that can be."""
        self._attempt(lambda: self._pause(None if plans is None else self._ids(plans)))

    def cancel(self, plans: Collection[str] | None) -> None:
        """Cancel these plans, or all that go on; nothing is charged, and what is said with it is kept."""

        def change() -> None:
            said = CancellationFeedback.objects.count()
            try:
                with self._charges(0):
                    self._cancel(None if plans is None else self._ids(plans))
            finally:
                assert CancellationFeedback.objects.count() == said + 1

        self._attempt(change)

    def resume(self) -> None:
        """Resume all that is paused, as estimated."""

        def change() -> None:
            shown = resumes.estimate(self.account, subscription_ids=None, days=None, now=clock.now())
            with self._charges(shown.amount_due):
                resumes.resume(self.account, subscription_ids=None, quote=shown.quote, **self._intent())

        self._attempt(change)

    def take_back(self, what: str) -> None:
        """Take back all scheduled `pauses`, `changes` or `cancellations`."""
        acts = {
            "pauses": self._take_pauses_back,
            "changes": self._undo_changes,
            "cancellations": self._keep_all,
        }
        self._attempt(acts[what])

    # --- Change one's mind ----------------------------------------------------------------------------------------

    def remove_and_keep(self, plan: str) -> None:
        """Remove a service and keep it after all: everything is as it was."""
        before = self.fingerprints()
        others = {one.plan.id for one in self.held() if one.plan.id != plan and one.status != "NON_RENEWING"}
        chosen = self._ids([plan])
        self.want(others)
        self._keep(chosen)
        assert self.fingerprints() == before

    def cancel_and_keep(self, plan: str) -> None:
        """Cancel a service and keep it after all, with what was scheduled for it: everything is as it was."""
        before, chosen = self.fingerprints(), self._ids([plan])
        self._cancel(chosen)
        self._keep(chosen)
        assert self.fingerprints() == before

    def downgrade_and_stay(self, plan: str) -> None:
        """Downgrade and undo it: everything is as it was."""
        before = self.fingerprints()
        self.switch(periods.DOWNGRADE, [plan])
        undo.remove_scheduled_change(self.account, subscription_ids=self._ids([plan]), **self._intent())
        assert self.fingerprints() == before

    def pause_and_stay(self, plan: str) -> None:
        """Pause and take it back: everything is as it was."""
        before = self.fingerprints()
        self._pause(self._ids([plan]))
        self._take_pauses_back(self._ids([plan]))
        assert self.fingerprints() == before

    # --- What others do -------------------------------------------------------------------------------------------

    def operator(self, action: str, plan: str, *, heard: bool) -> None:
        """Let an operator change a subscription at the provider; where it is not `heard`, no event reaches us yet."""
        self.provider.console(self.account, action, plan)
        self.stale = True
        if heard:
            self.hear()

    def change_card(self, *, declines: bool) -> None:
        """Pay from now on by a good card, or by one that declines."""
        self.declining = declines
        self.provider.add_card(NAME, DECLINES if self.declining else VISA)
        self.hear()

    def travel(self, **duration: float) -> None:
        """Let time pass; at each thing that happens on the way the jobs run that are due."""
        destination = clock.now() + timedelta(**duration)
        self.hear()
        while self._hop(destination) < destination:
            pass

    def travel_to_term_end(self) -> None:
        """Let time pass until just after the next thing that happens by itself."""
        self.hear()
        happening = next_happening(self.held())
        if happening is not None:
            self._hop(happening + timedelta(minutes=1))

    def hear(self) -> None:
        """Read what no webhook brought, and do what the workers were told then."""
        reconcile.read_feed(now=clock.now())
        alignment.align_if_possible(self.account, now=clock.now())
        self.stale = False

    # --- What must hold -------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Assert what holds after every event."""
        assert not Command.objects.filter(state__in=Command.OPEN).exists()
        if self.stale:
            return
        assert alignment.needed(self.account) == []
        told = self._documents()
        reconcile.read_feed(now=clock.now())
        assert self._documents() == told, "a read shows later what it did not show at once"
        assert [str(one) for one in reconcile.differences()] == []
        self._assert_one_per_service()
        assert self._totals_on_screen() == self._totals_at_provider()
        self._assert_scheduled_as_shown()

    def held(self) -> list[Holding]:
        """Return what the portal says is held."""
        return live_holdings(self.account)

    def can_be_removed(self) -> list[str]:
        """Return the plans with nothing scheduled that may be removed because another one stays."""
        staying = [one for one in self.held() if one.status != "NON_RENEWING"]
        return [one.plan.id for one in staying if len(staying) > 1 and _is_plain(one)]

    def can_be_cancelled_and_kept(self) -> list[str]:
        """Return the plans that a cancellation would not end at once."""
        return [one.plan.id for one in self.held() if one.status in ("ACTIVE", "IN_TRIAL")]

    def can_be_downgraded(self) -> list[str]:
        """Return the yearly plans whose downgrade would wait for the term's end."""
        held = [one for one in self.held() if one.subscription.period_unit == "year"]
        return [one.plan.id for one in held if one.status == "ACTIVE" and _is_plain(one)]

    def can_be_paused(self) -> list[str]:
        """Return the plans that can be paused."""
        return [one.plan.id for one in self.held() if one.can_be_paused]

    def fingerprints(self) -> dict[str, Any]:
        """Return what an undo must restore, of every live subscription, as the provider holds it."""
        listed = self.provider.sdk.Subscription.list({"customer_id": {"is": NAME}, "limit": 100})
        raws = [entry.subscription.raw_data for entry in listed.list]
        return {raw["id"]: fingerprint(raw) for raw in raws if raw["status"] != "cancelled"}

    # --- Within ---------------------------------------------------------------------------------------------------

    def _attempt(self, change: Callable[[], None]) -> None:
        """Try a change. A refusal must have a reason that the portal knew, and have left everything as it was."""
        stale, before = self.stale, self.fingerprints()
        try:
            change()
        except PortalError as error:
            if not stale:
                self._assert_well_refused(error, before)
            self.hear()
        if stale:
            self.hear()

    def _assert_well_refused(self, error: PortalError, before: Mapping[str, Any]) -> None:
        if error.code == BillingPartial.code:
            # Where the second of two is declined the first is done, and the subscriber is told so (contract, rule 2).
            assert self.declining
            return
        assert self.fingerprints() == before
        if error.code == PaymentProcessingFailed.code:
            assert self.declining
            return
        cause = error.__cause__
        assert not isinstance(cause, Refused), f"the provider refused what the portal offered: {cause}"

    def _intent(self) -> dict[str, Any]:
        self.intents += 1
        return {"key": f"intent-{self.intents}", "actor": "you", "now": clock.now()}

    def _charges(self, cents: int) -> _Charged:
        return _Charged(self.provider, self.account, cents)

    def _pause(self, ids: Sequence[str] | None) -> None:
        pauses.schedule(self.account, subscription_ids=ids, days=30, **self._intent())

    def _cancel(self, ids: Sequence[str] | None) -> None:
        survey = Survey(reason="Too expensive")
        cancelling.cancel(self.account, subscription_ids=ids, survey=survey, **self._intent())

    def _take_pauses_back(self, ids: Sequence[str] | None = None) -> None:
        pauses.remove_scheduled(self.account, subscription_ids=ids, **self._intent())

    def _undo_changes(self) -> None:
        ids = [one.subscription.provider_id for one in self.held() if one.subscription.has_scheduled_changes]
        undo.remove_scheduled_change(self.account, subscription_ids=ids, **self._intent())

    def _keep_all(self) -> None:
        self._keep([one.subscription.provider_id for one in self.held() if one.status == "NON_RENEWING"])

    def _redeem(self, code: str) -> None:
        with self._charges(0):
            shown = codes.redeem(self.account, code=code, quote=None, **self._intent())
        assert _totals_in(shown) == self._totals_on_screen()

    def _claim_free_month(self) -> None:
        offer = offers.estimate(self.account, now=clock.now())
        before = self._to_pay()
        with self._charges(0):
            offers.claim(self.account, quote=offer["quote"], **self._intent())
        assert self._to_pay() == before - offer["amount_saved"]

    def _keep(self, ids: Sequence[str]) -> None:
        undo.remove_scheduled_cancellation(self.account, subscription_ids=ids, **self._intent())

    def _ids(self, plans: Collection[str]) -> list[str]:
        return [one.subscription.provider_id for one in self.held() if one.plan.id in plans]

    def _in(self, **duration: float) -> int:
        return int((clock.now() + timedelta(**duration)).timestamp())

    def _documents(self) -> dict[str, Any]:
        return {kind: json.loads(documents.read(self.account, kind)) for kind in AccountDocument.Kind.values}

    def _totals_on_screen(self) -> Totals:
        return _totals_in(json.loads(documents.read(self.account, AccountDocument.Kind.PLANS)))

    def _to_pay(self) -> int:
        return sum(total for total, _, _ in self._totals_on_screen().values())

    def _assert_shown(self, figures: Figures) -> None:
        """Assert that the screen says now what the preview said it would."""
        both = [figures.own, *([figures.other] if figures.other else [])]
        shown = {
            one.period_unit: (one.total, one.bundle_savings, one.coupon_discount) for one in both if one.total
        }
        assert {unit: sums for unit, sums in self._totals_on_screen().items() if sums[0]} == shown

    def _totals_at_provider(self) -> Totals:
        sums: dict[str, list[tuple[int, int, int]]] = {}
        for one in self.held():
            if one.will_bill:
                bill = self._bill(one, ignore_scheduled_changes=True)
                sums.setdefault(one.subscription.period_unit, []).append(bill)
        own = self._documents()[AccountDocument.Kind.PLANS]["periodUnit"]
        sums.setdefault(own, [])
        return {unit: _added(bills) for unit, bills in sums.items()}

    def _bill(self, holding: Holding, *, ignore_scheduled_changes: bool) -> tuple[int, int, int]:
        options = {"ignore_scheduled_changes": ignore_scheduled_changes, "use_existing_balances": False}
        answer = self.provider.sdk.Estimate.renewal_estimate(holding.subscription.provider_id, options)
        invoice = answer.estimate.raw_data["invoice_estimate"]
        discounts = invoice.get("discounts") or []
        bundle = sum(one["amount"] for one in discounts if one["entity_type"] == "item_level_coupon")
        return invoice["total"], bundle, sum(one["amount"] for one in discounts) - bundle

    def _assert_scheduled_as_shown(self) -> None:
        """Assert that what waits for the term's end is shown as the provider will bill it."""
        with suppress(BillingError):
            shown = periods.preview(self.account, direction="downgrade", plan_ids=None, now=clock.now())
            if all(one.placed for one in shown.switches):
                changed = {one.subscription_id for one in shown.switches}
                sums: dict[str, list[tuple[int, int, int]]] = {}
                for one in self.held():
                    if one.will_bill:
                        unit = one.subscription.period_unit
                        unit = "month" if one.subscription.provider_id in changed else unit
                        sums.setdefault(unit, []).append(self._bill(one, ignore_scheduled_changes=False))
                both = [shown.figures.own, *([shown.figures.other] if shown.figures.other else [])]
                assert {unit: _added(bills) for unit, bills in sums.items()} == {
                    one.period_unit: (one.total, one.bundle_savings, one.coupon_discount) for one in both
                }

    def _assert_one_per_service(self) -> None:
        prices = [raw["price"].rsplit("-", 1)[0] for raw in self.fingerprints().values()]
        assert len(prices) == len(set(prices)), f"two live subscriptions of one service: {prices}"

    # --- Time -----------------------------------------------------------------------------------------------------

    def _hop(self, destination: datetime) -> datetime:
        """Go to the destination, or to the night after the next thing that happens; return where.

        What is due there is run.
        """
        happening = next_happening(self.held())
        stop = destination
        if happening is not None and happening < destination:
            night = jobs.newest_night(happening + timedelta(hours=26))
            stop = min(destination, night + timedelta(minutes=1))
        expected = self._expected()
        paused = {one.subscription.provider_id for one in self.held() if one.is_paused}
        before = {invoice.id for invoice in self.provider.invoices(self.account)}
        self.provider.travel_to(stop)
        fresh = [invoice for invoice in self.provider.invoices(self.account) if invoice.id not in before]
        self._assert_billed_as_shown(fresh, expected)
        assert not [invoice for invoice in fresh if invoice.subscription_id in paused], "billed while paused"
        for job, slot in list(jobs.due(clock.now())):
            run = jobs.run(job.name, slot, now=clock.now())
            assert run is not None
            assert run.error == ""
        self.hear()
        return stop

    def _expected(self) -> dict[tuple[str, int], int]:
        """Return what each next bill will be, by subscription and instant."""
        return {
            (one.subscription.provider_id, int(one.next_billing_at.timestamp())): self._shown_for(one)
            for one in self.held()
            if one.next_billing_at is not None
        }

    def _shown_for(self, holding: Holding) -> int:
        """Return what is shown as the next bill; one that changes with it is shown as `check` has compared it."""
        if holding.changing_to is None:
            return holding.price.total
        return self._bill(holding, ignore_scheduled_changes=False)[0]

    def _assert_billed_as_shown(
        self, invoices: Sequence[Any], expected: Mapping[tuple[str, int], int]
    ) -> None:
        for invoice in invoices:
            shown = expected.get((invoice.subscription_id, int(invoice.date)))
            if shown is not None:
                assert invoice.total == shown, f"{invoice.subscription_id} was billed otherwise than shown"
                self._assert_bundle_counts(invoice)

    def _assert_bundle_counts(self, invoice: Any) -> None:
        """Assert that a bill's rate counts those still live just after it."""
        listed = self.provider.sdk.Subscription.list({"customer_id": {"is": NAME}, "limit": 100})
        raws = [entry.subscription.raw_data for entry in listed.list]
        live = [raw for raw in raws if _is_live_after(raw, int(invoice.date))]
        full = sum(line.amount for line in invoice.line_items)
        taken = sum(
            one.amount for one in invoice.discounts or [] if str(one.entity_type) == "item_level_coupon"
        )
        assert taken == (full * RATES.get(len(live), 0) + 50) // 100, f"{len(live)} live, {taken} of {full}"


class _Charged:
    """Asserts that what is done within charges this; done in part a part of it at most, and refused nothing."""

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


def _is_plain(one: Holding) -> bool:
    free = not one.has_scheduled_pause and not one.subscription.has_scheduled_changes
    return free and one.status in ("ACTIVE", "IN_TRIAL")


def _totals_in(body: Mapping[str, Any]) -> Totals:
    """Return the totals of an answer, with its keys as a preview or as a document names them, by period."""
    own = {
        str(body.get("periodUnit", body.get("period_unit"))): (
            body["total"],
            body.get("bundleSavings", body.get("bundle_savings")),
            body.get("couponDiscount", body.get("coupon_discount")),
        )
    }
    other = body.get("otherTotal", body.get("other_total"))
    return {**own, **(_totals_in(other) if other else {})}


def _added(bills: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    return (sum(one[0] for one in bills), sum(one[1] for one in bills), sum(one[2] for one in bills))


def _is_live_after(raw: Mapping[str, Any], instant: int) -> bool:
    return int(raw["created_at"]) <= instant < int(raw.get("cancelled_at", NEVER_SECONDS))
