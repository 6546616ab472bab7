"""Endpoints of the card fields: exchange a card for a token, or authorize an intent with it.

Card numbers and security codes are masked at once: neither is stored, logged, or answered.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from chargebee_sandbox.api.errors import ApiError, invalid_state, wrong_value
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.chargebee_js.frame_api import frame_endpoint
from chargebee_sandbox.engine.payments import (
    card_numbers,
    card_tokens,
    gateway,
    payment_instruments,
    payment_intents,
)
from chargebee_sandbox.models import PaymentIntent
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
def authorize_intent(params: Params, handle: str) -> Body:
    """Authorize an intent with a card; if the gateway declines the card, the attempt ends as declined.

    Raises: ApiError as ``create_token``, and 409 for an intent that cannot be authorized with a card any more.
    """
    vaulted, instrument = _read_card(params)
    intent = find_resource(PaymentIntent, handle)
    if intent["status"] not in payment_intents.OPEN_STATUSES or intent["payment_method_type"] != "card":
        raise invalid_state("The payment intent cannot be paid with a card now")
    payment_intents.begin_attempt(intent, "requires_identification")
    refusal = vaulted.verification or (vaulted.refusal if intent["amount"] else gateway.APPROVED)
    if refusal:
        payment_intents.decline_attempt(intent, refusal, gateway.decline_text(refusal))
    else:
        payment_intents.authorize_intent(intent, instrument, vaulted.refusal)
    return {"payment_intent": intent.render_resource()}


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
