"""Endpoints of the card fields: exchange a card for a token, or authorize an intent with it or with a stored card.

Card numbers and security codes are masked at once: neither is stored, logged, or answered.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from chargebee_sandbox.api.errors import ApiError, invalid_state, not_found, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.chargebee_js.frame_api import frame_endpoint
from chargebee_sandbox.engine.payments import (
    card_numbers,
    card_tokens,
    gateway,
    payment_instruments,
    payment_intents,
    three_d_secure,
)
from chargebee_sandbox.models import PaymentIntent, PaymentSource
from chargebee_sandbox.operations.lookup import find_resource

_CARD_OWNER_FIELDS = {
    "first_name": "firstName",
    "last_name": "lastName",
    "billing_addr1": "addressLine1",
    "billing_addr2": "addressLine2",
    "billing_city": "city",
    "billing_state_code": "stateCode",
    "billing_state": "state",
    "billing_zip": "zip",
    "billing_country": "countryCode",
}
"""Attributes of a card about its owner, and their names in Chargebee.js's ``additionalData``."""


@frame_endpoint
def create_token(params: Params) -> Body:
    """Exchange a card for a token.

    Raises: ApiError 400 with the code of the validation for an invalid number, expiry, or security code.
    """
    vaulted, instrument = _read_card(params)
    return {"token": card_tokens.issue_token(vaulted, instrument).render_resource()}


@frame_endpoint
def describe_intent(params: Params, handle: str) -> Body:
    """Return an intent as it is. Raises: ApiError 404 without one."""
    return {"payment_intent": find_resource(PaymentIntent, handle).render_resource()}


@frame_endpoint
def authorize_intent(params: Params, handle: str) -> Body:
    """Authorize an intent with a card.

    The attempt ends as declined if the gateway or the issuer declines the card; it waits if the issuer challenges.

    Raises: ApiError as ``create_token``, and 409 for an intent that cannot be authorized with a card any more.
    """
    vaulted, instrument = _read_card(params)
    intent = _find_open_intent(handle)
    card = three_d_secure.CardToAuthorize(instrument, vaulted.refusal, vaulted.verification, vaulted.issuer)
    three_d_secure.begin_authorization(intent, card)
    return {"payment_intent": intent.render_resource()}


@frame_endpoint
def authorize_intent_with_stored_card(params: Params, handle: str) -> Body:
    """Authorize an intent that was created for a stored card (by its ``reference_id``) with that card.

    Raises: ApiError 404 without such a card, and 409 for an intent that cannot be authorized with a card any more.
    """
    intent = _find_open_intent(handle)
    reference = intent.get("reference_id", "")
    sources = PaymentSource.objects.filter(customer_id=intent.customer_id, deleted=False)
    source = sources.filter(body__reference_id=reference, body__type="card").first()
    if source is None:
        raise not_found("payment_source", reference, "reference_id")
    three_d_secure.begin_authorization(intent, three_d_secure.stored_card(source))
    return {"payment_intent": intent.render_resource()}


def _find_open_intent(handle: str) -> PaymentIntent:
    intent = find_resource(PaymentIntent, handle)
    if intent["status"] not in payment_intents.OPEN_STATUSES or intent["payment_method_type"] != "card":
        raise invalid_state("The payment intent cannot be paid with a card now")
    return intent


def _read_card(params: Params) -> tuple[gateway.VaultedCard, Body]:
    card, details = params.object("card"), params.object("details")
    number = _read_number(card)
    month, year = _read_expiry(card)
    vaulted = gateway.examine_card(number)
    texts = {name: value for name, js_name in _CARD_OWNER_FIELDS.items() if (value := details.text(js_name))}
    return vaulted, payment_instruments.card_instrument(vaulted, month, year, texts)


def _read_number(card: Params) -> str:
    number = card.required_text("number")
    if not card_numbers.is_valid_number(number):
        raise _invalid_card("number", "cardNumberInvalid", "The card number is not valid")
    brand = card_numbers.find_brand(number)
    lengths = f"{{{brand.code_length}}}" if brand else "{3,4}"
    if not re.fullmatch(f"[0-9]{lengths}", card.required_text("cvv")):
        raise _invalid_card("cvv", "cardCvvInvalid", "The security code is not valid")
    return number


def _read_expiry(card: Params) -> tuple[int, int]:
    month = card.integer("expiry_month", least=1, most=12)
    year = card.integer("expiry_year", least=2000, most=2100)
    if month is None or year is None:
        raise wrong_value("card[expiry_month]", "cannot be blank")
    today = datetime.now(UTC)
    if (year, month) < (today.year, today.month):
        raise _invalid_card("expiry", "cardExpiryPast", "The card has expired")
    return month, year


def _invalid_card(part: str, code: str, message: str) -> ApiError:
    return ApiError(400, "param_wrong_value", message, param=f"card[{part}]", error_code=code)
