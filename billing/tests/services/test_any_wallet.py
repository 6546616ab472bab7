"""Whatever is done to payment methods in whatever order: one default, each bill paid once, the mirror in step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from billing import clock
from billing.errors import BillingPartial, PaymentProcessingFailed
from billing.models import Command
from billing.queries.payment_methods import wallet_of
from billing.services import reconcile, sync
from billing.services.payment_methods import Outcome, PaymentMethodInUse
from billing.tests.live import DECLINES, FAITH, GOSPEL, VISA, Provider
from billing.tests.purse import MASTERCARD, Purse
from billing.tests.search import Sequence, search

pytestmark = pytest.mark.django_db

REFUSED_WHEN_ADDED = "4119862760338320"

numbers = st.sampled_from([VISA, MASTERCARD, DECLINES, DECLINES, REFUSED_WHEN_ADDED])
# Which of those that are held, oldest first; one too many is the newest.
places = st.integers(0, 3)


class AnyWallet(Sequence):
    """A subscriber of two plans, or of none, and what becomes of the payment methods."""

    @initialize(plans=st.sampled_from([(FAITH, GOSPEL), (FAITH, GOSPEL), ()]))
    def begin(self, plans: tuple[str, ...]) -> None:
        self.provider.sandbox.start_afresh()
        self.provider.open_shop()
        self.purse = Purse(self.provider, self.provider.subscriber("ava", *plans))
        self.plans, self.count = plans, 1
        # What changes brought that were done in part, oldest first, with what it was to replace; and which plans an
        # operator tied to which source.
        self.half_way: list[tuple[str, str]] = []
        self.tied: dict[str, str | None] = {}

    @rule(number=numbers)
    def add(self, number: str) -> None:
        due, token = self.purse.due(), self.purse.token(number)
        twins = [one for _, one in self.half_way if self._last4(one) == number[-4:]]
        try:
            outcome = self.purse.add(token)
        except PaymentProcessingFailed:
            assert number == REFUSED_WHEN_ADDED
        else:
            assert not twins or outcome.source_id == twins[0]
            self.count += 1 - len(twins)
            self._assert_collected(outcome, due)
            self._settle(outcome.source_id, gone=twins[1:])

    @rule(place=places, number=numbers)
    def replace(self, place: int, number: str) -> None:
        source, due = self._at(place), self.purse.due()
        if source is None:
            return
        was_default, token = source == self.purse.role(), self.purse.token(number)
        replaced = [source, *self._brought_for(source)]
        try:
            outcome = self.purse.replace(source, token)
        except PaymentProcessingFailed:
            assert number == REFUSED_WHEN_ADDED
            assert source in self.purse.held()
        else:
            assert not self.purse.held().keys() & set(replaced)
            assert not was_default or self.purse.role() == outcome.source_id
            self.count -= len(replaced) - 1
            self._assert_collected(outcome, due)
            self._settle(None, gone=replaced, heir=outcome.source_id)

    @rule(place=places, number=st.sampled_from([VISA, DECLINES]))
    def replace_in_part(self, place: int, number: str) -> None:
        source = self._at(place)
        if source is None:
            return
        before, replaced = set(self.purse.held()), {source, *self._brought_for(source)}
        self.provider.sandbox.refuse("/payment_sources/*/delete")
        with pytest.raises(BillingPartial):
            self.purse.replace(source, self.purse.token(number))
        [brought] = set(self.purse.held()) - before
        self.count += 1
        self.half_way.append((source, brought))
        self._take_over(replaced, brought)

    @rule(place=places, plan=st.sampled_from([FAITH, GOSPEL]))
    def tie(self, place: int, plan: str) -> None:
        source = self._at(place)
        if source is None or plan not in self.plans:
            return
        subscription = self.provider.subscription(self.purse.account, plan).id
        profile = {"payment_source_id": source}
        self.provider.sdk.Subscription.override_billing_profile(subscription, profile)
        sync.resync_account(self.purse.account)
        self.tied[plan] = source

    @rule(place=places)
    def make_default(self, place: int) -> None:
        source, due = self._at(place), self.purse.due()
        if source is not None:
            was_other = source != self.purse.role()
            outcome = self.purse.make_default(source)
            assert self.purse.role() == source
            self._assert_collected(outcome, due)
            self._settle(source if was_other or due else None)

    @rule(place=places)
    def remove(self, place: int) -> None:
        source = self._at(place)
        if source is None:
            return
        try:
            self.purse.remove(source)
        except PaymentMethodInUse:
            assert self.plans
            assert source == self.purse.role()
        else:
            self.count -= 1
            self._settle(None, gone=[source])

    @rule(days=st.sampled_from([1, 2, 31]))
    def let_days_pass(self, days: int) -> None:
        self.purse.fall_due(days=days)

    @invariant()
    def everything_holds(self) -> None:
        held = self.purse.held()
        assert len(held) == self.count
        assert (self.purse.role() in held) == bool(held)
        self._assert_paid_once()
        subscriptions = {plan: self.provider.subscription(self.purse.account, plan) for plan in self.plans}
        tied = {plan: one.payment_source_id for plan, one in subscriptions.items()}
        assert tied == {plan: self.tied.get(plan) for plan in self.plans}
        shown = wallet_of(self.purse.account)
        assert {source.provider_id for source in shown.sources} == set(held)
        assert shown.primary_id == (self.purse.role() or "")
        reconcile.read_feed(now=clock.now())
        assert [str(one) for one in reconcile.differences()] == []
        assert not Command.objects.filter(state__in=Command.OPEN).exists()

    def _at(self, place: int) -> str | None:
        sources = wallet_of(self.purse.account).sources
        return sources[min(place, len(sources) - 1)].provider_id if sources else None

    def _last4(self, source: str) -> str:
        return str(self.purse.held()[source]["card"]["last4"])

    def _brought_for(self, source: str) -> list[str]:
        return [brought for replaced, brought in self.half_way if replaced == source]

    def _settle(self, chosen: str | None, *, gone: Iterable[str] = (), heir: str | None = None) -> None:
        """Note that a source was chosen, and that others are gone: nothing of them is half way any more."""
        over = {chosen, *gone}
        self.half_way = [one for one in self.half_way if one[1] not in over]
        self._take_over(gone, heir)

    def _take_over(self, replaced: Iterable[str], heir: str | None) -> None:
        self.tied.update({plan: heir for plan, source in self.tied.items() if source in set(replaced)})

    def _assert_collected(self, outcome: Outcome, due: int) -> None:
        """Assert that the card that was named paid all that was due, and pays from now on, or paid nothing."""
        card = self.purse.held()[str(outcome.source_id)]["card"]
        assert outcome.collected == (0 if card["last4"] == DECLINES[-4:] else due)
        assert self.purse.due() == due - outcome.collected
        assert not outcome.collected or self.purse.role() == outcome.source_id

    def _assert_paid_once(self) -> None:
        """Assert that each bill was charged in full at most once, and that what is due is what was not charged."""
        charged = Counter[str]()
        for invoice, cents in self.purse.charges():
            charged[invoice] += cents
        bills = self.provider.invoices(self.purse.account)
        assert {bill.id: bill.total - charged[bill.id] for bill in bills} == {
            bill.id: bill.amount_due for bill in bills
        }
        assert sum(bill.amount_due for bill in bills) == self.purse.due()
        assert len(self.purse.charges()) == sum(not bill.amount_due for bill in bills)


def test_payment_methods_are_kept_in_step_and_bills_paid_once_whatever_is_done(provider: Provider) -> None:
    search(AnyWallet, provider, sequences=3, steps=10)
