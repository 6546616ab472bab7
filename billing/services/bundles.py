"""Bundle rates: which coupon each subscription must carry for its next bill (contract, section 1, `bundle`).

The rate of a bill counts the subscriptions still live just after it: paused ones count, one that ends at or before it
does not. Coupons are put right with every change, right after a resume, and by the night for what time itself changed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from billing.models import BundleRate, Coupon
from billing.queries.discounts import ITEM_LEVEL
from billing.queries.holdings import Holding

# A bundle begins with two (contract, section 1).
FEWEST = 2
# What the provider lets us write to: a paused subscription it refuses (contract, rule 6).
WRITABLE = ("active", "in_trial", "non_renewing")


@dataclass(frozen=True)
class Member:
    """One live subscription as a bundle counts it.

    `bills_at` is its next bill, None when none will come by itself; `ends_at` when it ends, None when it goes on (UTC).
    `coupons` are the ids on it, `changing_to` the price it is scheduled to change to.
    """

    subscription_id: str
    bills_at: datetime | None
    ends_at: datetime | None
    coupons: tuple[str, ...] = ()
    changing_to: str = ""
    writable: bool = True

    def is_live_after(self, instant: datetime) -> bool:
        """Whether it is still live just after an instant."""
        return self.ends_at is None or self.ends_at > instant


@dataclass(frozen=True)
class Swap:
    """The coupons to take off a subscription and to put on it."""

    subscription_id: str
    add: tuple[str, ...]
    remove: tuple[str, ...]
    changing_to: str = ""


@dataclass(frozen=True)
class Rates:
    """The bundle rates in force, and every coupon that is or was one (at the provider they are the item-level ones)."""

    by_size: tuple[tuple[int, str], ...]
    ids: frozenset[str]

    @classmethod
    def current(cls) -> "Rates":
        """Read the rates, in two queries."""
        rates = list(BundleRate.objects.order_by("size").values_list("size", "coupon_id"))
        item_level = Coupon.objects.filter(payload__apply_on=ITEM_LEVEL).values_list("provider_id", flat=True)
        return cls(by_size=tuple(rates), ids=frozenset([*item_level, *(coupon for _, coupon in rates)]))

    def coupon_for(self, size: int) -> tuple[str, ...]:
        """Return the coupon of a bundle of this size, the largest rate that it reaches; nothing below the smallest."""
        return tuple(coupon for least, coupon in self.by_size if least <= size)[-1:]

    def of(self, coupons: Iterable[str]) -> tuple[str, ...]:
        """Return those of these coupons that are bundle rates."""
        return tuple(coupon for coupon in coupons if coupon in self.ids)


def members_of(holdings: Iterable[Holding]) -> list[Member]:
    """Return what an account holds as its bundle counts it."""
    return [_member(holding) for holding in holdings if not holding.is_cancelled]


def wanted(member: Member, among: Sequence[Member], rates: Rates) -> tuple[str, ...]:
    """Return the bundle coupon that a member must carry for its next bill; what it carries, where none will come."""
    if member.bills_at is None:
        return rates.of(member.coupons)
    return rates.coupon_for(sum(one.is_live_after(member.bills_at) for one in among))


def swaps(members: Sequence[Member], rates: Rates) -> list[Swap]:
    """Return what must be written so that each member carries the right coupon."""
    return [
        swap for member in members if member.writable and (swap := _swap(member, members, rates)) is not None
    ]


def after_swap(member: Member, swap: Swap) -> Member:
    """Return a member as it is once its coupons are swapped."""
    kept = tuple(coupon for coupon in member.coupons if coupon not in swap.remove)
    return replace(member, coupons=(*kept, *swap.add))


def _swap(member: Member, members: Sequence[Member], rates: Rates) -> Swap | None:
    has, needs = rates.of(member.coupons), wanted(member, members, rates)
    if set(has) == set(needs):
        return None
    return Swap(
        subscription_id=member.subscription_id,
        add=tuple(coupon for coupon in needs if coupon not in has),
        remove=tuple(coupon for coupon in has if coupon not in needs),
        changing_to=member.changing_to,
    )


def _member(holding: Holding) -> Member:
    subscription = holding.subscription
    return Member(
        subscription_id=subscription.provider_id,
        bills_at=_bills_at(holding),
        ends_at=holding.cancel_at,
        coupons=tuple(str(row["coupon_id"]) for row in subscription.coupons),
        changing_to=subscription.text("scheduled_item_price_id"),
        writable=subscription.status in WRITABLE,
    )


def _bills_at(holding: Holding) -> datetime | None:
    if holding.has_scheduled_pause:
        return holding.resume_date
    if holding.will_bill:
        return holding.subscription.next_billing_at or holding.subscription.current_term_end
    return holding.resume_date if holding.is_paused else None
