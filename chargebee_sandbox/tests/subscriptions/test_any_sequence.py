"""In any sequence of operations, estimates equal charges, and no cent appears or is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chargebee_sandbox.tests.support.http_caller import HttpCaller
from chargebee_sandbox.tests.support.site_driver import DECLINING_CARD, GOOD_CARD

GENESIS, DAY = 1_773_144_000, 86_400
PRICES = ("faith-month", "faith-year", "gospel-month", "gospel-year")
COUPONS = ("TEN", "HALF-ONCE", "FIVE-A-WHILE", "ANNUAL")
BOUNDS = settings(
    max_examples=18,
    derandomize=True,
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
        st.tuples(st.just("change_items"), changes),
        st.tuples(st.just("change_items"), coupon_changes),
        st.tuples(st.just("cancel_subscription"), ends),
        st.tuples(st.just("travel_days"), st.integers(1, 45)),
        st.tuples(st.just("renew_term"), st.none()),
        st.tuples(st.just("give_credits"), st.integers(1, 3000)),
        st.tuples(
            st.just("post_operation"),
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

# Steps that may be refused: no estimates are compared, only the balances are checked.
unpaid_steps = st.lists(
    st.one_of(
        st.tuples(st.just("replace_card"), st.sampled_from((GOOD_CARD, DECLINING_CARD))),
        st.tuples(st.just("pay_partially"), st.integers(1, 400)),
        st.tuples(st.just("update_for_items"), changes),
        st.tuples(st.just("cancel_for_items"), ends),
        st.tuples(st.just("travel_days"), st.integers(1, 45)),
        st.tuples(st.just("give_credits"), st.integers(1, 3000)),
    ),
    min_size=3,
    max_size=14,
)


@dataclass(frozen=True)
class Outcome:
    """The result of an estimate or of its operation: an error code, or the cents charged and credited, and when."""

    error: str
    charged: tuple[int, ...]
    given: int
    at: int


@dataclass
class Life:
    """A subscription and the operations on it, over plain HTTP."""

    caller: HttpCaller

    @classmethod
    def begin(cls, http: httpx.Client, price: str, *, trial_days: int) -> Life:
        """Start a site with two plans and four coupons, and a subscription to one plan."""
        caller = HttpCaller(http)
        caller.call_operation("time_machine.start_afresh", "delorean", genesis_time=GENESIS)
        _create_site(caller)
        trial_end = (GENESIS + trial_days * DAY) * bool(trial_days)
        item = [{"item_price_id": price}]
        caller.call_operation(
            "subscription.create_with_items", "ava", id="one", subscription_items=item, trial_end=trial_end
        )
        return cls(caller)

    def change_items(self, params: dict[str, Any]) -> None:
        """Estimate a change and make it, with the same outcome."""
        details = {"subscription": {"id": "one"}}
        estimated = self._call_outcome("estimate.update_subscription_for_items", "", {**details, **params})
        made = self._call_outcome("subscription.update_for_items", "one", params)
        assert_same_outcome(estimated, made)

    def cancel_subscription(self, params: dict[str, Any]) -> None:
        """Estimate a cancellation and make it, with the same outcome."""
        estimated = self._call_outcome("estimate.cancel_subscription_for_items", "one", params)
        assert_same_outcome(estimated, self._call_outcome("subscription.cancel_for_items", "one", params))

    def travel_days(self, days: int) -> None:
        """Travel a number of days."""
        machine = self.caller.call_operation("time_machine.retrieve", "delorean")["time_machine"]
        self._travel_to(machine["destination_time"] + days * DAY)

    def renew_term(self, _nothing: None) -> None:
        """Estimate the renewal, if there is one, and travel past it, with the same outcome."""
        answer = self.caller.send_request("estimate.renewal_estimate", "one").json()
        for expected in [answer["estimate"]["invoice_estimate"]] if "estimate" in answer else []:
            body = self.caller.call_operation("subscription.retrieve", "one")["subscription"]
            boundary = body["next_billing_at"] if body["status"] == "in_trial" else body["current_term_end"]
            self._travel_to(boundary + 60)
            self._check_renewal(expected, boundary, pauses="pause_date" in body)

    def give_credits(self, cents: int) -> None:
        """Add promotional credits."""
        self.caller.call_operation("promotional_credit.add", customer_id="ava", amount=cents, description="thanks")

    def post_operation(self, operation: str, params: dict[str, Any] | None = None) -> None:
        """Call an operation, which may be refused."""
        response = self.caller.send_request(f"subscription.{operation}", "one", params)
        assert response.status_code in (200, 400, 404, 409)

    def update_for_items(self, params: dict[str, Any]) -> None:
        """Make a change, which may be declined."""
        self.post_operation("update_for_items", params)

    def cancel_for_items(self, params: dict[str, Any]) -> None:
        """Cancel the subscription, unless it is canceled."""
        self.post_operation("cancel_for_items", params)

    def replace_card(self, number: str) -> None:
        """Make another card the primary one."""
        _add_card(self.caller, number)

    def pay_partially(self, cents: int) -> None:
        """Try to pay a part of the oldest invoice that is due, if there is one."""
        due = self.caller.list_entries("invoice.list", status={"is": "payment_due"}, sort_by={"asc": "date"})
        for entry in due[:1]:
            amount = min(cents, entry["invoice"]["amount_due"])
            self.caller.send_request("invoice.collect_payment", entry["invoice"]["id"], {"amount": amount})

    def check_balances(self) -> None:
        """Check that every cent invoiced or credited is accounted for, and nothing is negative."""
        customer = self.caller.call_operation("customer.retrieve", "ava")["customer"]
        invoices = [entry["invoice"] for entry in self.caller.list_entries("invoice.list")]
        notes = [entry["credit_note"] for entry in self.caller.list_entries("credit_note.list")]
        entries = [entry["promotional_credit"] for entry in self.caller.list_entries("promotional_credit.list")]
        for invoice in invoices:
            settled = ("amount_paid", "credits_applied", "amount_adjusted", "amount_due")
            assert invoice["total"] == sum(invoice[name] for name in settled)
            assert min(invoice["total"], *(invoice[name] for name in settled)) >= 0
        for note in notes:
            assert note["total"] == note["amount_allocated"] + note["amount_available"] > 0
            assert note["amount_allocated"] == sum(allocation["allocated_amount"] for allocation in note["allocations"])
        refundable = [note for note in notes if note["type"] == "refundable"]
        assert customer["refundable_credits"] == sum(note["amount_available"] for note in refundable)
        applied = sum(note["amount_allocated"] for note in refundable)
        assert applied == sum(invoice["credits_applied"] for invoice in invoices)
        spent = sum(_promotional_discount(invoice) for invoice in invoices)
        assert customer["promotional_credits"] == _credits_given(entries) - spent >= 0

    def _call_outcome(self, name: str, handle: str, params: dict[str, Any]) -> Outcome:
        answer = self.caller.send_request(name, handle, params).json()
        body = answer.get("estimate", answer)
        invoice = body.get("invoice_estimate") or body.get("invoice")
        notes = body.get("credit_note_estimates", []) + body.get("credit_notes", [])
        now = body.get("created_at") or answer.get("subscription", {}).get("updated_at", 0)
        return Outcome(
            error=answer.get("api_error_code", ""),
            charged=()
            if invoice is None
            else (invoice["total"], _payable_amount(invoice), _promotional_discount(invoice)),
            given=sum(note["total"] for note in notes),
            at=now,
        )

    def _check_renewal(self, expected: dict[str, Any], boundary: int, *, pauses: bool) -> None:
        made = [entry["invoice"] for entry in self.caller.list_entries("invoice.list")]
        charged = [invoice for invoice in made if invoice["date"] == boundary]
        expected_amounts = [] if pauses else [(expected["total"], expected["amount_due"], expected["credits_applied"])]
        actual = [
            (invoice["total"], invoice["amount_paid"] + invoice["amount_due"], invoice["credits_applied"])
            for invoice in charged
        ]
        assert actual == expected_amounts

    def _travel_to(self, instant: int) -> None:
        self.caller.call_operation("time_machine.travel_forward", "delorean", destination_time=instant)
        while self._is_traveling():
            pass

    def _is_traveling(self) -> bool:
        machine = self.caller.call_operation("time_machine.retrieve", "delorean")["time_machine"]
        return bool(machine["time_travel_status"] == "in_progress")


def assert_same_outcome(estimated: Outcome, made: Outcome) -> None:
    """Check that the outcomes are equal; each second between them may change an amount by a cent."""
    seconds = max(made.at - estimated.at, 0) * (not made.error)
    assert (estimated.error, len(estimated.charged)) == (made.error, len(made.charged))
    for estimated_amount, amount in zip(
        (*estimated.charged, estimated.given), (*made.charged, made.given), strict=True
    ):
        assert abs(estimated_amount - amount) <= seconds


def _payable_amount(invoice: dict[str, Any]) -> int:
    return int(invoice["amount_paid"] + invoice["amount_due"])


def _promotional_discount(invoice: dict[str, Any]) -> int:
    return sum(
        discount["amount"]
        for discount in invoice.get("discounts", [])
        if discount["entity_type"] == "promotional_credits"
    )


def _credits_given(entries: list[dict[str, Any]]) -> int:
    return sum(entry["amount"] for entry in entries if entry["type"] == "increment")


def _create_site(caller: HttpCaller) -> None:
    caller.call_operation("item_family.create", id="streaming", name="Streaming")
    for item, monthly, yearly in (("faith", 699, 6999), ("gospel", 799, 7999)):
        caller.call_operation("item.create", id=item, name=item, type="plan", item_family_id="streaming")
        for unit, cents in (("month", monthly), ("year", yearly)):
            sold = {"id": f"{item}-{unit}", "name": item, "item_id": item, "price": cents}
            caller.call_operation("item_price.create", period=1, period_unit=unit, **sold)
    for coupon in _coupon_params():
        caller.call_operation("coupon.create_for_items", **coupon)
    caller.call_operation("customer.create", id="ava")
    _add_card(caller, GOOD_CARD)


def _add_card(caller: HttpCaller, number: str) -> None:
    card = {"number": number, "expiry_month": 12, "expiry_year": 2034}
    primary = {"replace_primary_payment_source": True}
    caller.call_operation("payment_source.create_card", customer_id="ava", card=card, **primary)


def _coupon_params() -> Iterator[dict[str, Any]]:
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
def test_estimates_equal_charges_and_balances_add_up(
    http: httpx.Client, price: str, trial_days: int, path: list[tuple[str, Any]]
) -> None:
    life = Life.begin(http, price, trial_days=trial_days)
    for verb, argument in path:
        getattr(life, verb)(argument)
    life.check_balances()


@BOUNDS
@given(price=st.sampled_from(PRICES), path=unpaid_steps)
def test_balances_add_up_after_declines_and_partial_payments(
    http: httpx.Client, price: str, path: list[tuple[str, Any]]
) -> None:
    life = Life.begin(http, price, trial_days=0)
    for verb, argument in path:
        getattr(life, verb)(argument)
    life.check_balances()
