"""Operations on payment sources: cards of the test gateway and PayPal agreements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import ApiError, not_found, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import (
    card_tokens,
    gateway,
    payment_instruments,
    payment_intents,
    payment_source_roles,
)
from chargebee_sandbox.models import Customer, PaymentSource, Subscription, Token
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.payments.authorized_intents import build_source, find_authorized_intent, save_source
from chargebee_sandbox.site_settings import CARD_UPDATING_GATEWAYS

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
    """Add a card; its number and code are not stored.

    Raises: ApiError 400 payment_method_verification_failed for a card the gateway declines.
    """
    customer = find_resource(Customer, params.required_text("customer_id"), "customer_id")
    card = params.object("card")
    own_fields = ("gateway_account_id", "number", "expiry_month", "expiry_year", "cvv")
    card.allow_only((*payment_instruments.CARD_OWNER_FIELDS, *own_fields))
    with _raise_verification_error():
        vaulted = gateway.vault_card(card.required_text("number"))
    month = require_value(_expiry_month(card), "card[expiry_month]")
    year = require_value(_expiry_year(card), "card[expiry_year]")
    return _add_source(
        customer,
        params,
        payment_instruments.card_instrument(vaulted, month, year, _card_texts(card)),
        vaulted.refusal,
    )


@router.post(
    "payment_source.create_using_token",
    "/payment_sources/create_using_token",
    "customer_id token_id replace_primary_payment_source",
)
def create_using_token(params: Params) -> Body:
    """Add the card of a token from the card fields, and consume the token.

    Raises: ApiError 404 for an unknown token, 400 for a consumed or expired one, 400
    payment_method_verification_failed for a card the gateway declines, which does not consume the token.
    """
    customer = find_resource(Customer, params.required_text("customer_id"), "customer_id")
    token = find_resource(Token, params.required_text("token_id"), "token_id")
    if token["status"] != "new":
        raise wrong_value("token_id", f"The token is {token['status']} already")
    with _raise_verification_error():
        gateway.verify_card(token.verification)
    card_tokens.consume_token(token)
    return _add_source(customer, params, token.instrument, token.refusal)


@router.post(
    "payment_source.create_using_payment_intent",
    "/payment_sources/create_using_payment_intent",
    "customer_id payment_intent replace_primary_payment_source",
)
def create_using_payment_intent(params: Params) -> Body:
    """Add the instrument of an authorized intent, and consume the intent.

    Raises: ApiError 400 payment_intent_invalid unless it is authorized, and for another customer's.
    """
    customer = find_resource(Customer, params.required_text("customer_id"), "customer_id")
    intent = find_authorized_intent(params, customer)
    payment_intents.consume_intent(intent)
    return _add_source(customer, params, intent.instrument or {}, intent.refusal)


@router.post(
    "payment_source.create_using_permanent_token",
    "/payment_sources/create_using_permanent_token",
    "customer_id type reference_id card replace_primary_payment_source",
)
def create_using_permanent_token(params: Params) -> Body:
    """Add what a gateway has vaulted: a PayPal agreement, a wallet, a bank account; their address is the customer's."""
    customer = find_resource(Customer, params.required_text("customer_id"), "customer_id")
    kind = params.choice("type", payment_instruments.PERMANENT_TYPES, "")
    reference = params.required_text("reference_id")
    instrument = payment_instruments.permanent_instrument(kind, reference, customer.get("email"), _wallet_card(params))
    return _add_source(customer, params, instrument, gateway.APPROVED)


@router.post(
    "payment_source.create_using_temp_token",
    "/payment_sources/create_using_temp_token",
    "customer_id type tmp_token gateway_account_id replace_primary_payment_source",
)
def create_using_temp_token(params: Params) -> Body:
    """Add the card of a gateway's own token; the gateways here know the published test tokens of Stripe.

    Raises: ApiError 400 for an unknown token, 400 payment_method_verification_failed for a card the gateway declines.
    """
    customer = find_resource(Customer, params.required_text("customer_id"), "customer_id")
    params.choice("type", ("card",), "")
    params.text("gateway_account_id")
    number = gateway.TEST_TOKENS.get(params.required_text("tmp_token"))
    if number is None:
        raise wrong_value("tmp_token", "is unknown to the gateway")
    with _raise_verification_error():
        vaulted = gateway.vault_card(number)
    expiry_year = datetime.fromtimestamp(clock.now_seconds(), UTC).year + 3
    instrument = payment_instruments.card_instrument(vaulted, 12, expiry_year, {})
    return _add_source(customer, params, instrument, vaulted.refusal)


@router.get("card.retrieve", "/cards/{handle}")
def retrieve_card(params: Params, handle: str) -> Body:
    """Return a card payment source in the shape of the older card resource."""
    source = find_resource(PaymentSource, handle)
    if source["type"] != "card":
        raise not_found("card", handle)
    return {"card": event_log.render_card(source)}


@router.get("payment_source.retrieve", "/payment_sources/{handle}")
def retrieve_payment_source(params: Params, handle: str) -> Body:
    """Return a payment source."""
    return {"payment_source": find_resource(PaymentSource, handle).render_resource()}


@router.get("payment_source.list", "/payment_sources", takes=None)
def list_payment_sources(params: Params) -> Body:
    """Return a page of payment sources."""
    rows = lists.exclude_deleted(PaymentSource.objects.all(), params)
    if subscription_id := params.text("subscription_id"):
        rows = rows.filter(handle=find_resource(Subscription, subscription_id).get("payment_source_id", ""))
    return lists.list_page(
        rows,
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=lambda source: {"payment_source": source.render_resource()},
        columns={"customer_id": "customer_id"},
        also=("include_deleted", "subscription_id"),
    )


@router.post("payment_source.update_card", "/payment_sources/{handle}/update_card", "card")
def update_card(params: Params, handle: str) -> Body:
    """Change the names, the billing address, and the expiry of a card; an empty text clears it.

    Raises: ApiError 400 for a payment source that is not a card, and for one at a gateway that does not support it.
    """
    source = find_resource(PaymentSource, handle)
    if source["type"] != "card":
        raise ApiError(400, "invalid_request", f"The payment source {handle} is not a card")
    if source["gateway"] not in CARD_UPDATING_GATEWAYS:
        raise ApiError(400, "invalid_request", f"The gateway {source['gateway']} does not support updating a card")
    card = params.object("card")
    card.allow_only((*payment_instruments.CARD_OWNER_FIELDS, "expiry_month", "expiry_year"))
    expiry = {"expiry_month": _expiry_month(card), "expiry_year": _expiry_year(card)}
    texts = {name: card.text(name) for name in payment_instruments.CARD_OWNER_FIELDS if name in card}
    changed = {**source["card"], **texts, **{name: value for name, value in expiry.items() if value}}
    source.set_attributes(card={name: value for name, value in changed.items() if value is not None})
    source.save()
    customer = Customer.objects.get(handle=source.customer_id)
    event_log.record_event("payment_source_updated", customer=customer, payment_source=source)
    event_log.record_event("card_updated", customer=customer, card=event_log.render_card(source))
    return {"customer": customer.render_resource(), "payment_source": source.render_resource()}


@router.post("payment_source.delete", "/payment_sources/{handle}/delete")
def delete_payment_source(params: Params, handle: str) -> Body:
    """Delete a payment source; the backup, or else the newest free one, replaces a primary source.

    Subscriptions with this source of their own are charged to the customer's primary source from now on.
    """
    source = find_resource(PaymentSource, handle)
    customer = find_resource(Customer, source.customer_id)
    source.deleted = True
    source.set_attributes(deleted=True)
    source.save()
    for subscription in Subscription.objects.filter(body__payment_source_id=handle):
        subscription.set_attributes(payment_source_id=None)
        subscription.save()
    payment_source_roles.reassign_roles(customer, handle)
    customer.save()
    if source["type"] == "card":
        event_log.record_event("card_deleted", customer=customer, card=event_log.render_card(source))
    event_log.record_event("payment_source_deleted", customer=customer, payment_source=source)
    return {"customer": customer.render_resource(), "payment_source": source.render_resource()}


@contextmanager
def _raise_verification_error() -> Iterator[None]:
    try:
        yield
    except gateway.CardDeclined as refusal:
        message = f"Problem while adding the card. Error message: {refusal}"
        raise ApiError(400, "payment_method_verification_failed", message, kind="payment") from None


def _wallet_card(params: Params) -> Body:
    card = params.object("card")
    card.allow_only(("last4", "iin", "brand", "funding_type", "expiry_month", "expiry_year"))
    texts = {name: value for name in ("last4", "iin", "brand", "funding_type") if (value := card.text(name))}
    expiry = {"expiry_month": _expiry_month(card), "expiry_year": _expiry_year(card)}
    return {**texts, **{name: value for name, value in expiry.items() if value}}


def _card_texts(card: Params) -> dict[str, str]:
    return {name: value for name in payment_instruments.CARD_OWNER_FIELDS if (value := card.text(name))}


def _expiry_month(card: Params) -> int | None:
    return card.integer("expiry_month", least=1, most=12)


def _expiry_year(card: Params) -> int | None:
    return card.integer("expiry_year", least=2000, most=2100)


def _add_source(customer: Customer, params: Params, body: Body, refusal: str) -> Body:
    is_primary = params.boolean("replace_primary_payment_source")
    source = save_source(build_source(customer, body, refusal), customer, as_primary=is_primary)
    return {"customer": customer.render_resource(), "payment_source": source.render_resource()}
