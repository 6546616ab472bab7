"""Payment intents, which the payer authorizes in the browser; a card's bank may ask first (docs/rules.md, rule 20).

An intent of 0 saves a new payment method. An intent of a stored card pays what is due, or the charge of a change.
"""

import hashlib
import logging
from typing import Any

from accounts.models import Account
from billing.commands.confirmation import NoChange
from billing.commands.intents import check_intent, require_customer
from billing.commands.quotes import compute_quote
from billing.errors import BillingUnavailable, NoLongerExists, QuoteChanged
from billing.gateway import payment_methods as gateway
from billing.gateway.errors import GatewayError, Missing, Refused
from billing.models import Customer
from billing.queries.payments.payment_methods import CARD, PAYPAL, due_cents, due_money
from billing.terms import DEFAULT_CURRENCY

logger = logging.getLogger(__name__)

PROVIDER_METHODS = {CARD: gateway.CARD, PAYPAL: gateway.PAYPAL}


def create_saving_intent(account: Account, method: str, *, key: str) -> dict[str, Any]:
    """Create an intent for saving a card or a PayPal account; return it as the provider does.

    Raises BillingUnavailable, also if the outcome is unknown: an unused intent charges nothing.
    """
    return _create_intent(account, key=key, method=PROVIDER_METHODS[method], amount=0, currency=DEFAULT_CURRENCY)


def create_paying_intent(account: Account, source_id: str, *, quote: str | None, key: str) -> dict[str, Any]:
    """Create an intent that charges what is due to a stored card; return it as the provider does.

    Raises NoChange if nothing is due, QuoteChanged, and BillingUnavailable as `create_saving_intent`.
    """
    if quote is not None and quote != compute_quote(due_cents(account)):
        raise QuoteChanged
    amount, currency = due_money(account)
    if not amount:
        raise NoChange
    return _create_intent(account, key=key, method=gateway.CARD, amount=amount, currency=currency, source=source_id)


def create_change_intent(account: Account, source_id: str, amount: int, *, currency: str, key: str) -> dict[str, Any]:
    """Create an intent for the charge of a change to a stored card; return it as the provider does.

    `amount` (cents of `currency`) is the most that the change may charge: what is charged follows from the change, and
    the quote that is sent with it. Raises as `create_saving_intent`.
    """
    return _create_intent(account, key=key, method=gateway.CARD, amount=amount, currency=currency, source=source_id)


def check_saving_intent(account: Account, intent: str, *, method: str) -> None:
    """Check with the provider that an intent to save a card or a PayPal account is authorized.

    Raises PaymentMethodInvalid (spent, expired, another's, not authorized, another amount), BillingUnavailable.
    """
    check_intent(account, intent, method=PROVIDER_METHODS[method], amount=0, currency=DEFAULT_CURRENCY)


def check_paying_intent(account: Account, intent: str, *, source_id: str) -> None:
    """Check with the provider that an intent is authorized that charges what is due to a stored card.

    Raises as `check_saving_intent`.
    """
    amount, currency = due_money(account)
    check_intent(account, intent, method=gateway.CARD, amount=amount, currency=currency, source=source_id)


def _create_intent(account: Account, *, key: str, **details: Any) -> dict[str, Any]:
    customer = require_customer(account)
    try:
        return gateway.create_intent(customer.provider_id, key=_intent_key(customer, key), **details)
    except Missing as error:
        raise NoLongerExists from error
    except GatewayError as error:
        if isinstance(error, Refused):
            logger.exception("Creating a payment intent for account %s failed", account.pk)
        raise BillingUnavailable(retry_after=getattr(error, "retry_after", None)) from error


def _intent_key(customer: Customer, key: str) -> str:
    """Return the provider's idempotency key of an intent; the same client key of another customer gets another one."""
    return "intent:" + hashlib.sha256(f"{customer.provider_id}\0{key}".encode()).hexdigest()
