"""3-D Secure: the issuer of a card authenticates the payer of an intent, without a question or with a challenge.

A challenge is decided on the issuer's page (chargebee_js.challenges). Its attempt stays ``requires_challenge`` until
then, or until another attempt is begun or the intent expires.
"""

from __future__ import annotations

from dataclasses import dataclass

from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import gateway, payment_intents
from chargebee_sandbox.models import PaymentIntent, PaymentSource

_FAILED = ("authentication_failed", "The card's issuer could not authenticate the payer")
_REFUSALS = {
    "fail": _FAILED,
    "cancel": ("authentication_cancelled", "The payer left the issuer's page"),
    "expire": ("authentication_timeout", "The payer did not answer the issuer in time"),
}
"""How a challenge ends unless the payer passes it: the error code and text of the attempt, by decision."""


@dataclass(frozen=True)
class CardToAuthorize:
    """A masked card, the gateway's decline codes for it, and how its issuer authenticates (see gateway.VaultedCard)."""

    instrument: Body
    refusal: str
    verification: str = gateway.APPROVED
    issuer: str = "frictionless"


def stored_card(source: PaymentSource) -> CardToAuthorize:
    """Return a card that a customer has saved. Its issuer asks only if it declines charges without authentication."""
    instrument = {name: source[name] for name in ("type", "reference_id", "gateway", "card")}
    asks = source.refusal == gateway.AUTHENTICATION_REQUIRED
    return CardToAuthorize(instrument, source.refusal, issuer="challenge" if asks else "frictionless")


def begin_authorization(intent: PaymentIntent, card: CardToAuthorize) -> None:
    """Begin an attempt with a card. It ends at once unless the issuer challenges the payer."""
    if card.issuer == "challenge":
        intent.instrument, intent.refusal = card.instrument, card.refusal
        payment_intents.begin_attempt(intent, "requires_challenge")
        return
    payment_intents.begin_attempt(intent, "requires_identification")
    if card.issuer == "refused":
        payment_intents.decline_attempt(intent, *_FAILED)
        return
    _authorize(intent, card)


def decide_challenge(intent: PaymentIntent, decision: str) -> None:
    """End a pending challenge with what happened on the issuer's page: ``pass``, ``fail``, ``cancel`` or ``expire``."""
    if decision == "pass" and intent.instrument:
        _authorize(intent, CardToAuthorize(intent.instrument, intent.refusal))
    elif decision in _REFUSALS:
        payment_intents.decline_attempt(intent, *_REFUSALS[decision])


def _authorize(intent: PaymentIntent, card: CardToAuthorize) -> None:
    """Authorize the intent unless the gateway declines the card, which is charged only if there is an amount."""
    charged = gateway.answer_charge(card.refusal, authenticated=True) if intent["amount"] else gateway.APPROVED
    if refusal := card.verification or charged:
        payment_intents.decline_attempt(intent, refusal, gateway.decline_text(refusal))
    else:
        payment_intents.authorize_intent(intent, card.instrument, card.refusal)
