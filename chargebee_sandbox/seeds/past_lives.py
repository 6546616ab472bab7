"""How the demo's many subscribers lived: each life is lived once, by a pattern of a customer, and copied.

A life is built backward from an instant: the pattern's next bill, or what it did last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.models import Invoice
from chargebee_sandbox.seeds.demo_customers import (
    AMEX,
    BUNDLE_OF_THREE,
    BUNDLE_OF_TWO,
    DECLINING_CARD,
    FAITH_MONTHLY,
    FAITH_YEARLY,
    GOSPEL_MONTHLY,
    KIDS_MONTHLY,
    KIDS_YEARLY,
    MASTERCARD,
    VISA,
    DemoCustomer,
)
from chargebee_sandbox.seeds.operation_caller import OperationCaller, SeedAction
from chargebee_sandbox.seeds.term_dates import DAY, HOUR, MINUTE, find_term_anchor

PAUSE = 30 * DAY
PAYPAL = "paypal"
GOSPEL_YEARLY = "gospel-tv-plan-USD-Yearly"


@dataclass(frozen=True, slots=True)
class Pattern(DemoCustomer):
    """A customer whose life is copied."""

    def joins(self, at: int, *prices: str, pays_with: str = VISA, **options: Body | int) -> Iterator[SeedAction]:
        """Yield the actions of a first order: sign-up, payment method, and a subscription to each price."""
        yield self.signs_up(at - 20 * MINUTE)
        paid = at - 10 * MINUTE
        yield self.adds_paypal(paid) if pays_with == PAYPAL else self.adds_card(paid, pays_with)
        coupons = {2: BUNDLE_OF_TWO, 3: BUNDLE_OF_THREE}.get(len(prices))
        for place, price in enumerate(prices):
            bundle = {"coupon_ids": coupons} if coupons else {}
            yield self.subscribes_to(at + place * 2 * MINUTE, price, **bundle, **options)

    def changes_subscription(self, at: int, price: str, change: str, **params: Body | list[Body] | str) -> SeedAction:
        """Return the action that posts a change, such as `resume`, of the subscription to a price."""

        def post_change(provider: OperationCaller) -> None:
            subscription = provider.subscription_to(self.id, price)
            provider.post(f"/subscriptions/{subscription}/{change}", params)

        return SeedAction(at, post_change)

    def is_refunded(self, at: int) -> SeedAction:
        """Return the action that refunds the newest invoice."""

        def refund_invoice(provider: OperationCaller) -> None:
            newest = Invoice.objects.filter(customer_id=self.id).order_by("-seq")[0]
            note = {"reason_code": "service_unsatisfactory"}
            provider.post(f"/invoices/{newest.handle}/refund", {"credit_note": note})

        return SeedAction(at, refund_invoice)


Actions = Iterator[SeedAction]


def stay_subscribed(who: Pattern, bill: int, *prices: str, months: int, pays_with: str = VISA) -> Actions:
    """Join some months before the next bill, and stay."""
    yield from who.joins(_months_before(bill, months), *prices, pays_with=pays_with)


def cancel_and_leave(who: Pattern, bill: int, price: str, *, months: int, ago: int, pays_with: str = VISA) -> Actions:
    """Join, and cancel a term that ended some months before the next bill would be; 0 is a term that still runs."""
    end = _months_before(bill, ago)
    yield from who.joins(_months_before(end, months), price, pays_with=pays_with)
    yield who.cancels_at_term_end(_months_before(end, 1) + 2 * HOUR, price)


def return_later(who: Pattern, bill: int, price: str, *, months: int, away: int, back: int) -> Actions:
    """Leave, and start the same plan again some months later."""
    returned = _months_before(bill, back)
    yield from cancel_and_leave(who, returned, price, months=months, ago=away)
    yield who.changes_subscription(returned, price, "reactivate")


def pause_and_return(who: Pattern, bill: int, price: str, *, months: int, back: int, pays_with: str = VISA) -> Actions:
    """Pause for thirty days, and be back for some months."""
    resumed = _months_before(bill, back)
    yield from pause_until_now(who, resumed - PAUSE, price, months=months, pays_with=pays_with)
    yield who.changes_subscription(resumed, price, "resume", resume_option="immediately")


def pause_until_now(who: Pattern, began: int, price: str, *, months: int, pays_with: str = VISA) -> Actions:
    """Pause at the end of a term, and not be back yet."""
    yield from who.joins(find_term_anchor(began, months=months), price, pays_with=pays_with)
    yield who.pauses_at_term_end(began - 5 * DAY, price)


def cancel_and_keep(who: Pattern, kept: int, price: str, *, months: int, ago: int = 0) -> Actions:
    """Cancel, and undo it two days later."""
    kept = _months_before(kept, ago)
    yield from stay_subscribed(who, kept + 12 * DAY, price, months=months)
    yield who.cancels_at_term_end(kept - 2 * DAY, price)
    yield who.changes_subscription(kept, price, "remove_scheduled_cancellation")


def take_free_month(who: Pattern, bill: int, price: str, *, months: int, ago: int) -> Actions:
    """Get a free month instead of canceling."""
    yield from stay_subscribed(who, bill, price, months=months)
    coupon: Body = {"coupon_ids": ["FREE-MONTH"], "change_option": "immediately"}
    yield who.changes_subscription(_months_before(bill, ago) + HOUR, price, "update_for_items", **coupon)


def switch_plan(who: Pattern, bill: int, price: str, to: str, *, months: int, ago: int) -> Actions:
    """Switch the plan or its billing period at the end of a term."""
    switched = _months_before(bill, ago)
    yield from stay_subscribed(who, switched, price, months=months)
    change: Body = {
        "subscription_items": [{"item_price_id": to, "quantity": 1}],
        "replace_items_list": True,
        "change_option": "end_of_term",
    }
    yield who.changes_subscription(switched - 6 * DAY, price, "update_for_items", **change)


def recover_from_decline(who: Pattern, bill: int, price: str, *, months: int, ago: int) -> Actions:
    """Have a renewal declined, and paid with another card at a retry."""
    renewal = _months_before(bill, ago)
    yield from fail_to_pay(who, renewal, price, months=months)
    yield who.adds_card(renewal + 30 * HOUR, MASTERCARD, primary=True)


def fail_to_pay(who: Pattern, renewal: int, price: str, *, months: int) -> Actions:
    """Have a renewal declined."""
    yield from stay_subscribed(who, renewal, price, months=months)
    yield who.adds_card(renewal - 6 * DAY, DECLINING_CARD, primary=True)
    yield who.removes_cards_but_the_primary(renewal - 6 * DAY + 2 * MINUTE)


def get_refund(who: Pattern, bill: int, price: str, *, months: int, ago: int) -> Actions:
    """Cancel a term, and have it refunded."""
    yield from cancel_and_leave(who, bill, price, months=months, ago=ago)
    yield who.is_refunded(_months_before(bill, ago + 1) + 2 * DAY)


def try_for_free(who: Pattern, began: int, price: str) -> Actions:
    """Join with a trial of two weeks."""
    yield from who.joins(began, price, trial_end=began + 14 * DAY)


def _months_before(instant: int, months: int) -> int:
    return billing_dates.add_periods(instant, -months, "month")


Story = Callable[[Pattern, int], Actions]


@dataclass(frozen=True)
class Life:
    """A story, and how many live it.

    It is told backward from the next bill, which is up to a month ahead; or, with `days`, from its last event, which
    was today or so many days ago at most.
    """

    story: Story
    copies: int
    days: int | None = None


def _lives(
    story: Callable[..., Actions], *prices: str, copies: int, days: int | None = None, **options: object
) -> Life:
    return Life(lambda who, instant: story(who, instant, *prices, **options), copies, days)


LIVES = (
    # Those who stay: more have joined from month to month.
    _lives(stay_subscribed, FAITH_MONTHLY, months=12, copies=6),
    _lives(stay_subscribed, GOSPEL_MONTHLY, months=11, copies=4, pays_with=MASTERCARD),
    _lives(stay_subscribed, KIDS_MONTHLY, months=10, copies=4, pays_with=AMEX),
    _lives(stay_subscribed, FAITH_MONTHLY, months=8, copies=6, pays_with=PAYPAL),
    _lives(stay_subscribed, KIDS_MONTHLY, months=7, copies=6),
    _lives(stay_subscribed, GOSPEL_MONTHLY, months=6, copies=7),
    _lives(stay_subscribed, FAITH_MONTHLY, months=5, copies=8, pays_with=MASTERCARD),
    _lives(stay_subscribed, KIDS_MONTHLY, months=4, copies=9, pays_with=PAYPAL),
    _lives(stay_subscribed, FAITH_MONTHLY, months=3, copies=11),
    _lives(stay_subscribed, GOSPEL_MONTHLY, months=2, copies=11, pays_with=AMEX),
    _lives(stay_subscribed, FAITH_MONTHLY, months=1, copies=12),
    _lives(stay_subscribed, KIDS_MONTHLY, months=1, copies=8, pays_with=MASTERCARD),
    _lives(stay_subscribed, FAITH_MONTHLY, GOSPEL_MONTHLY, months=8, copies=3),
    _lives(stay_subscribed, FAITH_MONTHLY, KIDS_MONTHLY, months=5, copies=5, pays_with=PAYPAL),
    _lives(stay_subscribed, FAITH_MONTHLY, GOSPEL_MONTHLY, KIDS_MONTHLY, months=2, copies=5),
    _lives(stay_subscribed, FAITH_YEARLY, months=9, copies=5),
    _lives(stay_subscribed, KIDS_YEARLY, months=6, copies=5, pays_with=MASTERCARD),
    _lives(stay_subscribed, GOSPEL_YEARLY, months=2, copies=6, pays_with=PAYPAL),
    _lives(try_for_free, KIDS_YEARLY, copies=4, days=4),
    # Those who leave.
    _lives(cancel_and_leave, FAITH_MONTHLY, months=1, ago=9, copies=4),
    _lives(cancel_and_leave, GOSPEL_MONTHLY, months=4, ago=7, copies=4, pays_with=MASTERCARD),
    _lives(cancel_and_leave, KIDS_MONTHLY, months=1, ago=6, copies=4),
    _lives(cancel_and_leave, FAITH_MONTHLY, months=5, ago=5, copies=5, pays_with=AMEX),
    _lives(cancel_and_leave, GOSPEL_MONTHLY, months=2, ago=4, copies=5),
    _lives(cancel_and_leave, KIDS_MONTHLY, months=6, ago=3, copies=4, pays_with=PAYPAL),
    _lives(cancel_and_leave, FAITH_MONTHLY, months=1, ago=2, copies=6),
    _lives(cancel_and_leave, GOSPEL_MONTHLY, months=3, ago=1, copies=6),
    _lives(cancel_and_leave, FAITH_MONTHLY, months=6, ago=0, copies=6),
    _lives(cancel_and_leave, KIDS_MONTHLY, months=2, ago=0, copies=3, pays_with=MASTERCARD),
    _lives(get_refund, FAITH_MONTHLY, months=2, ago=1, copies=3),
    _lives(return_later, FAITH_MONTHLY, months=3, away=3, back=2, copies=4),
    # Those who were offered something instead.
    _lives(pause_and_return, GOSPEL_MONTHLY, months=2, back=6, copies=5),
    _lives(pause_and_return, FAITH_MONTHLY, months=3, back=3, copies=6, pays_with=MASTERCARD),
    _lives(pause_and_return, KIDS_MONTHLY, months=3, back=1, copies=6, pays_with=PAYPAL),
    _lives(pause_until_now, FAITH_MONTHLY, months=3, copies=8, days=24),
    _lives(cancel_and_keep, KIDS_MONTHLY, months=6, ago=3, copies=4),
    _lives(cancel_and_keep, FAITH_MONTHLY, months=3, copies=6, days=40),
    _lives(take_free_month, GOSPEL_MONTHLY, months=7, ago=4, copies=4),
    _lives(take_free_month, FAITH_MONTHLY, months=3, ago=1, copies=5),
    # Those who change, and those whose payments fail.
    _lives(switch_plan, FAITH_MONTHLY, FAITH_YEARLY, months=3, ago=5, copies=4),
    _lives(switch_plan, FAITH_MONTHLY, KIDS_MONTHLY, months=2, ago=2, copies=4),
    _lives(recover_from_decline, FAITH_MONTHLY, months=3, ago=4, copies=4),
    _lives(recover_from_decline, KIDS_MONTHLY, months=4, ago=2, copies=5),
    _lives(fail_to_pay, GOSPEL_MONTHLY, months=2, copies=3, days=0),
)
