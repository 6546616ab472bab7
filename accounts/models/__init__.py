"""The models of accounts, one module per topic."""

from accounts.models.events import AccountEvent
from accounts.models.outbox import OutgoingMail
from accounts.models.sessions import SessionToken
from accounts.models.sign_in import LoginChallenge, SignInEvent
from accounts.models.site import Brand, SiteSettings, StreamingService
from accounts.models.users import Account, User

__all__ = [
    "Account",
    "AccountEvent",
    "Brand",
    "LoginChallenge",
    "OutgoingMail",
    "SessionToken",
    "SignInEvent",
    "SiteSettings",
    "StreamingService",
    "User",
]
