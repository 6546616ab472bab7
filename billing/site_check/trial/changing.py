"""Steps of a trial: a subscription begins, renews and changes."""

from collections.abc import Iterator
from datetime import timedelta

from billing.gateway import changes, estimates
from billing.gateway.site import trial_requests
from billing.gateway.subscriptions import retrieve_subscription
from billing.site_check.assumptions import TOPIC_NAME, Assumption, assume
from billing.site_check.findings import Finding, State
from billing.site_check.time_zone import dated_lines, judge_time_zone
from billing.site_check.trial.life import Life, charged_cents, newest_invoice

# Two estimates of a proration a moment apart may round differently.
ROUNDING_CENTS = 1
NO_COUPON, ADD_RATE = "no coupon to try with", "Add a bundle rate in the admin, and try again."


def create_customer(life: Life) -> Iterator[Finding]:
    """Create the customer, with a card that is accepted."""
    trial_requests.create_customer(life.customer, key=life.new_key())
    trial_requests.add_card(life.customer, trial_requests.GOOD_CARD, key=life.new_key())
    yield from ()


def start_trial(life: Life) -> Iterator[Finding]:
    """Start a subscription with a trial of a day."""
    until = life.now() + timedelta(days=1)
    trial_requests.start_with_trial(
        life.trial_subscription, customer_id=life.customer, price=life.monthly, until=until, key=life.new_key()
    )
    raw = trial_requests.read_subscription(life.trial_subscription)
    holds = raw["status"] == "in_trial" and raw.get("next_billing_at") == raw.get("trial_end")
    found = f"{raw['status']}, the next bill {'as assumed' if holds else 'at another time'}"
    yield assume(Assumption.TRIAL, found, holds=holds)


def estimate_future_start(life: Life) -> Iterator[Finding]:
    """Have a start in forty days estimated, in place of a bill that the provider does not estimate."""
    starts_at = life.now() + timedelta(days=40)
    start = estimates.estimate_start(life.customer, price=life.monthly, coupons=(), starts_at=starts_at)
    bill = start.renewal
    holds = bill is not None and bill.full_price > 0
    yield assume(Assumption.FUTURE_START, f"{bill.full_price} cents" if bill else "no bill", holds=holds)


def end_trial(life: Life) -> Iterator[Finding]:
    """Travel past the end of the trial, and past the end of the first term."""
    life.travel_past(trial_requests.read_subscription(life.trial_subscription)["trial_end"])
    began = trial_requests.read_subscription(life.trial_subscription)
    life.travel_past(began["current_term_end"])
    renewed = trial_requests.read_subscription(life.trial_subscription)
    statuses = [str(invoice["status"]) for invoice in trial_requests.find_invoices(life.trial_subscription)]
    holds = renewed["current_term_start"] == began["current_term_end"] and statuses == ["paid", "paid"]
    found = f"{began['status']}, then {renewed['status']}; invoices: {', '.join(statuses) or 'none'}"
    yield assume(Assumption.RENEWAL, found, holds=holds)


def upgrade_now(life: Life) -> Iterator[Finding]:
    """Change to the yearly price within the term."""
    life.travel_to(life.now() + timedelta(days=10))
    estimate = estimates.estimate_change(life.trial_subscription, price=life.yearly)
    changes.change_price_now(life.trial_subscription, key=life.new_key(), price=life.yearly)
    difference = charged_cents(newest_invoice(life.trial_subscription)) - estimate.now.amount_due
    found = f"{difference} cents apart" if difference else "the same amount"
    yield assume(Assumption.UPGRADE, found, holds=abs(difference) <= ROUNDING_CENTS)


def estimate_coupon_alone(life: Life) -> Iterator[Finding]:
    """Have a bundle coupon estimated, as a code is before it is redeemed."""
    if not life.coupon:
        yield Finding(TOPIC_NAME, Assumption.COUPON_ESTIMATE, NO_COUPON, State.UNREADABLE, ADD_RATE)
        return
    bill = estimates.estimate_coupons(life.trial_subscription, [life.coupon]).renewal
    present = retrieve_subscription(life.trial_subscription).payload["amount"]
    holds = bill is not None and bill.full_price == present
    yield assume(Assumption.COUPON_ESTIMATE, "it can" if holds else "no bill, or at another price", holds=holds)


def schedule_change(life: Life) -> Iterator[Finding]:
    """Schedule the change back to the monthly price for the end of the year."""
    changes.change_price_at_term_end(life.trial_subscription, key=life.new_key(), price=life.monthly)
    found = retrieve_subscription(life.trial_subscription).changing_to
    yield assume(
        Assumption.SCHEDULED_CHANGE,
        "it can" if found == life.monthly else f"reads as {found or 'nothing'}",
        holds=found == life.monthly,
    )


def put_coupon_beside_change(life: Life) -> Iterator[Finding]:
    """Put a bundle coupon on beside the scheduled change, then remove the change."""
    if not life.coupon:
        yield Finding(TOPIC_NAME, Assumption.COUPON_BESIDE_CHANGE, NO_COUPON, State.UNREADABLE, ADD_RATE)
        return
    changes.swap_coupons(
        life.trial_subscription, key=life.new_key(), add=[life.coupon], remove=[], changing_to=life.monthly
    )
    subscription = retrieve_subscription(life.trial_subscription)
    has_coupon = any(row.get("coupon_id") == life.coupon for row in subscription.payload["coupons"])
    is_scheduled = subscription.changing_to == life.monthly
    found = (
        f"the coupon {'stays' if has_coupon else 'is missing'}, the change {'stays' if is_scheduled else 'is missing'}"
    )
    yield assume(Assumption.COUPON_BESIDE_CHANGE, found, holds=has_coupon and is_scheduled)
    changes.remove_scheduled_change(life.trial_subscription, key=life.new_key())


def compare_time_zones(life: Life) -> Iterator[Finding]:
    """Estimate changes half an hour before and after midnight of the portal's time zone, and read their dates."""
    midnight = (life.now().astimezone(life.zone) + timedelta(days=2)).replace(hour=0, minute=0, second=0, microsecond=0)
    for instant in (midnight - timedelta(minutes=30), midnight + timedelta(minutes=30)):
        life.travel_to(instant)
        estimate = trial_requests.estimate_change_lines(life.pausing_subscription, price=life.other_monthly)
        life.lines += dated_lines([estimate])
    yield judge_time_zone(life.lines)
