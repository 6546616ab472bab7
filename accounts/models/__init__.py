"""The tables of the accounts application, one topic per module."""

from accounts.models.events import AccountEvent
from accounts.models.limits import LimitCounter
from accounts.models.outbox import OutgoingMail
from accounts.models.people import Account, User
from accounts.models.sessions import SessionToken
from accounts.models.sign_in import LoginChallenge, SignInEvent
from accounts.models.site import Brand, SiteSettings, StreamingService

__all__ = [
    "Account",
    "AccountEvent",
    "Brand",
    "LimitCounter",
    "LoginChallenge",
    "OutgoingMail",
    "SessionToken",
    "SignInEvent",
    "SiteSettings",
    "StreamingService",
    "User",
]
