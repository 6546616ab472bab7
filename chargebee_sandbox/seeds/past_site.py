"""Gives the demo site a past: a year of a few hundred subscribers, copied from patterns that the engine lets live."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chargebee_sandbox import identifiers
from chargebee_sandbox.engine import time_machine
from chargebee_sandbox.models import (
    Coupon,
    CreditNote,
    Customer,
    Event,
    Invoice,
    PaymentSource,
    Resource,
    Subscription,
    Transaction,
)
from chargebee_sandbox.seeds import catalog
from chargebee_sandbox.seeds.past_lives import LIVES, Life, Pattern
from chargebee_sandbox.seeds.people import Person, invent_people
from chargebee_sandbox.seeds.replay import replay_actions, travel_to
from chargebee_sandbox.seeds.row_copies import Row, RowCopier, insert_rows
from chargebee_sandbox.seeds.term_dates import DAY, HOUR, MOST_HOURS_EARLIER, find_movable_bill
from chargebee_sandbox.site import Site

OWNED: tuple[type[Resource], ...] = (PaymentSource, Subscription, Transaction, Invoice, CreditNote)
# What tells the story of a subscription, for whoever reads the feed from the beginning; the rest of it is left out.
TOLD_EVENTS = (
    *("subscription_created", "subscription_activated", "subscription_changed", "subscription_reactivated"),
    *("subscription_pause_scheduled", "subscription_paused", "subscription_resumed"),
    *("subscription_cancellation_scheduled", "subscription_scheduled_cancellation_removed", "subscription_cancelled"),
)
WORDS = ("email", "first_name", "last_name", "line1", "city", "state", "state_code", "zip")


@dataclass(frozen=True, eq=False)
class LivedPattern:
    """A pattern's rows after its life, and how many days earlier its copies can be."""

    life: Life
    customer: Pattern
    days: int
    rows: Sequence[Row]


@dataclass(frozen=True, eq=False)
class PlannedCopy:
    """A person who lives a pattern's life some seconds earlier."""

    pattern: LivedPattern
    person: Person
    seconds: int

    def new_handles(self, numbers: dict[str, str]) -> dict[str, str]:
        """Return the id of each row's copy, by its own; `numbers` has those of invoices and credit notes."""
        # Behind the demo's named customers, where ids are in order.
        own = {self.pattern.customer.id: f"subscriber-{self.person.email.partition('@')[0]}"}
        others = {row.handle: identifiers.new_id(_prefix(row.handle)) for row in self.pattern.rows}
        return {**others, **own, **numbers}


def live_past(present: int) -> list[LivedPattern]:
    """Erase the site, let the patterns live until `present` (seconds UTC), and return their rows."""
    customers = [_pattern_customer(number) for number in range(len(LIVES))]
    places = [_place_in_time(life, present, number) for number, life in enumerate(LIVES)]
    stories = [
        action
        for life, customer, (instant, _) in zip(LIVES, customers, places, strict=True)
        for action in life.story(customer, instant)
    ]
    steps = sorted([*catalog.catalog_actions(present), *stories])
    time_machine.start_afresh(steps[0].at - DAY)
    replay_actions(steps)
    travel_to(present)
    rows = _rows_by_customer()
    return [
        LivedPattern(life, customer, days, rows[customer.id])
        for life, customer, (_, days) in zip(LIVES, customers, places, strict=True)
    ]


def insert_past(patterns: Sequence[LivedPattern], *, most: int) -> int:
    """Insert the copies of the patterns, so many of each at most; return how many there are in all.

    Their invoices are numbered by date, after the site's.
    """
    people = invent_people()
    copies = [copy for pattern in patterns for copy in _plan_copies(pattern, people, most)]
    site = Site.load()
    numbers: dict[PlannedCopy, dict[str, str]] = {copy: {} for copy in copies}
    site.invoices_numbered += _number_by_date(copies, Invoice, site.invoices_numbered, numbers)
    site.credit_notes_numbered += _number_by_date(copies, CreditNote, site.credit_notes_numbered, numbers)
    site.save(update_fields=["invoices_numbered", "credit_notes_numbered"])
    insert_rows(_copied_rows(copies, numbers))
    return len(copies)


def count_redemptions() -> None:
    """Add the copied subscriptions to the coupons' counts of redemptions."""
    subscriptions = Subscription.objects.filter(customer_id__startswith="subscriber-")
    used = Counter(entry["coupon_id"] for row in subscriptions for entry in row.get("coupons", []))
    for coupon in Coupon.objects.filter(handle__in=used):
        coupon.body["redemptions"] = coupon.get("redemptions", 0) + used[coupon.handle]
        coupon.save(update_fields=["body"])


def _pattern_customer(number: int) -> Pattern:
    """Return a pattern whose words are in no row of another one."""
    first, last, line1, city, code, state, postal = (f"{name} of pattern {number}" for name in WORDS[1:])
    return Pattern(f"pattern-{number}", first, last, line1, city, code, state, postal)


def _place_in_time(life: Life, present: int, number: int) -> tuple[int, int]:
    """Return the instant that a life is told backward from, and how many days earlier that can be in copies."""
    if life.days is not None:
        return present - 7 * HOUR, life.days
    return find_movable_bill(present, prefers_this_month=bool(number % 2))


def _rows_by_customer() -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    for customer in Customer.objects.all():
        rows[customer.handle].append(customer)
    for model in OWNED:
        for row in model._default_manager.order_by("seq"):
            rows[row["customer_id"]].append(row)
    for event in Event.objects.filter(event_type__in=TOLD_EVENTS).order_by("seq"):
        rows[event.content["customer"]["id"]].append(event)
    return rows


def _plan_copies(pattern: LivedPattern, people: Iterator[Person], most: int) -> Iterator[PlannedCopy]:
    for number in range(min(pattern.life.copies, most)):
        days = number * (pattern.days + 1) // pattern.life.copies
        person = next(people)
        # Any difference will do: people do not join at the same time of day.
        earlier = sum(map(ord, person.email)) * 397 % MOST_HOURS_EARLIER
        yield PlannedCopy(pattern, person, -(days * DAY + earlier))


def _number_by_date(
    copies: Sequence[PlannedCopy], model: type[Resource], last: int, numbers: dict[PlannedCopy, dict[str, str]]
) -> int:
    """Number the copies of a kind's rows after `last`; return how many there are."""
    dated = [
        (row["date"] + copy.seconds, place, copy, row.handle)
        for place, copy in enumerate(copies)
        for row in copy.pattern.rows
        if isinstance(row, model)
    ]
    for number, (_, _, copy, handle) in enumerate(sorted(dated, key=lambda entry: entry[:2]), start=last + 1):
        numbers[copy][handle] = handle.rstrip("0123456789") + str(number)
    return len(dated)


def _copied_rows(copies: Sequence[PlannedCopy], numbers: dict[PlannedCopy, dict[str, str]]) -> Iterator[Row]:
    copiers: dict[LivedPattern, RowCopier] = {}
    for copy in copies:
        pattern, customer = copy.pattern, copy.pattern.customer
        words = {getattr(customer, name): getattr(copy.person, name) for name in WORDS}
        words |= copy.new_handles(numbers[copy])
        copier = copiers.setdefault(pattern, RowCopier(pattern.rows, words))
        yield from copier.copy_rows(words, seconds=copy.seconds)


def _prefix(handle: str) -> str:
    prefix, separator, _ = handle.rpartition("_")
    return prefix + separator
