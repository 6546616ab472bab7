"""The instrument of a payment source: a masked card or a PayPal agreement."""

from __future__ import annotations

from collections.abc import Mapping

from chargebee_sandbox import identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments.gateway import VaultedCard

CARD_OWNER_FIELDS = (
    *("first_name", "last_name", "billing_addr1", "billing_addr2", "billing_city"),
    *("billing_state_code", "billing_state", "billing_zip", "billing_country"),
)
"""The attributes of a card about its owner."""


def card_instrument(vaulted: VaultedCard, expiry_month: int, expiry_year: int, texts: Mapping[str, str]) -> Body:
    """Return a card of the test gateway; ``texts`` holds the known ones of CARD_OWNER_FIELDS."""
    details: Body = {
        **texts,
        "iin": vaulted.iin,
        "last4": vaulted.last4,
        "brand": vaulted.brand,
        "funding_type": "credit",
        "expiry_month": expiry_month,
        "expiry_year": expiry_year,
        "masked_number": vaulted.masked_number,
        "object": "card",
    }
    reference = identifiers.new_id("tok_")
    return {"type": "card", "reference_id": reference, "gateway": "chargebee", "card": details}


def paypal_instrument(email: str | None, agreement: str) -> Body:
    """Return a PayPal billing agreement."""
    return {
        "type": "paypal_express_checkout",
        "reference_id": agreement,
        "gateway": "paypal_express_checkout",
        "paypal": {"email": email, "agreement_id": agreement, "object": "paypal"},
    }
