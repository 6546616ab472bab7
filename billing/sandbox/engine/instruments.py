"""What a customer pays with, as it stands in a payment source: masked cards and PayPal agreements."""

from __future__ import annotations

from collections.abc import Mapping

from billing.sandbox import identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine.gateway import VaultedCard

CARD_TEXTS = (
    *("first_name", "last_name", "billing_addr1", "billing_addr2", "billing_city"),
    *("billing_state_code", "billing_state", "billing_zip", "billing_country"),
)
"""What a card says of its owner."""


def card(vaulted: VaultedCard, expiry_month: int, expiry_year: int, texts: Mapping[str, str]) -> Body:
    """A card of the test gateway; ``texts`` are those of CARD_TEXTS that are known."""
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
    reference = identifiers.new("tok_")
    return {"type": "card", "reference_id": reference, "gateway": "chargebee", "card": details}


def paypal(email: str | None, agreement: str) -> Body:
    """A PayPal billing agreement."""
    return {
        "type": "paypal_express_checkout",
        "reference_id": agreement,
        "gateway": "paypal_express_checkout",
        "paypal": {"email": email, "agreement_id": agreement, "object": "paypal"},
    }
