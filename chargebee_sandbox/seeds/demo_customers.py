"""The demo's customers, each as a list of actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.models import Invoice
from chargebee_sandbox.seeds.operation_caller import OperationCaller, SeedAction
from chargebee_sandbox.seeds.term_dates import DAY, HOUR, MINUTE, find_term_anchor

VISA = "4111111111111111"
MASTERCARD = "5555555555554444"
AMEX = "378282246310005"
DECLINING_CARD = "4005519200000004"
"""A Visa that can be added and declines every charge."""


@dataclass(frozen=True, slots=True)
class DemoCustomer:
    """A customer: the id at the provider, the name, the billing address, and an email address without the id."""

    id: str
    first_name: str
    last_name: str
    line1: str
    city: str
    state_code: str
    state: str
    zip: str
    address: str = ""

    @property
    def email(self) -> str:
        """The email address: `address`, or one with the id."""
        return self.address or f"{self.id}@example.com"

    def signs_up(self, at: int) -> SeedAction:
        """Return the action that creates the customer with a billing address."""
        return SeedAction(at, lambda provider: provider.post("/customers", self._customer_params()))

    def adds_card(self, at: int, number: str, *, primary: bool = False) -> SeedAction:
        """Return the action that adds a card; the first one becomes the primary source."""
        return SeedAction(
            at,
            lambda provider: provider.post("/payment_sources/create_card", self._card_params(number, at, primary)),
        )

    def adds_paypal(self, at: int) -> SeedAction:
        """Return the action that adds a PayPal billing agreement."""
        agreement = {
            "customer_id": self.id,
            "type": "paypal_express_checkout",
            "reference_id": f"B-{self.id.upper()}5EXAMPLE01",
        }
        return SeedAction(
            at, lambda provider: provider.post("/payment_sources/create_using_permanent_token", agreement)
        )

    def adds_apple_pay(self, at: int) -> SeedAction:
        """Return the action that adds an Apple Pay wallet with a Visa, as a checkout with the wallet's button does."""
        wallet: Body = {
            "customer_id": self.id,
            "type": "apple_pay",
            "reference_id": f"wallet-{self.id}",
            "card": {
                "last4": "4242",
                "brand": "visa",
                "expiry_month": 11,
                "expiry_year": datetime.fromtimestamp(at, UTC).year + 6,
            },
        }
        return SeedAction(at, lambda provider: provider.post("/payment_sources/create_using_permanent_token", wallet))

    def removes_cards_but_the_primary(self, at: int) -> SeedAction:
        """Return the action that deletes every card that is not the primary source."""

        def delete_spare_sources(provider: OperationCaller) -> None:
            for source in provider.spare_sources(self.id):
                provider.post(f"/payment_sources/{source}/delete")

        return SeedAction(at, delete_spare_sources)

    def subscribes_to(self, at: int, price: str, **options: Body | str | int | list[str]) -> SeedAction:
        """Return the action that creates a subscription to an item price."""
        order: Body = {"subscription_items": [{"item_price_id": price, "quantity": 1}], **options}
        return SeedAction(at, lambda provider: provider.post(f"/customers/{self.id}/subscription_for_items", order))

    def pauses_at_term_end(self, at: int, price: str) -> SeedAction:
        """Return the action that schedules a pause for the end of the term; the resume date is left to the portal."""

        def schedule_pause(provider: OperationCaller) -> None:
            subscription = provider.subscription_to(self.id, price)
            provider.post(f"/subscriptions/{subscription}/pause", {"pause_option": "end_of_term"})

        return SeedAction(at, schedule_pause)

    def cancels_at_term_end(self, at: int, price: str) -> SeedAction:
        """Return the action that schedules a cancellation for the end of the term."""

        def schedule_cancellation(provider: OperationCaller) -> None:
            subscription = provider.subscription_to(self.id, price)
            provider.post(f"/subscriptions/{subscription}/cancel_for_items", {"cancel_option": "end_of_term"})

        return SeedAction(at, schedule_cancellation)

    def has_invoice_refunded(self, at: int, cents: int) -> SeedAction:
        """Return the action that refunds a part of the newest invoice, as customer service does."""

        def refund_newest_invoice(provider: OperationCaller) -> None:
            invoice = Invoice.objects.filter(customer_id=self.id).latest("seq")
            refund = {"refund_amount": cents, "credit_note": {"reason_code": "service_unsatisfactory"}}
            provider.post(f"/invoices/{invoice.handle}/refund", refund)

        return SeedAction(at, refund_newest_invoice)

    def _customer_params(self) -> Body:
        return {
            "id": self.id,
            "first_name": self.first_name,
            "last_name": self.last_name,
            "email": self.email,
            "auto_collection": "on",
            "billing_address": {**self._billing_address(), "email": self.email},
        }

    def _billing_address(self) -> Body:
        return {
            "first_name": self.first_name,
            "last_name": self.last_name,
            "line1": self.line1,
            "city": self.city,
            "state_code": self.state_code,
            "state": self.state,
            "zip": self.zip,
            "country": "US",
        }

    def _card_params(self, number: str, at: int, primary: bool) -> Body:
        return {
            "customer_id": self.id,
            "replace_primary_payment_source": primary,
            "card": {
                "number": number,
                "expiry_month": 8,
                # Far enough in the future that no card expires during time travel in the demo.
                "expiry_year": datetime.fromtimestamp(at, UTC).year + 6,
                "cvv": "1234" if number == AMEX else "123",
                "first_name": self.first_name,
                "last_name": self.last_name,
                "billing_addr1": self.line1,
                "billing_city": self.city,
                "billing_state_code": self.state_code,
                "billing_state": self.state,
                "billing_zip": self.zip,
                "billing_country": "US",
            },
        }


FAITH_MONTHLY = "faith-family-plan-USD-Monthly"
FAITH_YEARLY = "faith-family-plan-USD-Yearly"
GOSPEL_MONTHLY = "gospel-tv-plan-USD-Monthly"
KIDS_MONTHLY = "Minno-Plan-USD-Monthly"
KIDS_YEARLY = "Minno-Plan-USD-Yearly"
KIDS_LEGACY_MONTHLY = "Minno-USD-Monthly"
SERMONS_QUARTERLY = "sermon-library-USD-Quarterly"
BUNDLE_OF_TWO = ["BUNDLE-2"]
BUNDLE_OF_THREE = ["BUNDLE-3"]

KIM = ("Kim", "Foster", "640 Cherry Creek Drive", "Denver", "CO", "Colorado", "80209", "Kim@Example.com")
"""The name and the addresses of both of Kim's customers; the portal signs her in as kim@example.com."""


def customer_actions(present: int) -> Iterator[SeedAction]:
    """Return the actions of all customers, customer by customer.

    The plans of a customer begin within seconds. If minutes were between them, so could midnight be: their bills would
    come on two days, and their pauses would end on two.
    """
    for customer_history in (
        _ava_actions,
        _ben_actions,
        _carla_actions,
        _dan_actions,
        _ella_actions,
        _finn_actions,
        _gia_actions,
        _hugo_actions,
        _ivy_actions,
        _jo_actions,
        _kim_actions,
        _kim_2_actions,
    ):
        yield from customer_history(present)


def _ava_actions(present: int) -> Iterator[SeedAction]:
    """A bundle of two for fifteen months, both billed on the same day; two cards."""
    ava = DemoCustomer("ava", "Ava", "Thompson", "418 Magnolia Street", "Nashville", "TN", "Tennessee", "37203")
    start = find_term_anchor(present + 12 * DAY + 3 * HOUR, months=15)
    yield ava.signs_up(start - 20 * MINUTE)
    yield ava.adds_card(start - 10 * MINUTE, VISA)
    yield ava.subscribes_to(start, FAITH_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield ava.subscribes_to(start + 1, GOSPEL_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield ava.adds_card(present - 70 * DAY, MASTERCARD)


def _ben_actions(present: int) -> Iterator[SeedAction]:
    """One yearly plan, which renews more than ninety days from now; an Amex."""
    ben = DemoCustomer("ben", "Benjamin", "Carter", "77 Juniper Lane", "Boulder", "CO", "Colorado", "80302")
    start = billing_dates.add_periods(present + 130 * DAY - 5 * HOUR, -1, "year")
    yield ben.signs_up(start - 15 * MINUTE)
    yield ben.adds_card(start - 5 * MINUTE, AMEX)
    yield ben.subscribes_to(start, FAITH_YEARLY)


def _carla_actions(present: int) -> Iterator[SeedAction]:
    """A yearly plan in a trial that ends in ten days."""
    carla = DemoCustomer("carla", "Carla", "Reyes", "2210 Desert Willow Drive", "Tucson", "AZ", "Arizona", "85719")
    start = present - 4 * DAY
    yield carla.signs_up(start - 9 * MINUTE)
    yield carla.adds_card(start - 3 * MINUTE, VISA)
    yield carla.subscribes_to(start, KIDS_YEARLY, trial_end=present + 10 * DAY)


def _dan_actions(present: int) -> Iterator[SeedAction]:
    """Two plans; one was paused at its term end eighteen days ago, so that thirty days of pause end in twelve."""
    dan = DemoCustomer("dan", "Daniel", "Brooks", "9 Harbor View Road", "Portland", "ME", "Maine", "04101")
    paused_at = present - 18 * DAY
    start = find_term_anchor(paused_at, months=8)
    yield dan.signs_up(start - 25 * MINUTE)
    yield dan.adds_card(start - 12 * MINUTE, VISA)
    yield dan.subscribes_to(start, GOSPEL_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield dan.subscribes_to(start + 1, FAITH_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield dan.pauses_at_term_end(paused_at - 3 * DAY, GOSPEL_MONTHLY)


def _ella_actions(present: int) -> Iterator[SeedAction]:
    """Two plans; one is scheduled to pause when its term ends in eight days."""
    ella = DemoCustomer("ella", "Ella", "Nguyen", "350 Bayou Bend", "Houston", "TX", "Texas", "77007")
    start = find_term_anchor(present + 8 * DAY, months=6)
    yield ella.signs_up(start - 18 * MINUTE)
    yield ella.adds_card(start - 8 * MINUTE, VISA)
    yield ella.subscribes_to(start, FAITH_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield ella.subscribes_to(start + 1, KIDS_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield ella.pauses_at_term_end(present - 2 * DAY, FAITH_MONTHLY)


def _finn_actions(present: int) -> Iterator[SeedAction]:
    """A card that declines replaced the first one: the renewal of the day before yesterday is in dunning."""
    finn = DemoCustomer("finn", "Finn", "O'Connor", "61 Beacon Hill Court", "Boston", "MA", "Massachusetts", "02108")
    renewed_at = present - 2 * DAY - 12 * HOUR
    start = find_term_anchor(renewed_at, months=9)
    yield finn.signs_up(start - 14 * MINUTE)
    yield finn.adds_card(start - 6 * MINUTE, VISA)
    yield finn.subscribes_to(start, FAITH_MONTHLY)
    yield finn.adds_card(renewed_at - 6 * DAY, DECLINING_CARD, primary=True)
    yield finn.removes_cards_but_the_primary(renewed_at - 6 * DAY + 2 * MINUTE)


def _gia_actions(present: int) -> Iterator[SeedAction]:
    """A legacy plan, scheduled to be canceled at the end of its term; PayPal."""
    gia = DemoCustomer("gia", "Gia", "Rossi", "1504 Prospect Avenue", "Cleveland", "OH", "Ohio", "44115")
    start = find_term_anchor(present + 13 * DAY + 7 * HOUR, months=10)
    yield gia.signs_up(start - 22 * MINUTE)
    yield gia.adds_paypal(start - 4 * MINUTE)
    yield gia.subscribes_to(start, KIDS_LEGACY_MONTHLY)
    yield gia.cancels_at_term_end(present - 4 * DAY, KIDS_LEGACY_MONTHLY)


def _hugo_actions(present: int) -> Iterator[SeedAction]:
    """Two plans, both canceled more than half a year ago; the invoices remain."""
    hugo = DemoCustomer("hugo", "Hugo", "Martin", "823 Lakeshore Boulevard", "Duluth", "MN", "Minnesota", "55802")
    start = find_term_anchor(present - 200 * DAY - 9 * HOUR, months=8)
    yield hugo.signs_up(start - 16 * MINUTE)
    yield hugo.adds_card(start - 7 * MINUTE, MASTERCARD)
    yield hugo.subscribes_to(start, FAITH_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield hugo.subscribes_to(start + 1, GOSPEL_MONTHLY, coupon_ids=BUNDLE_OF_TWO)
    yield hugo.cancels_at_term_end(present - 205 * DAY, FAITH_MONTHLY)
    yield hugo.cancels_at_term_end(present - 205 * DAY + MINUTE, GOSPEL_MONTHLY)


def _ivy_actions(present: int) -> Iterator[SeedAction]:
    """A customer without subscriptions."""
    ivy = DemoCustomer("ivy", "Ivy", "Chen", "12 Orchard Place", "Seattle", "WA", "Washington", "98109")
    yield ivy.signs_up(present - 30 * DAY - 2 * HOUR)


def _jo_actions(present: int) -> Iterator[SeedAction]:
    """All three services for five months; PayPal as the primary source, and a card."""
    jo = DemoCustomer("jo", "Jo", "Walker", "4075 Peachtree Circle", "Atlanta", "GA", "Georgia", "30309")
    start = find_term_anchor(present + 19 * DAY - 4 * HOUR, months=5)
    yield jo.signs_up(start - 30 * MINUTE)
    yield jo.adds_paypal(start - 12 * MINUTE)
    yield jo.subscribes_to(start, FAITH_MONTHLY, coupon_ids=BUNDLE_OF_THREE)
    yield jo.subscribes_to(start + 1, GOSPEL_MONTHLY, coupon_ids=BUNDLE_OF_THREE)
    yield jo.subscribes_to(start + 2, KIDS_MONTHLY, coupon_ids=BUNDLE_OF_THREE)
    yield jo.adds_card(present - 45 * DAY, VISA)


def _kim_actions(present: int) -> Iterator[SeedAction]:
    """A plan of the catalog, and one outside it with another period; Apple Pay, which got a refund, and a card."""
    kim = DemoCustomer("kim", *KIM)
    start = find_term_anchor(present + 9 * DAY + 5 * HOUR, months=7)
    yield kim.signs_up(start - 18 * MINUTE)
    yield kim.adds_apple_pay(start - 6 * MINUTE)
    yield kim.subscribes_to(start, FAITH_MONTHLY)
    # It has renewed once: three months are at most 92 days.
    yield kim.subscribes_to(present - 110 * DAY, SERMONS_QUARTERLY)
    yield kim.adds_card(present - 50 * DAY, VISA)
    yield kim.has_invoice_refunded(present - 19 * DAY, 300)


def _kim_2_actions(present: int) -> Iterator[SeedAction]:
    """Kim's first customer, of another checkout, with the same address: the newer one is the one that signs in."""
    first = DemoCustomer("kim-2", *KIM)
    start = find_term_anchor(present + 21 * DAY - 3 * HOUR, months=11)
    yield first.signs_up(start - 13 * MINUTE)
    yield first.adds_card(start - 5 * MINUTE, VISA)
    yield first.subscribes_to(start, GOSPEL_MONTHLY)
