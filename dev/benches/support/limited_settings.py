"""The portal's settings, with the limits of production: the demo's are ten times as high."""

from portal.settings import *  # noqa: F403

PORTAL_ENV = "production"
ACCOUNT_REQUESTS_A_SECOND = 5
