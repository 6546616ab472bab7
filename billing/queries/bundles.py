"""Bundle rates: which bundle coupon each subscription must carry on its next bill.

The rate of a bill depends on how many subscriptions are still live just after it. Paused ones count; one that ends by
then does not. Just after is ten minutes: of plans that were bought together, the first is billed some seconds before
the others end. Coupons are corrected with every change, after a resume, and by the nightly job.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from billing.models import BundleRate, Coupon
from billing.queries.discounts import ITEM_LEVEL
from billing.queries.subscriptions.holdings import NOTHING_SCHEDULED, Holding, ScheduledPrice

MIN_BUNDLE_SIZE = 2
ACTIVE_COUPON = "active"
JUST_AFTER = timedelta(minutes=10)
# The provider refuses writes to a paused subscription (docs/rules.md, rule 6).
WRITABLE_STATUSES = ("active", "in_trial", "non_renewing")


@dataclass(frozen=True)
class BundleMember:
    """A live subscription of a bundle.

    `bills_at` is its next bill (UTC), None when none is due without a resume. `ends_at` is its end (UTC), None when it
    renews. `coupons` are coupon ids; `changing_to` is what its scheduled change sets.
    """

    subscription_id: str
    bills_at: datetime | None
    ends_at: datetime | None
    coupons: tuple[str, ...] = ()
    changing_to: ScheduledPrice = NOTHING_SCHEDULED
    is_writable: bool = True

    def is_live_after(self, instant: datetime) -> bool:
        """Return whether it is still live just after an instant."""
        return self.ends_at is None or self.ends_at > instant + JUST_AFTER


@dataclass(frozen=True)
class CouponSwap:
    """The coupons to add to and remove from a subscription."""

    subscription_id: str
    add: tuple[str, ...]
    remove: tuple[str, ...]
    changing_to: ScheduledPrice = NOTHING_SCHEDULED


@dataclass(frozen=True)
class RateTable:
    """The current bundle rates by size, and the ids of all coupons that are or were one (all item-level coupons).

    `closed` are those that the provider adds to no subscription any more, since somebody there has let them expire or
    archived them. Who has one keeps it.
    """

    by_size: tuple[tuple[int, str], ...]
    ids: frozenset[str]
    closed: frozenset[str] = frozenset()

    @classmethod
    def load_current(cls) -> "RateTable":
        """Return the current rates. Two queries."""
        rates = list(BundleRate.objects.order_by("size").values_list("size", "coupon_id"))
        item_level = Coupon.objects.filter(payload__apply_on=ITEM_LEVEL)
        statuses = dict(item_level.values_list("provider_id", "payload__status"))
        return cls(
            by_size=tuple(rates),
            ids=frozenset([*statuses, *(coupon for _, coupon in rates)]),
            closed=frozenset(coupon for coupon, status in statuses.items() if status not in (None, ACTIVE_COUPON)),
        )

    def coupon_for(self, size: int, *, held: Collection[str] = ()) -> tuple[str, ...]:
        """Return the coupon of the largest rate that a bundle of this size reaches; empty below the smallest.

        One that is closed counts for a subscription that has it, among the `held` coupons, alone.
        """
        open_rates = ((least, coupon) for least, coupon in self.by_size if coupon in held or coupon not in self.closed)
        return tuple(coupon for least, coupon in open_rates if least <= size)[-1:]

    def bundle_coupons_in(self, coupons: Iterable[str]) -> tuple[str, ...]:
        """Return the coupons that grant a bundle rate."""
        return tuple(coupon for coupon in coupons if coupon in self.ids)


def bundle_members(holdings: Iterable[Holding]) -> list[BundleMember]:
    """Return the live changeable holdings as members of their bundle."""
    return [_bundle_member(holding) for holding in holdings if holding.is_changeable and not holding.is_cancelled]


def required_coupon(member: BundleMember, among: Sequence[BundleMember], rates: RateTable) -> tuple[str, ...]:
    """Return the bundle coupon that a member must carry on its next bill; its present one when no bill is due."""
    if member.bills_at is None:
        return rates.bundle_coupons_in(member.coupons)
    size = sum(other.is_live_after(member.bills_at) for other in among)
    return rates.coupon_for(size, held=member.coupons)


def required_swaps(members: Sequence[BundleMember], rates: RateTable) -> list[CouponSwap]:
    """Return the coupon swaps that give each writable member its required coupon."""
    return [
        swap
        for member in members
        if member.is_writable and (swap := _required_swap(member, members, rates)) is not None
    ]


def member_after_swap(member: BundleMember, swap: CouponSwap) -> BundleMember:
    """Return a member with its coupons swapped."""
    remaining = tuple(coupon for coupon in member.coupons if coupon not in swap.remove)
    return replace(member, coupons=(*remaining, *swap.add))


def _required_swap(member: BundleMember, members: Sequence[BundleMember], rates: RateTable) -> CouponSwap | None:
    current, required = rates.bundle_coupons_in(member.coupons), required_coupon(member, members, rates)
    if set(current) == set(required):
        return None
    return CouponSwap(
        subscription_id=member.subscription_id,
        add=tuple(coupon for coupon in required if coupon not in current),
        remove=tuple(coupon for coupon in current if coupon not in required),
        changing_to=member.changing_to,
    )


def _bundle_member(holding: Holding) -> BundleMember:
    subscription = holding.subscription
    return BundleMember(
        subscription_id=subscription.provider_id,
        bills_at=next_bill_at(holding),
        ends_at=holding.cancel_at,
        coupons=tuple(str(row["coupon_id"]) for row in subscription.coupons),
        changing_to=holding.scheduled_price,
        is_writable=subscription.status in WRITABLE_STATUSES and not _would_lose_change(holding),
    )


def _would_lose_change(holding: Holding) -> bool:
    """Return whether a write would delete a scheduled change for good: its price is no longer sold."""
    return holding.changing_to is not None and not holding.changing_to.is_on_sale


def next_bill_at(holding: Holding) -> datetime | None:
    """Return when a holding bills next (UTC), after a pause when it resumes; None if nothing is scheduled to bill."""
    if holding.has_scheduled_pause:
        return holding.resume_date
    if holding.will_bill:
        return holding.subscription.next_billing_at or holding.subscription.period_end
    return holding.resume_date if holding.is_paused else None
