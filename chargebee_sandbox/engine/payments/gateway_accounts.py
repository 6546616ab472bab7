"""The site's gateway accounts. A payment intent may name one; the default is the first for its method."""

from __future__ import annotations

from chargebee_sandbox.engine.payments.gateway import ACCOUNT_ID as CARDS
from chargebee_sandbox.site_settings import load_settings

PAYPAL = "gw_paypal"

GATEWAYS = {
    PAYPAL: "paypal",
    "gw_braintree": "braintree",
    "gw_paypal_express": "paypal_express_checkout",
}
"""The gateway of each account for PayPal. ``paypal`` is PayPal Commerce, which new sites get, not Express Checkout."""

_PAYMENT_METHODS = {
    "card": (CARDS,),
    "paypal_express_checkout": (PAYPAL, "gw_braintree", "gw_paypal_express"),
}

PAYMENT_METHOD_TYPES = tuple(_PAYMENT_METHODS)


def account_for(payment_method_type: str, requested: str | None = None) -> str | None:
    """Return the requested account, or the default one; None if the account does not take the payment method."""
    accounts = _PAYMENT_METHODS[payment_method_type]
    if requested is None:
        return accounts[0]
    return requested if requested in accounts else None


def gateway_of(account: str) -> str:
    """Return the gateway of an account; that of cards is the site's choice."""
    return load_settings().card_gateway if account == CARDS else GATEWAYS[account]
