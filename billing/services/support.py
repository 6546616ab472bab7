"""What operators have done for a subscriber that subscribers cannot do themselves."""

from datetime import datetime

from accounts import events
from accounts.models import Account
from billing.errors import BillingUnavailable
from billing.gateway.errors import GatewayError
from billing.services import sync


def resync(account: Account, *, actor: str, now: datetime) -> None:
    """Read everything the provider holds of an account again, and tell it in the account's activity.

    Raises BillingUnavailable when the provider does not tell; nothing is changed then.
    """
    try:
        sync.resync_account(account)
    except GatewayError as error:
        raise BillingUnavailable("The billing provider could not be asked.") from error
    text = "Your account was brought up to date with our billing records."
    events.record(account, kind="resynced", text=text, actor=actor, at=now)
