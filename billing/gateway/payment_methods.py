"""Payment methods at the provider: add them by payment intent, assign roles, remove, collect payments.

Card data never passes through here: the browser sends it to the provider, and a payment intent stands for it. Every
function is idempotent.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from billing.gateway import records
from billing.gateway.answers import changed_records, find_related_records
from billing.gateway.errors import Missing, NotSent, PaymentRefused, Refused, Unconfirmed
from billing.gateway.http.client import (
    UNREADABLE_ERRORS,
    chargebee_sdk,
    read_from_provider,
    write_to_provider,
)
from billing.gateway.scheduled import read_subscription_snapshot
from billing.gateway.snapshots import (
    CustomerSnapshot,
    InvoiceSnapshot,
    PaymentSourceSnapshot,
    Snapshot,
    TransactionSnapshot,
)

logger = logging.getLogger(__name__)

CARD, PAYPAL = "card", "paypal_express_checkout"
CANCELED = "cancelled"


def create_intent(
    customer_id: str, *, method: str, amount: int, currency: str, source: str = "", key: str
) -> dict[str, Any]:
    """Create a payment intent for a CARD or a PAYPAL account.

    An `amount` (cents of `currency`) of 0 only saves the method. With `source`, the id of a stored card, the intent
    charges that card.

    Return the provider's object, which its script in the browser reads. Raises NotSent, Unconfirmed and Refused.
    """
    params = {
        "customer_id": customer_id,
        "amount": amount,
        "currency_code": currency,
        "payment_method_type": method,
        **(_stored_card_params(source) if source else {}),
    }
    answer = write_to_provider(chargebee_sdk().PaymentIntent.create, key=key, params=params)
    try:
        intent: dict[str, Any] = dict(answer.payment_intent.raw_data)
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without its intent") from error
    return intent


def is_intent_authorized(
    intent_id: str, *, customer_id: str, method: str, amount: int, currency: str, source: str | None = ""
) -> bool:
    """Return whether an intent is authorized and this customer's, for this method, amount (cents) and stored card.

    An empty `source` is a method that is not stored yet, None any.
    Raises Missing for an unknown intent, and NotSent when the provider could not be reached.
    """
    answer = read_from_provider(chargebee_sdk().PaymentIntent.retrieve, intent_id)
    expected: dict[str, Any] = {
        "status": "authorized",
        "customer_id": customer_id,
        "amount": amount,
        "currency_code": currency,
        "payment_method_type": method,
    }
    if source is not None:
        expected["reference_id"] = _stored_card_params(source)["reference_id"] if source else None
    try:
        intent = answer.payment_intent.raw_data
        return {name: intent.get(name) for name in expected} == expected
    except UNREADABLE_ERRORS as error:
        raise NotSent("an intent that cannot be read") from error


def _stored_card_params(source: str) -> dict[str, str]:
    answer = read_from_provider(chargebee_sdk().PaymentSource.retrieve, source)
    try:
        raw = answer.payment_source.raw_data
        return {"reference_id": raw["reference_id"], "gateway_account_id": raw["gateway_account_id"]}
    except UNREADABLE_ERRORS as error:
        raise NotSent("a payment source that cannot be read") from error


def add_source(*, key: str, customer: str, intent: str, as_primary: bool) -> list[Snapshot]:
    """Add the card or the PayPal account of an authorized intent. Raises PaymentRefused when it is refused."""
    params = {
        "customer_id": customer,
        "payment_intent": {"id": intent},
        "replace_primary_payment_source": as_primary,
    }
    return _changed_source_records(
        lambda: write_to_provider(chargebee_sdk().PaymentSource.create_using_payment_intent, key=key, params=params)
    )


def update_card(*, key: str, source: str, **card: str) -> list[Snapshot]:
    """Change the cardholder's name, state and zip. The number never changes."""
    return _changed_source_records(
        lambda: write_to_provider(chargebee_sdk().PaymentSource.update_card, source, key=key, params={"card": card})
    )


def assign_role(*, key: str, customer: str, source: str, role: str) -> list[Snapshot]:
    """Make a source the `primary` or the `backup` one."""
    params = {"payment_source_id": source, "role": role}
    try:
        return _changed_source_records(
            lambda: write_to_provider(chargebee_sdk().Customer.assign_payment_role, customer, key=key, params=params)
        )
    except Refused:
        snapshot = records.find_record("customer", customer)
        if snapshot.payload.get(f"{role}_payment_source_id") != source:
            raise
        return [snapshot]


def move_subscription_to_source(*, key: str, subscription: str, source: str, tied_to: str) -> list[Snapshot]:
    """Charge a subscription to another source, unless it is no longer tied to `tied_to` or has ended."""
    try:
        raw = _read_raw_subscription(subscription)
    except Missing:
        return []  # deleted, so it is never charged again
    if raw.get("payment_source_id") != tied_to or raw["status"] == CANCELED:
        return [read_subscription_snapshot(raw)]
    # The provider resets parameters that are left out to the customer's defaults.
    params = {"payment_source_id": source, "auto_collection": raw.get("auto_collection")}
    params = {name: value for name, value in params.items() if value}
    return changed_records(
        write_to_provider(chargebee_sdk().Subscription.override_billing_profile, subscription, key=key, params=params)
    )


def _read_raw_subscription(subscription: str) -> dict[str, Any]:
    answer = read_from_provider(chargebee_sdk().Subscription.retrieve, subscription)
    try:
        return dict(answer.subscription.raw_data)
    except UNREADABLE_ERRORS as error:
        raise NotSent("a subscription that cannot be read") from error


def remove_source(*, key: str, customer: str, source: str, tied: Sequence[str] = ()) -> list[Snapshot]:
    """Remove a source. When it was the primary one, the provider chooses another.

    The subscriptions that were `tied` to it are read again: the provider now charges them to the primary source.
    """
    try:
        snapshots = _changed_source_records(
            lambda: write_to_provider(chargebee_sdk().PaymentSource.delete, source, key=key)
        )
    except Missing:
        snapshots = [records.find_record("customer", customer)]
    return [*snapshots, *find_related_records("subscription", tied)]


def collect_payment(*, key: str, invoice: str, source: str) -> list[Snapshot]:
    """Charge the amount due of an invoice to a source. A decline, or nothing left to collect, is not an error.

    Return the invoice after the attempt, with the payment when there was one.
    """
    params = {"payment_source_id": source, "payment_initiator": "customer"}
    try:
        answer = write_to_provider(chargebee_sdk().Invoice.collect_payment, invoice, key=key, params=params)
    except PaymentRefused:
        return _find_if_reachable("invoice", invoice)
    except Refused as error:
        if isinstance(error, Missing):
            raise
        logger.warning("Invoice %s was not collected: %s", invoice, error)
        return _find_if_reachable("invoice", invoice)
    try:
        payment = TransactionSnapshot.from_raw(answer.transaction.raw_data)
        return [payment, InvoiceSnapshot.from_raw(answer.invoice.raw_data)]
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without what was collected") from error


def collect_authorized(*, key: str, customer: str, intent: str, due: Mapping[str, int]) -> list[Snapshot]:
    """Charge what the payer has authorized with a stored card: `due` are the cents of each invoice.

    Return the payment and the invoices. Raises PaymentRefused when the charge was declined.
    """
    params = {
        "payment_intent": {"id": intent},
        "invoice_allocations": [
            {"invoice_id": invoice, "allocation_amount": amount} for invoice, amount in due.items()
        ],
        "payment_initiator": "customer",
    }
    answer = write_to_provider(chargebee_sdk().Customer.collect_payment, customer, key=key, params=params)
    try:
        payment = TransactionSnapshot.from_raw(answer.transaction.raw_data)
        return [payment, *(records.find_record("invoice", invoice) for invoice in due)]
    except (NotSent, *UNREADABLE_ERRORS) as error:
        raise Unconfirmed("an answer without what was collected") from error


def _find_if_reachable(kind: str, resource_id: str) -> list[Snapshot]:
    try:
        return [records.find_record(kind, resource_id)]
    except NotSent:
        return []  # a webhook brings it later


def _changed_source_records(call: Callable[[], Any]) -> list[Snapshot]:
    answer = call()
    try:
        return [
            CustomerSnapshot.from_raw(answer.customer.raw_data),
            PaymentSourceSnapshot.from_raw(answer.payment_source.raw_data),
        ]
    except UNREADABLE_ERRORS as error:
        raise Unconfirmed("an answer without its payment source") from error
