"""What operations do with an intent that a payer has authorized: save its source, or charge what was authorized."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import collection, gateway, payment_intents, payment_source_roles
from chargebee_sandbox.models import Customer, PaymentIntent, PaymentSource
from chargebee_sandbox.operations.lookup import find_resource


def find_authorized_intent(params: Params, customer: Customer) -> PaymentIntent:
    """Return the intent that a request names. Raises: ApiError 400 payment_intent_invalid unless it can be used."""
    reference = params.object("payment_intent")
    reference.allow_only(("id",))
    intent = find_resource(PaymentIntent, reference.required_text("id"), "payment_intent[id]")
    if intent.customer_id not in ("", customer.handle):
        raise _invalid_intent("belongs to another customer")
    if intent["status"] != "authorized" or intent.instrument is None:
        raise _invalid_intent(f"is {intent['status']}; only an authorized one can be used")
    return intent


@contextmanager
def charge_requested_intent(params: Params, customer: Customer, *, replaces_primary: bool = False) -> Iterator[None]:
    """Charge inside the block the intent that a request names, if any; a new card is saved, and the intent consumed.

    ``replaces_primary`` is the operation's default for ``replace_primary_payment_source``.

    Raises: as ``find_authorized_intent``.
    """
    if "payment_intent" not in params:
        yield
        return
    intent = find_authorized_intent(params, customer)
    source = stored_source(intent, customer)
    if source is None:
        built = build_source(customer, intent.instrument or {}, intent.refusal)
        as_primary = params.boolean("replace_primary_payment_source", default=replaces_primary)
        source = save_source(built, customer, as_primary=as_primary)
    with collection.charge_authorized(source, intent["amount"], intent["currency_code"]):
        yield
    payment_intents.consume_intent(intent)


def stored_source(intent: PaymentIntent, customer: Customer) -> PaymentSource | None:
    """Return the customer's source with which an intent was authorized, None if it is a new one."""
    sources = PaymentSource.objects.filter(customer_id=customer.handle, deleted=False)
    return sources.filter(body__reference_id=(intent.instrument or {})["reference_id"]).first()


def build_source(customer: Customer, body: Body, refusal: str) -> PaymentSource:
    """Return a new, unsaved source of a customer; ``refusal`` is the gateway's decline code for charges of it."""
    shared = {
        "customer_id": customer.handle,
        "status": "valid",
        "gateway_account_id": gateway.ACCOUNT_ID,
        "created_at": clock.now_seconds(),
        "deleted": False,
    }
    return PaymentSource.build_row(
        identifiers.new_id("pm_"), {**shared, **body}, customer_id=customer.handle, refusal=refusal
    )


def save_source(source: PaymentSource, customer: Customer, *, as_primary: bool) -> PaymentSource:
    """Save a new source, the first one as the primary, and record the events."""
    source.save()
    if as_primary or "primary_payment_source_id" not in customer.body:
        payment_source_roles.make_primary(customer, source)
    customer.set_attributes(auto_collection="on")
    customer.save()
    event_log.record_event("payment_source_added", customer=customer, payment_source=source)
    if source["type"] == "card":
        event_log.record_event("card_added", customer=customer, card=event_log.render_card(source))
    return source


def _invalid_intent(reason: str) -> ApiError:
    message = f"The payment intent {reason}"
    return ApiError(400, "payment_intent_invalid", message, kind="payment", param="payment_intent[id]")
