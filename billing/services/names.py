"""A subscriber's names, which the provider prints on bills: changed there before they are changed here."""

import hashlib
import logging

from accounts.models import Account
from billing import clock
from billing.errors import BillingUnavailable, BillingUnconfirmed
from billing.gateway import customers
from billing.gateway.errors import Missing, NotSent, Refused, Unconfirmed
from billing.models import Customer
from billing.services import sync
from portal.errors import InvalidInput

logger = logging.getLogger(__name__)

NAMES = ("first_name", "last_name")
NOT_TAKEN = "Our billing service does not take this name. Please check it."


def rename(account: Account, *, first_name: str, last_name: str, key: str) -> None:
    """Give an account's customer these names at the provider and in the mirror; one that has them is left alone.

    Raises BillingUnavailable (nothing changed), BillingUnconfirmed (may have changed: the same names with the same key
    may be sent again), InvalidInput (a name that the provider does not take).
    """
    customer = Customer.objects.filter(account=account, deleted=False).first()
    if customer is None or _names_of(customer) == (first_name, last_name):
        return
    try:
        renamed = customers.rename(
            customer.provider_id,
            key=_provider_key(key, account, first_name, last_name),
            first_name=first_name,
            last_name=last_name,
        )
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Unconfirmed as error:
        raise BillingUnconfirmed from error
    except Missing:
        sync.bury("customer", customer.provider_id)
    except Refused as error:
        raise _refusal(error) from error
    else:
        sync.apply([renamed], now=clock.now())


def _names_of(customer: Customer) -> tuple[str, str]:
    return customer.text("first_name"), customer.text("last_name")


def _provider_key(key: str, account: Account, *names: str) -> str:
    """Return what stands for this intent at the provider; other names are another intent, whatever the key."""
    whole = "\0".join((key, str(account.pk), *names))
    return f"names-{hashlib.sha256(whole.encode()).hexdigest()}"


def _refusal(error: Refused) -> InvalidInput | BillingUnavailable:
    if error.param in NAMES:
        return InvalidInput(fields={error.param: [NOT_TAKEN]})
    logger.error("The provider refused a customer's names: %s (%s)", error.code, error.param)
    return BillingUnavailable()
