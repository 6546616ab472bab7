"""Steps of a trial: a subscription pauses and resumes."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from billing.gateway import changes, estimates, subscriptions
from billing.gateway.errors import PaymentRefused, Refused
from billing.gateway.site import trial_requests
from billing.gateway.snapshots import Raw
from billing.site_check.assumptions import Assumption, assume
from billing.site_check.findings import Finding
from billing.site_check.trial.life import Life, charged_cents, describe_refusal, newest_invoice

ACTIVE, PAUSED = "active", "paused"


def start_second(life: Life) -> Iterator[Finding]:
    """Start another subscription of the same customer."""
    changes.start_subscription(
        life.pausing_subscription, key=life.new_key(), customer_id=life.customer, price=life.monthly, coupons=[]
    )
    yield from ()


def schedule_pause(life: Life) -> Iterator[Finding]:
    """Schedule a pause for the end of the term."""
    subscriptions.pause_at_term_end(life.pausing_subscription, key=life.new_key())
    raw = trial_requests.read_subscription(life.pausing_subscription)
    holds = (
        raw["status"] == ACTIVE and raw.get("pause_date") == raw["current_term_end"] and "next_billing_at" not in raw
    )
    yield assume(Assumption.SCHEDULED_PAUSE, _describe_pause(raw), holds=holds)


def estimate_renewal(life: Life) -> Iterator[Finding]:
    """Estimate the renewal under the scheduled pause."""
    amount = estimates.estimate_renewal(life.pausing_subscription).amount_due
    yield assume(Assumption.RENEWAL_ESTIMATE, "an amount" if amount else "no invoice", holds=amount > 0)


def change_under_pause(life: Life) -> Iterator[Finding]:
    """Change the price now under the scheduled pause."""
    changes.change_price_now(life.pausing_subscription, key=life.new_key(), price=life.other_monthly)
    raw = trial_requests.read_subscription(life.pausing_subscription)
    yield assume(Assumption.CHANGE_UNDER_PAUSE, _describe_pause(raw), holds="pause_date" in raw)


def remove_pause(life: Life) -> Iterator[Finding]:
    """Remove the scheduled pause."""
    subscriptions.remove_scheduled_pause(life.pausing_subscription, key=life.new_key())
    raw = trial_requests.read_subscription(life.pausing_subscription)
    holds = raw.get("next_billing_at") == raw["current_term_end"] and "pause_date" not in raw
    yield assume(Assumption.PAUSE_REMOVED, _describe_pause(raw), holds=holds)


def ask_for_refusals(life: Life) -> Iterator[Finding]:
    """Remove a pause that is not there, and pause beside a scheduled change."""
    changes.change_price_at_term_end(life.pausing_subscription, key=life.new_key(), price=life.monthly)
    refusals = [
        _refusal(lambda: subscriptions.remove_scheduled_pause(life.pausing_subscription, key=life.new_key())),
        _refusal(lambda: subscriptions.pause_at_term_end(life.pausing_subscription, key=life.new_key())),
    ]
    changes.remove_scheduled_change(life.pausing_subscription, key=life.new_key())
    raw = trial_requests.read_subscription(life.pausing_subscription)
    found = ", ".join(refusal or "accepted" for refusal in refusals)
    yield assume(Assumption.PAUSE_ERROR, found, holds=all(refusals) and "pause_date" not in raw)


def resume_in_term(life: Life) -> Iterator[Finding]:
    """Pause at once, as customer service can, and resume within the paid term."""
    trial_requests.pause_now(life.pausing_subscription, key=life.new_key())
    before = len(trial_requests.find_invoices(life.pausing_subscription))
    subscriptions.resume_now(life.pausing_subscription, key=life.new_key())
    raw = trial_requests.read_subscription(life.pausing_subscription)
    count = len(trial_requests.find_invoices(life.pausing_subscription)) - before
    yield assume(
        Assumption.RESUME_IN_TERM, f"{raw['status']}, {count} invoices", holds=raw["status"] == ACTIVE and not count
    )


def let_pause_begin(life: Life) -> Iterator[Finding]:
    """Schedule a pause and travel past the end of the term."""
    subscriptions.pause_at_term_end(life.pausing_subscription, key=life.new_key())
    before = len(trial_requests.find_invoices(life.pausing_subscription))
    life.travel_past(trial_requests.read_subscription(life.pausing_subscription)["current_term_end"])
    raw = trial_requests.read_subscription(life.pausing_subscription)
    count = len(trial_requests.find_invoices(life.pausing_subscription)) - before
    yield assume(Assumption.PAUSED, f"{raw['status']}, {count} invoices", holds=raw["status"] == PAUSED and not count)


def resume_after_term(life: Life) -> Iterator[Finding]:
    """Resume five days after the paid term."""
    life.travel_to(life.now() + timedelta(days=5))
    estimate = estimates.estimate_resume(life.pausing_subscription).now.amount_due
    subscriptions.resume_now(life.pausing_subscription, key=life.new_key())
    raw = trial_requests.read_subscription(life.pausing_subscription)
    difference = charged_cents(newest_invoice(life.pausing_subscription)) - estimate
    found = f"{raw['status']}, {f'{difference} cents apart' if difference else 'the same amount'}"
    yield assume(Assumption.RESUME_AFTER_TERM, found, holds=raw["status"] == ACTIVE and not difference)


def resume_with_declining_card(life: Life) -> Iterator[Finding]:
    """Resume after the term with a card that declines every charge."""
    changes.start_subscription(
        life.unpaid_subscription, key=life.new_key(), customer_id=life.customer, price=life.monthly, coupons=[]
    )
    subscriptions.pause_at_term_end(life.pausing_subscription, key=life.new_key())
    trial_requests.add_card(life.customer, trial_requests.DECLINING_CARD, key=life.new_key())
    ends = [
        trial_requests.read_subscription(handle)["current_term_end"]
        for handle in (life.pausing_subscription, life.unpaid_subscription)
    ]
    life.travel_past(max(ends))
    try:
        subscriptions.resume_now(life.pausing_subscription, key=life.new_key())
        refusal, is_payment = "accepted", False
    except Refused as error:
        refusal, is_payment = describe_refusal(error), isinstance(error, PaymentRefused)
    raw = trial_requests.read_subscription(life.pausing_subscription)
    found = f"{refusal}, then {raw['status']}"
    yield assume(Assumption.RESUME_DECLINED, found, holds=is_payment and raw["status"] == PAUSED)


def _describe_pause(raw: Raw) -> str:
    pause, billing = raw.get("pause_date"), raw.get("next_billing_at")
    return (
        f"{raw['status']}, pause {'at the end of the term' if pause == raw['current_term_end'] else 'elsewhere'}"
        if pause
        else f"{raw['status']}, no pause"
    ) + (", a next bill" if billing else ", no next bill")


def _refusal(request: Callable[[], object]) -> str:
    """Return how the provider refuses a request, empty if it does not."""
    try:
        request()
    except Refused as error:
        return describe_refusal(error)
    return ""
