"""The test gateway: the documented test cards and its answers. Card numbers are not stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from chargebee_sandbox.engine.payments import card_numbers

ACCOUNT_ID = "gw_sandbox"

APPROVED = ""
AUTHENTICATION_REQUIRED = "2099"
"""The decline code for a charge whose payer the issuer wants to authenticate first."""

_DECLINE_TEXTS = {
    "3001": "Insufficient funds",
    "3003": "Activity limit exceeded",
    "3005": "Invalid card number",
    "3009": "Do not honour",
    AUTHENTICATION_REQUIRED: "Cardholder Authentication Required",
}

_TEST_CARDS = {
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "6011111111111117",
    "38520000023237",
    "3530111333300000",
    "4119862760338320",
    "4005519200000004",
}
# Test numbers that gateways publish for 3-D Secure.
_THREE_D_SECURE_CARDS = {
    "4000000000002701": "frictionless",
    "4000000000002925": "refused",
    "4000000000002503": "challenge",
    "4000002760003184": "challenge",
}
TEST_TOKENS = {
    "tok_visa": "4111111111111111",
    "tok_mastercard": "5555555555554444",
    "tok_amex": "378282246310005",
    "tok_chargeDeclined": "4119862760338320",
    "tok_chargeCustomerFail": "4005519200000004",
}
"""Temporary tokens, and the test cards that behave as they do."""
_DECLINED_WHEN_ADDED = {"4119862760338320": "3009"}
_DECLINED_WHEN_CHARGED = {"4005519200000004": "3001", "4000002760003184": AUTHENTICATION_REQUIRED}

_declines_charges: ContextVar[bool] = ContextVar("declining", default=False)


class CardDeclined(Exception):
    """The gateway declines the card."""


@dataclass(frozen=True)
class VaultedCard:
    """The masked data of a card in the gateway's vault.

    ``refusal`` is the decline code for a charge, ``verification`` for adding the card; empty approves. ``issuer`` is
    how the card's issuer authenticates its payer: ``frictionless`` (without a question), ``challenge`` (on its own
    page), ``refused``, or empty if the card does not take part in 3-D Secure.
    """

    brand: str
    iin: str
    last4: str
    masked_number: str
    refusal: str
    verification: str
    issuer: str


def examine_card(number: str) -> VaultedCard:
    """Return the masked data of a card number, with the gateway's answers for the card."""
    brand = card_numbers.find_brand(number)
    unknown = APPROVED if number in _TEST_CARDS or number in _THREE_D_SECURE_CARDS else "3005"
    return VaultedCard(
        brand=brand.name if brand else "other",
        iin=number[:6],
        last4=number[-4:],
        masked_number="*" * (len(number) - 4) + number[-4:],
        refusal=_DECLINED_WHEN_CHARGED.get(number, APPROVED),
        verification=_DECLINED_WHEN_ADDED.get(number, unknown),
        issuer=_THREE_D_SECURE_CARDS.get(number, ""),
    )


def verify_card(verification: str) -> None:
    """Check that a card can be added. Raises: CardDeclined with the gateway's reason."""
    if verification:
        raise CardDeclined(decline_reason(verification))


def vault_card(number: str) -> VaultedCard:
    """Add a card and return its masked data.

    Raises: CardDeclined with the gateway's reason, also for a number that is not one of its test cards.
    """
    card = examine_card(number)
    verify_card(card.verification)
    return card


@contextmanager
def decline_charges() -> Iterator[None]:
    """Decline every charge inside the block, whatever the card."""
    token = _declines_charges.set(True)
    try:
        yield
    finally:
        _declines_charges.reset(token)


def answer_charge(refusal: str, *, authenticated: bool = False) -> str:
    """Return the decline code for a charge of a source with the code ``refusal``; empty approves.

    ``authenticated`` says that the issuer has authenticated the payer for this charge.
    """
    if authenticated and refusal == AUTHENTICATION_REQUIRED:
        refusal = APPROVED
    return refusal or ("3001" if _declines_charges.get() else APPROVED)


def decline_text(code: str) -> str:
    """Return the gateway's text for a decline code."""
    return _DECLINE_TEXTS[code]


def decline_reason(code: str) -> str:
    """Return the reason of a decline for error messages."""
    return f"({code}) {decline_text(code)}"
