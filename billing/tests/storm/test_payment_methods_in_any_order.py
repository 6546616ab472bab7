"""Random changes of payment methods: one default, each bill paid once, and the mirror equals the provider."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from billing import clock
from billing.errors import BillingPartial, PaymentProcessingFailed
from billing.mirror import account_import, reconcile
from billing.models import Command
from billing.payment_methods.changes import MethodChangeResult, PaymentMethodInUse
from billing.queries.payments.payment_methods import wallet_of
from billing.tests.storm.sequence_search import SequenceMachine, search_sequences
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, VISA_CARD, Provider
from billing.tests.support.subscriber_wallet import MASTERCARD, SubscriberWallet

pytestmark = pytest.mark.django_db

REFUSED_WHEN_ADDED = "4119862760338320"

numbers = st.sampled_from([VISA_CARD, MASTERCARD, DECLINING_CARD, DECLINING_CARD, REFUSED_WHEN_ADDED])
# Indexes of payment methods, oldest first; too high an index means the newest.
places = st.integers(0, 3)


class PaymentMethodsMachine(SequenceMachine):
    """Random changes of the payment methods of a subscriber with two plans or none."""

    @initialize(plans=st.sampled_from([(FAITH, GOSPEL), (FAITH, GOSPEL), ()]))
    def begin(self, plans: tuple[str, ...]) -> None:
        self.provider.sandbox.start_afresh()
        self.provider.open_shop()
        self.wallet = SubscriberWallet(self.provider, self.provider.subscriber("ava", *plans))
        self.plans, self.count = plans, 1
        # The new sources of partial updates, oldest first, each after the source that it replaces; and the sources to
        # which an operator tied plans.
        self.partial_updates: list[tuple[str, str]] = []
        self.tied: dict[str, str | None] = {}

    @rule(number=numbers)
    def add(self, number: str) -> None:
        due, token = self.wallet.amount_due(), self.wallet.authorize_card(number)
        twins = [source for _, source in self.partial_updates if self._last_digits(source) == number[-4:]]
        try:
            outcome = self.wallet.add_card(token)
        except PaymentProcessingFailed:
            assert number == REFUSED_WHEN_ADDED
        else:
            assert not twins or outcome.source_id == twins[0]
            self.count += 1 - len(twins)
            self._assert_collected(outcome, due)
            self._settle_outcome(outcome.source_id, gone=twins[1:])

    @rule(place=places, number=numbers)
    def replace(self, place: int, number: str) -> None:
        source, due = self._source_at(place), self.wallet.amount_due()
        if source is None:
            return
        was_default, token = source == self.wallet.source_in_role(), self.wallet.authorize_card(number)
        replaced = [source, *self._replacements_of(source)]
        try:
            outcome = self.wallet.replace_card(source, token)
        except PaymentProcessingFailed:
            assert number == REFUSED_WHEN_ADDED
            assert source in self.wallet.provider_sources()
        else:
            assert not self.wallet.provider_sources().keys() & set(replaced)
            assert not was_default or self.wallet.source_in_role() == outcome.source_id
            self.count -= len(replaced) - 1
            self._assert_collected(outcome, due)
            self._settle_outcome(None, gone=replaced, heir=outcome.source_id)

    @rule(place=places, number=st.sampled_from([VISA_CARD, DECLINING_CARD]))
    def replace_in_part(self, place: int, number: str) -> None:
        source = self._source_at(place)
        if source is None:
            return
        before, replaced = set(self.wallet.provider_sources()), {source, *self._replacements_of(source)}
        self.provider.sandbox.refuse_requests("/payment_sources/*/delete")
        with pytest.raises(BillingPartial):
            self.wallet.replace_card(source, self.wallet.authorize_card(number))
        [new_source] = set(self.wallet.provider_sources()) - before
        self.count += 1
        self.partial_updates.append((source, new_source))
        self._move_tied_plans(replaced, new_source)

    @rule(place=places, plan=st.sampled_from([FAITH, GOSPEL]))
    def tie_subscription(self, place: int, plan: str) -> None:
        source = self._source_at(place)
        if source is None or plan not in self.plans:
            return
        subscription = self.provider.subscription(self.wallet.account, plan).id
        profile = {"payment_source_id": source}
        self.provider.sdk.Subscription.override_billing_profile(subscription, profile)
        account_import.resync_account(self.wallet.account)
        self.tied[plan] = source

    @rule(place=places)
    def make_default(self, place: int) -> None:
        source, due = self._source_at(place), self.wallet.amount_due()
        if source is not None:
            was_other = source != self.wallet.source_in_role()
            outcome = self.wallet.make_default(source)
            assert self.wallet.source_in_role() == source
            self._assert_collected(outcome, due)
            self._settle_outcome(source if was_other or due else None)

    @rule(place=places)
    def remove(self, place: int) -> None:
        source = self._source_at(place)
        if source is None:
            return
        try:
            self.wallet.remove_source(source)
        except PaymentMethodInUse:
            assert self.plans
            assert source == self.wallet.source_in_role()
        else:
            self.count -= 1
            self._settle_outcome(None, gone=[source])

    @rule(days=st.sampled_from([1, 2, 31]))
    def let_days_pass(self, days: int) -> None:
        self.wallet.let_bills_fall_due(days=days)

    @invariant()
    def everything_holds(self) -> None:
        held = self.wallet.provider_sources()
        assert len(held) == self.count
        assert (self.wallet.source_in_role() in held) == bool(held)
        self._assert_paid_once()
        subscriptions = {plan: self.provider.subscription(self.wallet.account, plan) for plan in self.plans}
        tied = {plan: subscription.payment_source_id for plan, subscription in subscriptions.items()}
        assert tied == {plan: self.tied.get(plan) for plan in self.plans}
        shown = wallet_of(self.wallet.account)
        assert {source.provider_id for source in shown.sources} == set(held)
        assert shown.primary_id == (self.wallet.source_in_role() or "")
        reconcile.read_feed(now=clock.billing_now())
        assert [str(difference) for difference in reconcile.find_differences()] == []
        assert not Command.objects.filter(state__in=Command.OPEN).exists()

    def _source_at(self, place: int) -> str | None:
        sources = wallet_of(self.wallet.account).sources
        return sources[min(place, len(sources) - 1)].provider_id if sources else None

    def _last_digits(self, source: str) -> str:
        return str(self.wallet.provider_sources()[source]["card"]["last4"])

    def _replacements_of(self, source: str) -> list[str]:
        return [new_source for replaced, new_source in self.partial_updates if replaced == source]

    def _settle_outcome(self, chosen: str | None, *, gone: Iterable[str] = (), heir: str | None = None) -> None:
        """Forget the partial updates of a chosen source and of removed ones, and move their tied plans."""
        settled = {chosen, *gone}
        self.partial_updates = [pair for pair in self.partial_updates if pair[1] not in settled]
        self._move_tied_plans(gone, heir)

    def _move_tied_plans(self, replaced: Iterable[str], heir: str | None) -> None:
        self.tied.update({plan: heir for plan, source in self.tied.items() if source in set(replaced)})

    def _assert_collected(self, outcome: MethodChangeResult, due: int) -> None:
        """Assert that the card paid all that was due and is the default, or paid nothing."""
        card = self.wallet.provider_sources()[str(outcome.source_id)]["card"]
        assert outcome.collected_cents == (0 if card["last4"] == DECLINING_CARD[-4:] else due)
        assert self.wallet.amount_due() == due - outcome.collected_cents
        assert not outcome.collected_cents or self.wallet.source_in_role() == outcome.source_id

    def _assert_paid_once(self) -> None:
        """Assert that each bill was charged in full at most once, and is otherwise due."""
        charged = Counter[str]()
        for invoice, cents in self.wallet.paid_charges():
            charged[invoice] += cents
        bills = self.provider.invoices(self.wallet.account)
        assert {bill.id: bill.total - charged[bill.id] for bill in bills} == {
            bill.id: bill.amount_due for bill in bills
        }
        assert sum(bill.amount_due for bill in bills) == self.wallet.amount_due()
        assert len(self.wallet.paid_charges()) == sum(not bill.amount_due for bill in bills)


def test_any_sequence_pays_bills_once_and_keeps_the_mirror_equal(provider: Provider) -> None:
    search_sequences(PaymentMethodsMachine, provider, sequences=3, steps=10)
