"""Change a subscriber's names at the provider, which prints them on bills, before they change here."""

import hashlib
import logging

from accounts.models import Account
from billing import clock
from billing.errors import BillingUnavailable, BillingUnconfirmed, NoLongerExists
from billing.gateway import customers
from billing.gateway.errors import Missing, NotSent, Refused, Unconfirmed
from billing.mirror import account_import
from billing.models import Customer
from core.errors import InvalidInput

logger = logging.getLogger(__name__)

NAME_FIELDS = ("first_name", "last_name")
NAME_REFUSED = "Our billing provider didn't accept this name. Please check it."


def rename_customer(account: Account, *, first_name: str, last_name: str, key: str) -> None:
    """Rename an account's customer at the provider and in the mirror, unless it has these names already.

    Raises BillingUnavailable (nothing was changed), BillingUnconfirmed (it may have changed: repeat the same names with
    the same key), InvalidInput (the provider refuses a name), NoLongerExists (it has deleted the customer).
    """
    customer = Customer.objects.filter(account=account, deleted=False).first()
    if customer is None or _current_names(customer) == (first_name, last_name):
        return
    try:
        snapshot = customers.rename_customer(
            customer.provider_id,
            key=_idempotency_key(key, account, first_name, last_name),
            first_name=first_name,
            last_name=last_name,
        )
    except NotSent as error:
        raise BillingUnavailable(retry_after=error.retry_after) from error
    except Unconfirmed as error:
        raise BillingUnconfirmed from error
    except Missing as error:
        account_import.mark_deleted("customer", customer.provider_id)
        raise NoLongerExists from error
    except Refused as error:
        raise _refusal_error(error) from error
    else:
        account_import.apply_snapshots([snapshot], now=clock.billing_now())


def _current_names(customer: Customer) -> tuple[str, str]:
    return customer.text("first_name"), customer.text("last_name")


def _idempotency_key(key: str, account: Account, *names: str) -> str:
    """Return the provider's idempotency key; other names under the same client key get another one."""
    identity = "\0".join((key, str(account.pk), *names))
    return f"names-{hashlib.sha256(identity.encode()).hexdigest()}"


def _refusal_error(error: Refused) -> InvalidInput | BillingUnavailable:
    if error.param in NAME_FIELDS:
        return InvalidInput(fields={error.param: [NAME_REFUSED]})
    logger.error("The provider refused a customer's names: %s (%s)", error.code, error.param)
    return BillingUnavailable()
