"""Cards of the card fields: exchanged for tokens, or for the payer's agreement to an intent.

A number and its code are read here, masked, and gone: neither is stored, logged or answered.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from billing.sandbox.body import Body
from billing.sandbox.browser.answers import from_a_frame
from billing.sandbox.engine import card_numbers, gateway, instruments, intents
from billing.sandbox.engine import tokens as engine_tokens
from billing.sandbox.models import PaymentIntent
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire.errors import ApiError, invalid_state, wrong_value
from billing.sandbox.wire.params import Params

_CARD_TEXTS = {
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
"""A card's texts, and what Chargebee.js calls them in ``additionalData``."""


@from_a_frame
def create(params: Params) -> Body:
    """Exchange a card for a token.

    Raises: ApiError 400 with the validation's code for a number, an expiry or a code that cannot be right.
    """
    vaulted, instrument = _card(params)
    return {"token": engine_tokens.issue(vaulted, instrument).render()}


@from_a_frame
def authorize_intent(params: Params, handle: str) -> Body:
    """Agree to a card intent with a card; a card the gateway does not take leaves the attempt refused.

    Raises: ApiError as ``create`` does, and 409 for an intent that nobody can agree to with a card any more.
    """
    vaulted, instrument = _card(params)
    intent = found(PaymentIntent, handle)
    if intent["status"] not in intents.OPEN or intent["payment_method_type"] != "card":
        raise invalid_state("The payment intent cannot be paid with a card now")
    intents.begin_attempt(intent, "requires_identification")
    refusal = vaulted.verification or (vaulted.refusal if intent["amount"] else gateway.APPROVED)
    if refusal:
        intents.refuse(intent, refusal, gateway.text(refusal))
    else:
        intents.authorize(intent, instrument, vaulted.refusal)
    return {"payment_intent": intent.render()}


def _card(params: Params) -> tuple[gateway.VaultedCard, Body]:
    card, details = params.object("card"), params.object("details")
    number = _number(card)
    month, year = _expiry(card)
    vaulted = gateway.examine(number)
    texts = {name: value for name, theirs in _CARD_TEXTS.items() if (value := details.text(theirs))}
    return vaulted, instruments.card(vaulted, month, year, texts)


def _number(card: Params) -> str:
    number = card.needed("number")
    if not card_numbers.is_valid(number):
        raise _invalid("number", "cardNumberInvalid", "The card number is not valid")
    brand = card_numbers.brand_of(number)
    lengths = f"{{{brand.code_length}}}" if brand else "{3,4}"
    if not re.fullmatch(f"[0-9]{lengths}", card.needed("cvv")):
        raise _invalid("cvv", "cardCvvInvalid", "The security code is not valid")
    return number


def _expiry(card: Params) -> tuple[int, int]:
    month = card.integer("expiry_month", least=1, most=12)
    year = card.integer("expiry_year", least=2000, most=2100)
    if month is None or year is None:
        raise wrong_value("card[expiry_month]", "cannot be blank")
    today = datetime.now(UTC)
    if (year, month) < (today.year, today.month):
        raise _invalid("expiry", "cardExpiryPast", "The card has expired")
    return month, year


def _invalid(part: str, code: str, message: str) -> ApiError:
    return ApiError(400, "param_wrong_value", message, param=f"card[{part}]", error_code=code)
