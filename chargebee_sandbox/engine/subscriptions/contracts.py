"""Contract terms: a number of billing cycles that a subscription is bound to.

A contract begins with the first paid term. Its subscription cannot be paused, and can only be canceled by ending the
contract. At its end it is renewed, goes on without a contract, or ends with its subscription.
"""

from __future__ import annotations

from decimal import Decimal

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import billing_dates
from chargebee_sandbox.engine.billing import invoicing
from chargebee_sandbox.engine.billing.pricing import round_half_up
from chargebee_sandbox.models import Subscription
from chargebee_sandbox.site_settings import load_settings

ACTIONS_AT_END = ("renew", "evergreen", "cancel", "renew_once")


def request_contract(subscription: Subscription, *, cycles: int, action: str) -> None:
    """Bind a new subscription, unsaved, to a contract that begins with its first term."""
    subscription.requested_contract = {"billing_cycle": cycles, "action_at_term_end": action}


def active_contract(subscription: Subscription) -> Body | None:
    """Return the contract that a subscription is bound to, None without one."""
    contract: Body | None = subscription.get("contract_term")
    return contract


def count_term(subscription: Subscription) -> None:
    """Begin a requested contract with the term that has begun, or count the term in the running one, unsaved.

    The term after the last one of a contract begins the next contract, or none.
    """
    contract = active_contract(subscription)
    if subscription.requested_contract is not None:
        _begin_contract(subscription, **subscription.requested_contract)
        subscription.requested_contract = None
    elif contract is not None and (remaining := contract["remaining_billing_cycles"]):
        subscription.set_attributes(contract_term={**contract, "remaining_billing_cycles": remaining - 1})
    elif contract is not None:
        _end_contract(subscription, contract)


def cancel_with_contract(subscription: Subscription) -> int:
    """Let the contract end instead of being renewed, unsaved; return when (seconds UTC)."""
    contract = subscription["contract_term"]
    subscription.set_attributes(contract_term={**contract, "action_at_term_end": "cancel"})
    return int(contract["contract_end"])


def keep_contract(subscription: Subscription) -> None:
    """Let a contract that was to end with its subscription go on without an end, unsaved."""
    contract = active_contract(subscription)
    if contract is not None and contract["action_at_term_end"] == "cancel":
        subscription.set_attributes(contract_term={**contract, "action_at_term_end": "evergreen"})


def close_contract(subscription: Subscription) -> None:
    """Close the contract of a subscription that has just been canceled, unsaved, and record the event."""
    contract = active_contract(subscription)
    if contract is None:
        return
    is_over = contract["contract_end"] <= clock.now_seconds()
    _record_contract(subscription, contract, "completed" if is_over else "terminated")


def _begin_contract(subscription: Subscription, billing_cycle: int, action_at_term_end: str) -> None:
    start, first_end = subscription["current_term_start"], subscription["current_term_end"]
    value = invoicing.recurring_price(subscription) * billing_cycle
    subscription.set_attributes(
        contract_term={
            "id": identifiers.new_id(),
            "status": "active",
            "contract_start": start,
            "contract_end": billing_dates.add_periods(
                first_end,
                (billing_cycle - 1) * subscription["billing_period"],
                subscription["billing_period_unit"],
                anchor=subscription.anchor_at,
            ),
            "billing_cycle": billing_cycle,
            "action_at_term_end": action_at_term_end,
            "total_contract_value": round_half_up(value * (100 + Decimal(load_settings().tax_percent)) / 100),
            "total_contract_value_before_tax": value,
            "created_at": clock.now_seconds(),
            "subscription_id": subscription.handle,
            "remaining_billing_cycles": billing_cycle - 1,
            "object": "contract_term",
        }
    )
    if action_at_term_end == "cancel":
        subscription.set_attributes(cancelled_at=subscription["contract_term"]["contract_end"])
    event_log.record_event("contract_term_created", contract_term=subscription["contract_term"])


def _end_contract(subscription: Subscription, contract: Body) -> None:
    """End a contract whose terms are over: it is renewed, or the subscription goes on without one."""
    action = contract["action_at_term_end"]
    _record_contract(subscription, contract, "completed")
    if action not in ("renew", "renew_once"):
        return
    following = "renew" if action == "renew" else "evergreen"
    _begin_contract(subscription, contract["billing_cycle"], following)
    event_log.record_event("contract_term_renewed", contract_term=subscription["contract_term"])


def _record_contract(subscription: Subscription, contract: Body, status: str) -> None:
    """Take a contract that has ended off its subscription, and record the event."""
    subscription.set_attributes(contract_term=None)
    event_log.record_event(f"contract_term_{status}", contract_term={**contract, "status": status})
