"""Tokens of the card fields: what a card was exchanged for in the browser, good for one use within half an hour."""

from __future__ import annotations

from billing.sandbox import clock, events, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import gateway
from billing.sandbox.models import Token

LIFETIME = 30 * 60
"""Seconds of the site's clock for which a token may be used."""


def issue(vaulted: gateway.VaultedCard, instrument: Body) -> Token:
    """A new token for a card, of which only ``instrument`` (masked) is kept."""
    expires_at = clock.now() + LIFETIME
    body = {
        "gateway": "chargebee",
        "gateway_account_id": gateway.ACCOUNT_ID,
        "payment_method_type": "card",
        "status": "new",
        "id_at_vault": instrument["reference_id"],
        "vault": "gateway",
        "created_at": clock.now(),
        "expired_at": expires_at,
    }
    token = Token.make(
        identifiers.new("cb_token_"),
        body,
        instrument=instrument,
        refusal=vaulted.refusal,
        verification=vaulted.verification,
        due_at=expires_at,
    )
    token.save()
    events.record("token_created", token=token)
    return token


def consume(token: Token) -> None:
    """Use a new token up."""
    _end(token, "consumed")


def expire(token: Token) -> None:
    """Let a token's time be over."""
    _end(token, "expired")


def _end(token: Token, status: str) -> None:
    token.due_at = None
    token.change(status=status)
    token.save()
    events.record(f"token_{status}", token=token)
