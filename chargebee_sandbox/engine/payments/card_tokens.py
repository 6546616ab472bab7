"""Tokens for which the card fields exchange a card in the browser; each can be used once within half an hour."""

from __future__ import annotations

from chargebee_sandbox import clock, event_log, identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import gateway
from chargebee_sandbox.models import Token

LIFETIME_SECONDS = 30 * 60
"""How long a token is valid, in seconds of the site's clock."""


def issue_token(vaulted: gateway.VaultedCard, instrument: Body) -> Token:
    """Create a token for a card, of which only the masked ``instrument`` is stored."""
    expires_at = clock.now_seconds() + LIFETIME_SECONDS
    body = {
        "gateway": "chargebee",
        "gateway_account_id": gateway.ACCOUNT_ID,
        "payment_method_type": "card",
        "status": "new",
        "id_at_vault": instrument["reference_id"],
        "vault": "gateway",
        "created_at": clock.now_seconds(),
        "expired_at": expires_at,
    }
    token = Token.build_row(
        identifiers.new_id("cb_token_"),
        body,
        instrument=instrument,
        refusal=vaulted.refusal,
        verification=vaulted.verification,
        due_at=expires_at,
    )
    token.save()
    event_log.record_event("token_created", token=token)
    return token


def consume_token(token: Token) -> None:
    """Mark a new token as consumed."""
    _end_token(token, "consumed", "token_consumed")


def expire_token(token: Token) -> None:
    """Mark a token as expired."""
    _end_token(token, "expired", "token_expired")


def _end_token(token: Token, status: str, event_type: str) -> None:
    token.due_at = None
    token.set_attributes(status=status)
    token.save()
    event_log.record_event(event_type, token=token)
