"""The ten people of the demo, each as what they did and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from billing.sandbox.body import Body
from billing.sandbox.engine import calendar
from billing.sandbox.seeds.instants import DAY, HOUR, MINUTE, begun
from billing.sandbox.seeds.provider import Provider, Step

VISA = "4111111111111111"
MASTERCARD = "5555555555554444"
AMEX = "378282246310005"
DECLINES = "4005519200000004"
"""A Visa that is taken when it is added and refused whenever it is charged."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account: the id at the provider, the name and the billing address."""

    id: str
    first_name: str
    last_name: str
    line1: str
    city: str
    state_code: str
    state: str
    zip: str

    @property
    def email(self) -> str:
        """Where the portal's mail goes."""
        return f"{self.id}@example.com"

    def signs_up(self, at: int) -> Step:
        """The account is made, with its billing address."""
        return Step(at, lambda provider: provider.post("/customers", self._account()))

    def adds_card(self, at: int, number: str, *, primary: bool = False) -> Step:
        """A card is added; the first one becomes the primary source by itself."""
        return Step(
            at,
            lambda provider: provider.post("/payment_sources/create_card", self._card(number, at, primary)),
        )

    def adds_paypal(self, at: int) -> Step:
        """A PayPal account is added by its billing agreement."""
        agreement = {
            "customer_id": self.id,
            "type": "paypal_express_checkout",
            "reference_id": f"B-{self.id.upper()}5EXAMPLE01",
        }
        return Step(
            at, lambda provider: provider.post("/payment_sources/create_using_permanent_token", agreement)
        )

    def removes_cards_but_the_primary(self, at: int) -> Step:
        """Every card that is not the primary source is deleted."""

        def remove(provider: Provider) -> None:
            for source in provider.spare_sources(self.id):
                provider.post(f"/payment_sources/{source}/delete")

        return Step(at, remove)

    def subscribes(self, at: int, price: str, **options: Body | str | int | list[str]) -> Step:
        """A subscription to one item price begins."""
        order: Body = {"subscription_items": [{"item_price_id": price, "quantity": 1}], **options}
        return Step(at, lambda provider: provider.post(f"/customers/{self.id}/subscription_for_items", order))

    def pauses_at_term_end(self, at: int, price: str) -> Step:
        """A pause is placed for the end of the term, with no resume date: that one is the portal's."""

        def pause(provider: Provider) -> None:
            subscription = provider.subscription_to(self.id, price)
            provider.post(f"/subscriptions/{subscription}/pause", {"pause_option": "end_of_term"})

        return Step(at, pause)

    def cancels_at_term_end(self, at: int, price: str) -> Step:
        """A cancellation is placed for the end of the term."""

        def cancel(provider: Provider) -> None:
            subscription = provider.subscription_to(self.id, price)
            provider.post(f"/subscriptions/{subscription}/cancel_for_items", {"cancel_option": "end_of_term"})

        return Step(at, cancel)

    def _account(self) -> Body:
        return {
            "id": self.id,
            "first_name": self.first_name,
            "last_name": self.last_name,
            "email": self.email,
            "auto_collection": "on",
            "billing_address": {**self._address(), "email": self.email},
        }

    def _address(self) -> Body:
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

    def _card(self, number: str, at: int, primary: bool) -> Body:
        return {
            "customer_id": self.id,
            "replace_primary_payment_source": primary,
            "card": {
                "number": number,
                "expiry_month": 8,
                # Far enough that no card of the demo runs out while somebody travels about in it.
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


FAITH = "faith-family-plan-USD-Monthly"
FAITH_YEARLY = "faith-family-plan-USD-Yearly"
GOSPEL = "gospel-tv-plan-USD-Monthly"
KIDS = "Minno-Plan-USD-Monthly"
KIDS_YEARLY = "Minno-Plan-USD-Yearly"
KIDS_LEGACY = "Minno-USD-Monthly"
TWO, THREE = ["BUNDLE-2"], ["BUNDLE-3"]


def everybody(present: int) -> Iterator[Step]:
    """What all of them did, account by account."""
    for story in (_ava, _ben, _carla, _dan, _ella, _finn, _gia, _hugo, _ivy, _jo):
        yield from story(present)


def _ava(present: int) -> Iterator[Step]:
    """A bundle of two for fifteen months, billed on one day within the month; two cards."""
    ava = Person("ava", "Ava", "Thompson", "418 Magnolia Street", "Nashville", "TN", "Tennessee", "37203")
    start = begun(present + 12 * DAY + 3 * HOUR, months=15)
    yield ava.signs_up(start - 20 * MINUTE)
    yield ava.adds_card(start - 10 * MINUTE, VISA)
    yield ava.subscribes(start, FAITH, coupon_ids=TWO)
    yield ava.subscribes(start + 2 * MINUTE, GOSPEL, coupon_ids=TWO)
    yield ava.adds_card(present - 70 * DAY, MASTERCARD)


def _ben(present: int) -> Iterator[Step]:
    """One yearly plan, renewed more than ninety days from now; an Amex."""
    ben = Person("ben", "Benjamin", "Carter", "77 Juniper Lane", "Boulder", "CO", "Colorado", "80302")
    start = calendar.add(present + 130 * DAY - 5 * HOUR, -1, "year")
    yield ben.signs_up(start - 15 * MINUTE)
    yield ben.adds_card(start - 5 * MINUTE, AMEX)
    yield ben.subscribes(start, FAITH_YEARLY)


def _carla(present: int) -> Iterator[Step]:
    """In the trial of a yearly plan, which ends in ten days."""
    carla = Person("carla", "Carla", "Reyes", "2210 Desert Willow Drive", "Tucson", "AZ", "Arizona", "85719")
    start = present - 4 * DAY
    yield carla.signs_up(start - 9 * MINUTE)
    yield carla.adds_card(start - 3 * MINUTE, VISA)
    yield carla.subscribes(start, KIDS_YEARLY, trial_end=present + 10 * DAY)


def _dan(present: int) -> Iterator[Step]:
    """Of two plans one was paused at its term's end eighteen days ago: thirty days of pause end in twelve."""
    dan = Person("dan", "Daniel", "Brooks", "9 Harbor View Road", "Portland", "ME", "Maine", "04101")
    paused_at = present - 18 * DAY
    start = begun(paused_at, months=8)
    yield dan.signs_up(start - 25 * MINUTE)
    yield dan.adds_card(start - 12 * MINUTE, VISA)
    yield dan.subscribes(start, GOSPEL, coupon_ids=TWO)
    yield dan.subscribes(start + 3 * MINUTE, FAITH, coupon_ids=TWO)
    yield dan.pauses_at_term_end(paused_at - 3 * DAY, GOSPEL)


def _ella(present: int) -> Iterator[Step]:
    """Two plans; the one for the family is to pause when its term ends in eight days."""
    ella = Person("ella", "Ella", "Nguyen", "350 Bayou Bend", "Houston", "TX", "Texas", "77007")
    start = begun(present + 8 * DAY, months=6)
    yield ella.signs_up(start - 18 * MINUTE)
    yield ella.adds_card(start - 8 * MINUTE, VISA)
    yield ella.subscribes(start, FAITH, coupon_ids=TWO)
    yield ella.subscribes(start + 2 * MINUTE, KIDS, coupon_ids=TWO)
    yield ella.pauses_at_term_end(present - 2 * DAY, FAITH)


def _finn(present: int) -> Iterator[Step]:
    """The card was changed for one that declines: the renewal of the day before yesterday is in dunning."""
    finn = Person(
        "finn", "Finn", "O'Connor", "61 Beacon Hill Court", "Boston", "MA", "Massachusetts", "02108"
    )
    renewed_at = present - 2 * DAY - 12 * HOUR
    start = begun(renewed_at, months=9)
    yield finn.signs_up(start - 14 * MINUTE)
    yield finn.adds_card(start - 6 * MINUTE, VISA)
    yield finn.subscribes(start, FAITH)
    yield finn.adds_card(renewed_at - 6 * DAY, DECLINES, primary=True)
    yield finn.removes_cards_but_the_primary(renewed_at - 6 * DAY + 2 * MINUTE)


def _gia(present: int) -> Iterator[Step]:
    """A legacy plan, cancelled for the end of its term; PayPal."""
    gia = Person("gia", "Gia", "Rossi", "1504 Prospect Avenue", "Cleveland", "OH", "Ohio", "44115")
    start = begun(present + 13 * DAY + 7 * HOUR, months=10)
    yield gia.signs_up(start - 22 * MINUTE)
    yield gia.adds_paypal(start - 4 * MINUTE)
    yield gia.subscribes(start, KIDS_LEGACY)
    yield gia.cancels_at_term_end(present - 4 * DAY, KIDS_LEGACY)


def _hugo(present: int) -> Iterator[Step]:
    """Two plans, both given up more than half a year ago; the invoices are still there."""
    hugo = Person("hugo", "Hugo", "Martin", "823 Lakeshore Boulevard", "Duluth", "MN", "Minnesota", "55802")
    start = begun(present - 200 * DAY - 9 * HOUR, months=8)
    yield hugo.signs_up(start - 16 * MINUTE)
    yield hugo.adds_card(start - 7 * MINUTE, MASTERCARD)
    yield hugo.subscribes(start, FAITH, coupon_ids=TWO)
    yield hugo.subscribes(start + 4 * MINUTE, GOSPEL, coupon_ids=TWO)
    yield hugo.cancels_at_term_end(present - 205 * DAY, FAITH)
    yield hugo.cancels_at_term_end(present - 205 * DAY + MINUTE, GOSPEL)


def _ivy(present: int) -> Iterator[Step]:
    """Signed up, and nothing since."""
    ivy = Person("ivy", "Ivy", "Chen", "12 Orchard Place", "Seattle", "WA", "Washington", "98109")
    yield ivy.signs_up(present - 30 * DAY - 2 * HOUR)


def _jo(present: int) -> Iterator[Step]:
    """All three services for five months; PayPal first, a card besides."""
    jo = Person("jo", "Jo", "Walker", "4075 Peachtree Circle", "Atlanta", "GA", "Georgia", "30309")
    start = begun(present + 19 * DAY - 4 * HOUR, months=5)
    yield jo.signs_up(start - 30 * MINUTE)
    yield jo.adds_paypal(start - 12 * MINUTE)
    yield jo.subscribes(start, FAITH, coupon_ids=THREE)
    yield jo.subscribes(start + 2 * MINUTE, GOSPEL, coupon_ids=THREE)
    yield jo.subscribes(start + 4 * MINUTE, KIDS, coupon_ids=THREE)
    yield jo.adds_card(present - 45 * DAY, VISA)
