"""Whatever is done to a subscription, in any order: estimates are what is charged, and no cent appears or is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.sandbox.tests.caller import Caller
from billing.sandbox.tests.shop import DECLINES, GOOD

GENESIS, DAY = 1_773_144_000, 86_400
PRICES = ("faith-month", "faith-year", "gospel-month", "gospel-year")
COUPONS = ("TEN", "HALF-ONCE", "FIVE-A-WHILE", "ANNUAL")
BOUNDS = settings(
    max_examples=18,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

changes = st.fixed_dictionaries(
    {"subscription_items": st.sampled_from(PRICES).map(lambda price: [{"item_price_id": price}])},
    optional={
        "change_option": st.sampled_from(("immediately", "end_of_term")),
        "coupon_ids": st.sampled_from(COUPONS).map(lambda coupon: [coupon]),
        "replace_coupon_list": st.booleans(),
        "prorate": st.booleans(),
        "force_term_reset": st.booleans(),
        "reactivate": st.booleans(),
    },
)
coupon_changes = st.fixed_dictionaries(
    {"coupon_ids": st.sampled_from(COUPONS).map(lambda coupon: [coupon])},
    optional={"replace_coupon_list": st.booleans()},
)
ends = st.fixed_dictionaries(
    {"cancel_option": st.sampled_from(("immediately", "end_of_term"))},
    optional={"credit_option_for_current_term_charges": st.sampled_from(("none", "prorate", "full"))},
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("change"), changes),
        st.tuples(st.just("change"), coupon_changes),
        st.tuples(st.just("cancel"), ends),
        st.tuples(st.just("travel"), st.integers(1, 45)),
        st.tuples(st.just("renew"), st.none()),
        st.tuples(st.just("give"), st.integers(1, 3000)),
        st.tuples(
            st.just("post"),
            st.sampled_from(
                (
                    "remove_scheduled_changes",
                    "remove_scheduled_cancellation",
                    "remove_coupons",
                    "pause",
                    "resume",
                )
            ),
        ),
    ),
    min_size=3,
    max_size=12,
)

# What may be refused: nothing is compared, only the books are kept.
unpaid_steps = st.lists(
    st.one_of(
        st.tuples(st.just("card"), st.sampled_from((GOOD, DECLINES))),
        st.tuples(st.just("pay_a_part"), st.integers(1, 400)),
        st.tuples(st.just("update_for_items"), changes),
        st.tuples(st.just("cancel_for_items"), ends),
        st.tuples(st.just("travel"), st.integers(1, 45)),
        st.tuples(st.just("give"), st.integers(1, 3000)),
    ),
    min_size=3,
    max_size=14,
)


@dataclass(frozen=True)
class Outcome:
    """What an estimate or the operation itself came to: an error code, or cents charged and given back, and when."""

    error: str
    charged: tuple[int, ...]
    given: int
    at: int


@dataclass
class Life:
    """Ava's one subscription, over plain HTTP."""

    caller: Caller

    @classmethod
    def begun(cls, http: httpx.Client, price: str, *, trial_days: int) -> Life:
        """A site afresh with two plans and four coupons, and a subscription to one."""
        caller = Caller(http)
        caller.call("time_machine.start_afresh", "delorean", genesis_time=GENESIS)
        _open(caller)
        trial_end = (GENESIS + trial_days * DAY) * bool(trial_days)
        item = [{"item_price_id": price}]
        caller.call(
            "subscription.create_with_items", "ava", id="one", subscription_items=item, trial_end=trial_end
        )
        return cls(caller)

    def change(self, asked: dict[str, Any]) -> None:
        """Estimate a change and make it: both come to the same."""
        details = {"subscription": {"id": "one"}}
        estimated = self._outcome("estimate.update_subscription_for_items", "", {**details, **asked})
        made = self._outcome("subscription.update_for_items", "one", asked)
        assert_same(estimated, made)

    def cancel(self, asked: dict[str, Any]) -> None:
        """Estimate an end and bring it about: both come to the same."""
        estimated = self._outcome("estimate.cancel_subscription_for_items", "one", asked)
        assert_same(estimated, self._outcome("subscription.cancel_for_items", "one", asked))

    def travel(self, days: int) -> None:
        """Let days go by."""
        machine = self.caller.call("time_machine.retrieve", "delorean")["time_machine"]
        self._travel(machine["destination_time"] + days * DAY)

    def renew(self, _nothing: None) -> None:
        """Estimate the renewal, if there is one, and live through it: both come to the same."""
        answer = self.caller.send("estimate.renewal_estimate", "one").json()
        for expected in [answer["estimate"]["invoice_estimate"]] if "estimate" in answer else []:
            body = self.caller.call("subscription.retrieve", "one")["subscription"]
            boundary = body["current_term_end"]
            self._travel(boundary + 60)
            self._check_renewal(expected, boundary, pauses="pause_date" in body)

    def give(self, cents: int) -> None:
        """Add promotional credits."""
        self.caller.call("promotional_credit.add", customer_id="ava", amount=cents, description="thanks")

    def post(self, operation: str, asked: dict[str, Any] | None = None) -> None:
        """Do something, or be refused."""
        response = self.caller.send(f"subscription.{operation}", "one", asked)
        assert response.status_code in (200, 400, 404, 409)

    def update_for_items(self, asked: dict[str, Any]) -> None:
        """Make a change, which may be declined."""
        self.post("update_for_items", asked)

    def cancel_for_items(self, asked: dict[str, Any]) -> None:
        """End it, unless it has ended."""
        self.post("cancel_for_items", asked)

    def card(self, number: str) -> None:
        """Pay with another card from now on."""
        _add_card(self.caller, number)

    def pay_a_part(self, cents: int) -> None:
        """Pay something of the oldest invoice that is due, if one is and as far as the card allows."""
        due = self.caller.pages("invoice.list", status={"is": "payment_due"}, sort_by={"asc": "date"})
        for entry in due[:1]:
            amount = min(cents, entry["invoice"]["amount_due"])
            self.caller.send("invoice.collect_payment", entry["invoice"]["id"], {"amount": amount})

    def check_the_books(self) -> None:
        """Every cent that was invoiced or credited is somewhere, and nothing is below zero."""
        customer = self.caller.call("customer.retrieve", "ava")["customer"]
        invoices = [entry["invoice"] for entry in self.caller.pages("invoice.list")]
        notes = [entry["credit_note"] for entry in self.caller.pages("credit_note.list")]
        entries = [entry["promotional_credit"] for entry in self.caller.pages("promotional_credit.list")]
        for invoice in invoices:
            settled = ("amount_paid", "credits_applied", "amount_adjusted", "amount_due")
            assert invoice["total"] == sum(invoice[name] for name in settled)
            assert min(invoice["total"], *(invoice[name] for name in settled)) >= 0
        for note in notes:
            assert note["total"] == note["amount_allocated"] + note["amount_available"] > 0
            assert note["amount_allocated"] == sum(one["allocated_amount"] for one in note["allocations"])
        refundable = [note for note in notes if note["type"] == "refundable"]
        assert customer["refundable_credits"] == sum(note["amount_available"] for note in refundable)
        applied = sum(note["amount_allocated"] for note in refundable)
        assert applied == sum(invoice["credits_applied"] for invoice in invoices)
        spent = sum(_promotional(invoice) for invoice in invoices)
        assert customer["promotional_credits"] == _given(entries) - spent >= 0

    def _outcome(self, name: str, handle: str, asked: dict[str, Any]) -> Outcome:
        answer = self.caller.send(name, handle, asked).json()
        body = answer.get("estimate", answer)
        invoice = body.get("invoice_estimate") or body.get("invoice")
        notes = body.get("credit_note_estimates", []) + body.get("credit_notes", [])
        now = body.get("created_at") or answer.get("subscription", {}).get("updated_at", 0)
        return Outcome(
            error=answer.get("api_error_code", ""),
            charged=() if invoice is None else (invoice["total"], _payable(invoice), _promotional(invoice)),
            given=sum(note["total"] for note in notes),
            at=now,
        )

    def _check_renewal(self, expected: dict[str, Any], boundary: int, *, pauses: bool) -> None:
        made = [entry["invoice"] for entry in self.caller.pages("invoice.list")]
        charged = [invoice for invoice in made if invoice["date"] == boundary]
        wanted = [] if pauses else [(expected["total"], expected["amount_due"], expected["credits_applied"])]
        found = [
            (one["total"], one["amount_paid"] + one["amount_due"], one["credits_applied"]) for one in charged
        ]
        assert found == wanted

    def _travel(self, instant: int) -> None:
        self.caller.call("time_machine.travel_forward", "delorean", destination_time=instant)
        while self._under_way():
            pass

    def _under_way(self) -> bool:
        machine = self.caller.call("time_machine.retrieve", "delorean")["time_machine"]
        return bool(machine["time_travel_status"] == "in_progress")


def assert_same(estimated: Outcome, made: Outcome) -> None:
    """One outcome, but for the clock: a second between the two may move each amount by a cent."""
    seconds = max(made.at - estimated.at, 0) * (not made.error)
    assert (estimated.error, len(estimated.charged)) == (made.error, len(made.charged))
    for one, other in zip((*estimated.charged, estimated.given), (*made.charged, made.given), strict=True):
        assert abs(one - other) <= seconds


def _payable(invoice: dict[str, Any]) -> int:
    return int(invoice["amount_paid"] + invoice["amount_due"])


def _promotional(invoice: dict[str, Any]) -> int:
    return sum(
        one["amount"] for one in invoice.get("discounts", []) if one["entity_type"] == "promotional_credits"
    )


def _given(entries: list[dict[str, Any]]) -> int:
    return sum(entry["amount"] for entry in entries if entry["type"] == "increment")


def _open(caller: Caller) -> None:
    caller.call("item_family.create", id="streaming", name="Streaming")
    for item, monthly, yearly in (("faith", 699, 6999), ("gospel", 799, 7999)):
        caller.call("item.create", id=item, name=item, type="plan", item_family_id="streaming")
        for unit, cents in (("month", monthly), ("year", yearly)):
            sold = {"id": f"{item}-{unit}", "name": item, "item_id": item, "price": cents}
            caller.call("item_price.create", period=1, period_unit=unit, **sold)
    for coupon in _coupons():
        caller.call("coupon.create_for_items", **coupon)
    caller.call("customer.create", id="ava")
    _add_card(caller, GOOD)


def _add_card(caller: Caller, number: str) -> None:
    card = {"number": number, "expiry_month": 12, "expiry_year": 2034}
    primary = {"replace_primary_payment_source": True}
    caller.call("payment_source.create_card", customer_id="ava", card=card, **primary)


def _coupons() -> Iterator[dict[str, Any]]:
    percentage = {"discount_type": "percentage", "apply_on": "invoice_amount"}
    item_level = {**percentage, "apply_on": "each_specified_item", "duration_type": "forever"}
    yield {"id": "TEN", "name": "Ten", "discount_percentage": 10, **item_level}
    yield {
        "id": "HALF-ONCE",
        "name": "Half",
        "discount_percentage": 50,
        "duration_type": "one_time",
        **percentage,
    }
    fixed = {"discount_type": "fixed_amount", "discount_amount": 500, "apply_on": "invoice_amount"}
    while_ = {"duration_type": "limited_period", "period": 2, "period_unit": "month"}
    yield {"id": "FIVE-A-WHILE", "name": "Five", **fixed, **while_}
    yearly = [{"item_type": "plan", "constraint": "criteria"}]
    criteria = [{"item_type": "plan", "item_price_periods": '["year"]'}]
    only = {"item_constraints": yearly, "item_constraint_criteria": criteria}
    yield {"id": "ANNUAL", "name": "Annual", "discount_percentage": 15, **item_level, **only}


@pytest.fixture
def http(sandbox: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{sandbox.endpoint}/", auth=(sandbox.api_key, ""), timeout=30) as client:
        yield client


@BOUNDS
@given(price=st.sampled_from(PRICES), trial_days=st.sampled_from((0, 0, 20)), path=steps)
def test_estimates_are_what_is_charged_and_the_books_balance(
    http: httpx.Client, price: str, trial_days: int, path: list[tuple[str, Any]]
) -> None:
    life = Life.begun(http, price, trial_days=trial_days)
    for verb, argument in path:
        getattr(life, verb)(argument)
    life.check_the_books()


@BOUNDS
@given(price=st.sampled_from(PRICES), path=unpaid_steps)
def test_the_books_balance_whatever_is_declined_or_paid_in_part(
    http: httpx.Client, price: str, path: list[tuple[str, Any]]
) -> None:
    life = Life.begun(http, price, trial_days=0)
    for verb, argument in path:
        getattr(life, verb)(argument)
    life.check_the_books()
