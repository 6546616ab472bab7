"""Steps of a trial: nobody pays, subscriptions end, requests are repeated, and the time machine takes a small step."""

from collections.abc import Iterator
from datetime import timedelta

from billing.gateway import changes, customers, payment_methods, subscriptions
from billing.gateway.errors import Refused
from billing.gateway.site import trial_requests
from billing.gateway.snapshots import Raw
from billing.site_check.assumptions import TOPIC_NAME, Assumption, assume
from billing.site_check.findings import Finding, State
from billing.site_check.payments import GATEWAYS
from billing.site_check.trial.life import Life, describe_refusal
from billing.terms import DEFAULT_CURRENCY

IN_PROGRESS = "in_progress"
OPEN_INTENT = "inited"
# Chargebee's longest dunning tries twelve times; a site can also try once a day.
MOST_RETRIES = 35
JOURNEY_SECONDS = (1, 60, 3600)


def fall_due(life: Life) -> Iterator[Finding]:
    """Read the renewal that was declined."""
    invoice, raw = _unpaid_invoice(life), trial_requests.read_subscription(life.unpaid_subscription)
    found = (
        f"invoice {invoice.get('status', 'missing')}, dunning {invoice.get('dunning_status', 'none')}, {raw['status']}"
    )
    holds = invoice.get("status") == "payment_due" and invoice.get("dunning_status") == IN_PROGRESS
    yield assume(Assumption.DUNNING, found, holds=holds)


def exhaust_dunning(life: Life) -> Iterator[Finding]:
    """Travel from retry to retry until dunning ends."""
    retries = 0
    while (invoice := _unpaid_invoice(life)).get("dunning_status") == IN_PROGRESS and retries < MOST_RETRIES:
        life.travel_past(invoice.get("next_retry_at") or int((life.now() + timedelta(days=1)).timestamp()))
        retries += 1
    raw = trial_requests.read_subscription(life.unpaid_subscription)
    found = f"after {retries} journeys: invoice {invoice.get('status')}, subscription {raw['status']}"
    yield assume(Assumption.DUNNING_END, found, holds=invoice.get("dunning_status") != IN_PROGRESS)


def take_back_cancellation(life: Life) -> Iterator[Finding]:
    """Cancel at the end of the term, and remove the cancellation."""
    changes.cancel_at_term_end(life.trial_subscription, key=life.new_key())
    leaving = trial_requests.read_subscription(life.trial_subscription)
    changes.remove_scheduled_cancellation(life.trial_subscription, key=life.new_key())
    back = trial_requests.read_subscription(life.trial_subscription)
    holds = (
        (leaving["status"], back["status"]) == ("non_renewing", "active")
        and leaving.get("cancelled_at") == leaving["current_term_end"]
        and back.get("next_billing_at") == back["current_term_end"]
    )
    yield assume(Assumption.CANCELLATION, f"{leaving['status']}, then {back['status']}", holds=holds)


def end_paused(life: Life) -> Iterator[Finding]:
    """Cancel the paused subscription at once."""
    changes.cancel_now(life.pausing_subscription, key=life.new_key())
    status = trial_requests.read_subscription(life.pausing_subscription)["status"]
    yield assume(Assumption.ENDED, str(status), holds=status == "cancelled")


def repeat_key(life: Life) -> Iterator[Finding]:
    """Make a change twice with one key."""
    key = life.new_key()
    first, second = (
        customers.rename_customer(life.customer, key=key, first_name="Checked", last_name="Site").version
        for _ in range(2)
    )
    found = f"{_describe_replay(life)}, {'the same' if first == second else 'another'} version"
    yield assume(Assumption.REPEATED_KEY, found, holds=first == second)


def repeat_refused_key(life: Life) -> Iterator[Finding]:
    """Make a refused request twice with one key."""
    key, refusals = life.new_key(), []
    for _ in range(2):
        try:
            subscriptions.remove_scheduled_pause(life.trial_subscription, key=key)
            refusals.append("accepted")
        except Refused as error:
            refusals.append(describe_refusal(error))
    holds = refusals[0] == refusals[1] != "accepted"
    found = f"{refusals[0]}, then {refusals[1]}, {_describe_replay(life)}"
    yield assume(Assumption.REPEATED_REFUSAL, found, holds=holds)


def ask_for_card_intent(life: Life) -> Iterator[Finding]:
    """Create a payment intent of nothing for a card."""
    status = _create_intent(life, payment_methods.CARD)
    yield assume(Assumption.CARD_INTENT, status, holds=status == OPEN_INTENT)


def ask_for_paypal_intent(life: Life) -> Iterator[Finding]:
    """Create a payment intent of nothing for a PayPal account, which a site need not offer."""
    status = _create_intent(life, payment_methods.PAYPAL)
    if status == OPEN_INTENT:
        yield assume(Assumption.PAYPAL_INTENT, status, holds=True)
        return
    todo = f"Set up PayPal at {GATEWAYS}, or leave it: the portal then offers cards only."
    yield Finding(TOPIC_NAME, Assumption.PAYPAL_INTENT, status, State.LOOK, todo)


def travel_little(life: Life) -> Iterator[Finding]:
    """Travel as little as the time machine accepts."""
    refusals = []
    for seconds in JOURNEY_SECONDS:
        try:
            life.travel_to(life.now() + timedelta(seconds=seconds))
        except Refused as error:
            refusals.append(f"{seconds} s: {describe_refusal(error)}")
            continue
        yield assume(Assumption.SMALLEST_JOURNEY, f"{seconds} s", holds=True)
        return
    yield assume(Assumption.SMALLEST_JOURNEY, ", ".join(refusals), holds=False)


def _create_intent(life: Life, method: str) -> str:
    """Return the status of a new intent, or how it was refused."""
    try:
        intent = payment_methods.create_intent(
            life.customer, method=method, amount=0, currency=DEFAULT_CURRENCY, key=life.new_key()
        )
        return str(intent.get("status"))
    except Refused as error:
        return f"refused: {describe_refusal(error)}"


def _unpaid_invoice(life: Life) -> Raw:
    """Return the invoice of the renewal that was declined: the subscription's second, empty without one."""
    return dict(enumerate(trial_requests.find_invoices(life.unpaid_subscription))).get(1, {})


def _describe_replay(life: Life) -> str:
    return "replayed" if life.exchanges[-1].replayed else "asked again"
