"""What follows here when the billing provider says that an account has another address, or that it is gone."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from accounts.mail import queue
from accounts.mail.samples import MailSample
from accounts.models import Account, LoginChallenge, SessionToken
from accounts.profile import events
from accounts.profile.erasure import previous_address_prefix
from core import clock

ADDRESS_CHANGED = "Customer Service changed your email address."


def change_address(account: Account, address: str, *, at: datetime, actor: str = "system", reason: str = "") -> None:
    """Give an account another address (normalized, empty for none) in the caller's transaction, and tell both by mail.

    Its sessions and open challenges end; mail that waits follows it by itself. `at` is billing's time. The activity
    shows the change, without the address; `actor` is the operator who made it here, and `reason` why.
    """
    locked = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    previous_address = locked.email
    account.email = locked.email = address
    locked.save(update_fields=["email"])
    end_access(account)
    event = events.record_event(
        account, kind="address_changed", text=ADDRESS_CHANGED, actor=actor, reason=reason, at=at
    )
    if previous_address:
        # Without its account, whose mail goes to the new address; an erasure finds it by its key.
        queue.queue_mail(
            kind="receipt",
            to=previous_address,
            brand=locked.brand,
            context=previous_address_context(),
            dedupe_key=f"{previous_address_prefix(account)}{event.pk}",
        )
    queue.queue_mail(kind="receipt", to=address, account=account, context=new_address_context(), event=event)


def end_access(account: Account) -> None:
    """End an account's sessions and open challenges, and none in another account of its address.

    A challenge whose code is not sent yet belongs to no account: the address is looked up when it is. One that shares
    a code belongs to the account of that code.
    """
    SessionToken.objects.filter(user=account.user_id).delete()
    of_account = LoginChallenge.objects.filter(Q(account=account) | Q(shares_code_of__account=account))
    of_account.filter(used_at=None, lapsed_at=None).update(lapsed_at=clock.database_now())


def previous_address_context() -> dict[str, object]:
    """Return the context of the mail to the previous address. Its owner may be a stranger by now and learns no more."""
    return {
        "title": "This email address no longer signs in to your account",
        "lines": [
            "Customer Service has changed the email address of the account that used this one.",
            "We signed the account out everywhere and send its emails to the new address.",
        ],
        "undo_text": "Didn't ask for this? Contact Customer Service.",
    }


def new_address_context() -> dict[str, object]:
    """Return the context of the mail to the new address."""
    return {
        "title": "Your email address was changed",
        "lines": [
            "Customer Service has changed the email address of your account to this one.",
            "You're signed out everywhere. From now on, sign in with this address; receipts come here, too.",
        ],
        "action_label": "Sign in",
        "action_url": "/dashboard",
        "undo_text": "Didn't ask for this? Contact Customer Service.",
    }


PREVIOUS_ADDRESS_SAMPLE = MailSample(
    "address-changed-old", "Address changed: to the previous address", "receipt", previous_address_context
)
NEW_ADDRESS_SAMPLE = MailSample(
    "address-changed-new", "Address changed: to the new address", "receipt", new_address_context
)
