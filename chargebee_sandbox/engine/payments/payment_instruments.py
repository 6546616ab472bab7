"""The instrument of a payment source: a masked card, a PayPal agreement, or a wallet that a gateway has vaulted."""

from __future__ import annotations

from collections.abc import Mapping

from chargebee_sandbox import identifiers
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import gateway_accounts
from chargebee_sandbox.engine.payments.gateway import VaultedCard
from chargebee_sandbox.site_settings import load_settings

CARD_OWNER_FIELDS = (
    *("first_name", "last_name", "billing_addr1", "billing_addr2", "billing_city"),
    *("billing_state_code", "billing_state", "billing_zip", "billing_country"),
)
"""The attributes of a card about its owner."""
PERMANENT_TYPES = (
    *("paypal_express_checkout", "amazon_payments", "direct_debit", "generic", "alipay", "unionpay", "apple_pay"),
    *("wechat_pay", "ideal", "google_pay", "sofort", "bancontact", "giropay", "dotpay", "upi", "venmo"),
    *("klarna_pay_now", "revolut_pay", "cash_app_pay", "pay_by_bank", "faster_payments"),
)
"""The types that a permanent token of a gateway may have here."""
DETAIL_NAMES = ("card", "paypal", "bank_account", "amazon_payment", "venmo", "upi", "klarna_pay_now")
"""The attributes of a payment source that describe its instrument."""
_EMAIL_ATTRIBUTES = {"amazon_payments": "amazon_payment", "klarna_pay_now": "klarna_pay_now"}
_CARD_WALLETS = ("apple_pay", "google_pay")


def card_instrument(vaulted: VaultedCard, expiry_month: int, expiry_year: int, texts: Mapping[str, str]) -> Body:
    """Return a card of the site's gateway for cards; ``texts`` holds the known ones of CARD_OWNER_FIELDS."""
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
    return {"type": "card", "reference_id": reference, "gateway": load_settings().card_gateway, "card": details}


def paypal_instrument(email: str | None, agreement: str, account: str = gateway_accounts.PAYPAL) -> Body:
    """Return a PayPal billing agreement with a gateway account."""
    return {
        "type": "paypal_express_checkout",
        "reference_id": agreement,
        "gateway": gateway_accounts.GATEWAYS[account],
        "gateway_account_id": account,
        "paypal": {"email": email, "agreement_id": agreement, "object": "paypal"},
    }


def permanent_instrument(kind: str, reference: str, email: str | None, card: Body) -> Body:
    """Return what a gateway has vaulted under a permanent token; ``card`` holds the known attributes of its card."""
    if kind == "paypal_express_checkout":
        return paypal_instrument(email, reference)
    return {"type": kind, "reference_id": reference, "gateway": "stripe", **_permanent_details(kind, email, card)}


def _permanent_details(kind: str, email: str | None, card: Body) -> Body:
    if kind in _CARD_WALLETS:
        last4 = card.get("last4", "0000")
        unread = {"brand": "other", "funding_type": "not_known", "iin": "******", "last4": last4}
        expiry = {"expiry_month": 12, "expiry_year": 2039, "masked_number": f"************{last4}"}
        return {"card": {**unread, **expiry, **card, "object": "card"}}
    if kind == "direct_debit":
        return {"bank_account": {"last4": "6789", "account_type": "checking", "object": "bank_account"}}
    if name := _EMAIL_ATTRIBUTES.get(kind):
        return {name: {"email": email, "object": name}}
    if kind == "venmo":
        return {"venmo": {"user_name": f"@{(email or 'venmo').partition('@')[0]}", "object": "venmo"}}
    return {}
