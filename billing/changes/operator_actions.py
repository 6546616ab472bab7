"""Changes of an account that only operators make."""

from datetime import datetime

from accounts.models import Account
from accounts.profile import events
from billing.errors import BillingUnavailable
from billing.gateway.errors import GatewayError
from billing.mirror import account_import


def resync_as_operator(account: Account, *, actor: str, now: datetime) -> None:
    """Import everything that the provider holds of an account again, and record it in the account's activity.

    Raises BillingUnavailable if the provider cannot be read; nothing was changed then.
    """
    try:
        account_import.resync_account(account)
    except GatewayError as error:
        raise BillingUnavailable("We couldn't reach Chargebee.") from error
    text = "Your account was refreshed from our billing records."
    events.record_event(account, kind="resynced", text=text, actor=actor, at=now)
