"""Payment sources: cards of the test gateway and PayPal agreements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from billing.sandbox import clock, events, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import gateway, instruments, intents, roles, tokens
from billing.sandbox.models import Customer, PaymentIntent, PaymentSource, Subscription, Token
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import ApiError, wrong_value
from billing.sandbox.wire.params import Params, required

_FILTERS = {
    "customer_id": "string",
    "type": "enum",
    "status": "enum",
    "updated_at": "timestamp",
    "created_at": "timestamp",
}


@router.post(
    "payment_source.create_card",
    "/payment_sources/create_card",
    "customer_id card replace_primary_payment_source",
)
def create_card(params: Params) -> Body:
    """Put a card into the vault; its number and code are not kept.

    Raises: ApiError 400 payment_method_verification_failed for a card the gateway does not take.
    """
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    card = params.object("card")
    card.allow_only(
        (*instruments.CARD_TEXTS, "gateway_account_id", "number", "expiry_month", "expiry_year", "cvv")
    )
    with _verification():
        vaulted = gateway.vault(card.needed("number"))
    month = required(_month(card), "card[expiry_month]")
    year = required(_year(card), "card[expiry_year]")
    return _add(customer, params, instruments.card(vaulted, month, year, _texts(card)), vaulted.refusal)


@router.post(
    "payment_source.create_using_token",
    "/payment_sources/create_using_token",
    "customer_id token_id replace_primary_payment_source",
)
def create_using_token(params: Params) -> Body:
    """Add the card that the card fields exchanged for a token; this uses the token up.

    Raises: ApiError 404 for a token this site did not give, 400 for one that was used or has expired, 400
    payment_method_verification_failed for a card the gateway does not take (the token is then still good).
    """
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    token = found(Token, params.needed("token_id"), "token_id")
    if token["status"] != "new":
        raise wrong_value("token_id", f"The token is {token['status']} already")
    with _verification():
        gateway.verify(token.verification)
    tokens.consume(token)
    return _add(customer, params, token.instrument, token.refusal)


@router.post(
    "payment_source.create_using_payment_intent",
    "/payment_sources/create_using_payment_intent",
    "customer_id payment_intent replace_primary_payment_source",
)
def create_using_payment_intent(params: Params) -> Body:
    """Add what the payer of an intent agreed to pay with; this uses the intent up.

    Raises: ApiError 400 payment_intent_invalid unless it is authorized, and for another customer's.
    """
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    named = params.object("payment_intent")
    named.allow_only(("id",))
    intent = found(PaymentIntent, named.needed("id"), "payment_intent[id]")
    if intent.customer_id not in ("", customer.handle):
        raise _invalid_intent("belongs to another customer")
    if intent["status"] != "authorized" or intent.instrument is None:
        raise _invalid_intent(f"is {intent['status']}; only an authorized one can be used")
    instrument = intent.instrument
    intents.consume(intent)
    return _add(customer, params, instrument, intent.refusal)


@router.post(
    "payment_source.create_using_permanent_token",
    "/payment_sources/create_using_permanent_token",
    "customer_id type reference_id replace_primary_payment_source",
)
def create_using_permanent_token(params: Params) -> Body:
    """Take over a PayPal billing agreement; PayPal's address is the customer's own."""
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    agreement = params.needed("reference_id")
    params.choice("type", ("paypal_express_checkout",), "")
    return _add(customer, params, instruments.paypal(customer.get("email"), agreement), gateway.APPROVED)


@router.get("payment_source.retrieve", "/payment_sources/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One payment source."""
    return {"payment_source": found(PaymentSource, handle).render()}


@router.get("payment_source.list", "/payment_sources", takes=None)
def list_payment_sources(params: Params) -> Body:
    """A page of payment sources."""
    rows = lists.undeleted(PaymentSource.objects.all(), params)
    if subscription_id := params.text("subscription_id"):
        rows = rows.filter(handle=found(Subscription, subscription_id).get("payment_source_id", ""))
    return lists.page(
        rows,
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=lambda source: {"payment_source": source.render()},
        columns={"customer_id": "customer_id"},
        also=("include_deleted", "subscription_id"),
    )


@router.post("payment_source.update_card", "/payment_sources/{handle}/update_card", "card")
def update_card(params: Params, handle: str) -> Body:
    """Change the names, the billing address and the expiry of a card; empty clears a text. Its number never changes.

    Raises: ApiError 400 for a payment source that is no card.
    """
    source = found(PaymentSource, handle)
    if source["type"] != "card":
        raise ApiError(400, "invalid_request", f"The payment source {handle} is not a card")
    card = params.object("card")
    card.allow_only((*instruments.CARD_TEXTS, "expiry_month", "expiry_year"))
    expiry = {"expiry_month": _month(card), "expiry_year": _year(card)}
    texts = {name: card.text(name) for name in instruments.CARD_TEXTS if name in card}
    changed = {**source["card"], **texts, **{name: value for name, value in expiry.items() if value}}
    source.change(card={name: value for name, value in changed.items() if value is not None})
    source.save()
    customer = Customer.objects.get(handle=source.customer_id)
    events.record("payment_source_updated", customer=customer, payment_source=source)
    events.record("card_updated", customer=customer, card=events.card(source))
    return {"customer": customer.render(), "payment_source": source.render()}


@router.post("payment_source.delete", "/payment_sources/{handle}/delete")
def delete(params: Params, handle: str) -> Body:
    """Take a payment source away; where it was the primary one the backup, or else the newest free one, takes over.

    Subscriptions that were tied to it are charged to the customer's primary source from now on.
    """
    source = found(PaymentSource, handle)
    customer = found(Customer, source.customer_id)
    source.deleted = True
    source.change(deleted=True)
    source.save()
    for subscription in Subscription.objects.filter(body__payment_source_id=handle):
        subscription.change(payment_source_id=None)
        subscription.save()
    roles.fill_after(customer, handle)
    customer.save()
    if source["type"] == "card":
        events.record("card_deleted", customer=customer, card=events.card(source))
    events.record("payment_source_deleted", customer=customer, payment_source=source)
    return {"customer": customer.render(), "payment_source": source.render()}


@contextmanager
def _verification() -> Iterator[None]:
    try:
        yield
    except gateway.CardRefused as refusal:
        message = f"Problem while adding the card. Error message: {refusal}"
        raise ApiError(400, "payment_method_verification_failed", message, kind="payment") from None


def _invalid_intent(reason: str) -> ApiError:
    message = f"The payment intent {reason}"
    return ApiError(400, "payment_intent_invalid", message, kind="payment", param="payment_intent[id]")


def _texts(card: Params) -> dict[str, str]:
    return {name: value for name in instruments.CARD_TEXTS if (value := card.text(name))}


def _month(card: Params) -> int | None:
    return card.integer("expiry_month", least=1, most=12)


def _year(card: Params) -> int | None:
    return card.integer("expiry_year", least=2000, most=2100)


def _add(customer: Customer, params: Params, body: Body, refusal: str) -> Body:
    shared = {
        "customer_id": customer.handle,
        "status": "valid",
        "gateway_account_id": gateway.ACCOUNT_ID,
        "created_at": clock.now(),
        "deleted": False,
    }
    source = PaymentSource.make(
        identifiers.new("pm_"), {**shared, **body}, customer_id=customer.handle, refusal=refusal
    )
    source.save()
    if params.boolean("replace_primary_payment_source") or "primary_payment_source_id" not in customer.body:
        roles.make_primary(customer, source)
    customer.change(auto_collection="on")
    customer.save()
    events.record("payment_source_added", customer=customer, payment_source=source)
    if source["type"] == "card":
        events.record("card_added", customer=customer, card=events.card(source))
    return {"customer": customer.render(), "payment_source": source.render()}
