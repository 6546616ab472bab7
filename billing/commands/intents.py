"""Checks payment intents, which the payer has authorized, before a change relies on them (docs/rules.md, rule 20)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Account
from billing.errors import BillingUnavailable, PaymentMethodInvalid
from billing.gateway import payment_methods as gateway
from billing.gateway.errors import NotSent, Refused
from billing.models import Customer
from core.errors import NotFound


def require_customer(account: Account) -> Customer:
    """Return the customer of an account. Raises NotFound."""
    customer = Customer.objects.filter(account=account).first()
    if customer is None:
        raise NotFound
    return customer


def check_intent(account: Account, intent: str, **details: Any) -> None:
    """Check with the provider that an intent of the account is authorized (see `gateway.is_intent_authorized`).

    Raises PaymentMethodInvalid (spent, expired, another's, not authorized, of other `details`), BillingUnavailable.
    """
    owner = require_customer(account).provider_id
    try:
        if gateway.is_intent_authorized(intent, customer_id=owner, **details):
            return
    except Refused:
        pass  # the provider has no such intent
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    raise PaymentMethodInvalid


def check_charge_intents(account: Account, intents: Sequence[str], amounts: Sequence[int], currency: str) -> None:
    """Check that there is one intent for each charge (cents), in their order. Raises as `check_intent`.

    All are checked before the first is used, so that an intent that cannot be used leaves no change done in part.
    """
    if len(set(intents)) != len(intents) or len(intents) != len(amounts):
        raise PaymentMethodInvalid
    for intent, amount in zip(intents, amounts, strict=True):
        check_intent(account, intent, method=gateway.CARD, amount=amount, currency=currency, source=None)
