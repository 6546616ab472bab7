"""Payment methods at the provider: cards by token, PayPal by intent, roles, removal, collecting what is due.

Card data never passes here: the browser gives it to the provider, and a token or an intent stands for it. Every
function may be asked again: what is done already is answered as it is.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from billing.gateway import records
from billing.gateway.answers import changed, read_besides
from billing.gateway.client import UNREADABLE, read, sdk, write
from billing.gateway.errors import Missing, NotSent, PaymentRefused, Refused, Unconfirmed
from billing.gateway.scheduled import subscription_of
from billing.gateway.snapshots import (
    CustomerSnapshot,
    InvoiceSnapshot,
    PaymentSourceSnapshot,
    Snapshot,
    TransactionSnapshot,
)

logger = logging.getLogger(__name__)

PAYPAL = "paypal_express_checkout"
CURRENCY = "USD"
# An intent that only lets us keep the PayPal account: what is due is collected afterwards.
NOTHING_TO_PAY = 0
ENDED = "cancelled"


def create_paypal_intent(customer_id: str, *, key: str) -> dict[str, Any]:
    """Return a new payment intent as the provider made it, which its script reads in the browser.

    Raises NotSent, Unconfirmed and Refused.
    """
    params = {
        "customer_id": customer_id,
        "amount": NOTHING_TO_PAY,
        "currency_code": CURRENCY,
        "payment_method_type": PAYPAL,
    }
    answer = write(sdk().PaymentIntent.create, key=key, params=params)
    try:
        intent: dict[str, Any] = dict(answer.payment_intent.raw_data)
    except UNREADABLE as error:
        raise Unconfirmed("an answer without its intent") from error
    return intent


def is_authorised(intent_id: str, *, customer_id: str) -> bool:
    """Return whether an intent is this customer's, for keeping a PayPal account, and authorised at the provider.

    Raises Missing for one that the provider does not know, NotSent when it could not be asked.
    """
    answer = read(sdk().PaymentIntent.retrieve, intent_id)
    try:
        intent = answer.payment_intent.raw_data
        found = (intent["status"], intent.get("customer_id"), intent["amount"], intent["currency_code"])
        return found == ("authorized", customer_id, NOTHING_TO_PAY, CURRENCY) and (
            intent.get("payment_method_type") == PAYPAL
        )
    except UNREADABLE as error:
        raise NotSent("an intent that cannot be read") from error


def add_card(*, key: str, customer: str, token: str, as_primary: bool) -> list[Snapshot]:
    """Add the card that a token stands for. Raises PaymentRefused when the card is refused."""
    params = {"customer_id": customer, "token_id": token, "replace_primary_payment_source": as_primary}
    return _changed(lambda: write(sdk().PaymentSource.create_using_token, key=key, params=params))


def add_paypal(*, key: str, customer: str, intent: str, as_primary: bool) -> list[Snapshot]:
    """Add the PayPal account that an authorised intent stands for."""
    params = {
        "customer_id": customer,
        "payment_intent": {"id": intent},
        "replace_primary_payment_source": as_primary,
    }
    return _changed(lambda: write(sdk().PaymentSource.create_using_payment_intent, key=key, params=params))


def update_card(*, key: str, source: str, **card: str) -> list[Snapshot]:
    """Change what a card says of its owner: names, state and zip; its number never changes."""
    return _changed(lambda: write(sdk().PaymentSource.update_card, source, key=key, params={"card": card}))


def assign_role(*, key: str, customer: str, source: str, role: str) -> list[Snapshot]:
    """Make a source the `primary` or the `backup` one."""
    params = {"payment_source_id": source, "role": role}
    try:
        return _changed(lambda: write(sdk().Customer.assign_payment_role, customer, key=key, params=params))
    except Refused:
        found = records.find("customer", customer)
        if found.payload.get(f"{role}_payment_source_id") != source:
            raise
        return [found]


def take_subscription(*, key: str, subscription: str, source: str, tied_to: str) -> list[Snapshot]:
    """Charge a subscription that is tied to a source to another one; one that is not, or has ended, stays as it is."""
    try:
        held = _raw_subscription(subscription)
    except Missing:
        return []  # nothing is charged for it any more
    if held.get("payment_source_id") != tied_to or held["status"] == ENDED:
        return [subscription_of(held)]
    # What is not said would be the customer's again.
    params = {"payment_source_id": source, "auto_collection": held.get("auto_collection")}
    said = {name: value for name, value in params.items() if value}
    return changed(write(sdk().Subscription.override_billing_profile, subscription, key=key, params=said))


def _raw_subscription(subscription: str) -> dict[str, Any]:
    answer = read(sdk().Subscription.retrieve, subscription)
    try:
        return dict(answer.subscription.raw_data)
    except UNREADABLE as error:
        raise NotSent("a subscription that cannot be read") from error


def remove(*, key: str, customer: str, source: str, tied: Sequence[str] = ()) -> list[Snapshot]:
    """Remove a source; where it was the primary one the provider chooses another.

    The subscriptions that were `tied` to it are read again: the provider charges them to the primary one from now on.
    """
    try:
        found = _changed(lambda: write(sdk().PaymentSource.delete, source, key=key))
    except Missing:
        found = [records.find("customer", customer)]
    return [*found, *read_besides("subscription", tied)]


def collect(*, key: str, invoice: str, source: str) -> list[Snapshot]:
    """Charge a source with what an invoice still wants; a decline, or nothing due any more, is an answer too.

    Returns the invoice as it then is, with the payment when there was one.
    """
    params = {"payment_source_id": source, "payment_initiator": "customer"}
    try:
        answer = write(sdk().Invoice.collect_payment, invoice, key=key, params=params)
    except PaymentRefused:
        return _found("invoice", invoice)
    except Refused as error:
        if isinstance(error, Missing):
            raise
        logger.warning("Invoice %s was not collected: %s", invoice, error)
        return _found("invoice", invoice)
    try:
        payment = TransactionSnapshot.of(answer.transaction.raw_data)
        return [payment, InvoiceSnapshot.of(answer.invoice.raw_data)]
    except UNREADABLE as error:
        raise Unconfirmed("an answer without what was collected") from error


def _found(kind: str, resource_id: str) -> list[Snapshot]:
    try:
        return [records.find(kind, resource_id)]
    except NotSent:
        return []  # its webhook brings it


def _changed(ask: Callable[[], Any]) -> list[Snapshot]:
    answer = ask()
    try:
        return [
            CustomerSnapshot.of(answer.customer.raw_data),
            PaymentSourceSnapshot.of(answer.payment_source.raw_data),
        ]
    except UNREADABLE as error:
        raise Unconfirmed("an answer without its payment source") from error
