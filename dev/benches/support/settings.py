"""The portal's settings, with three more URLs to compare it with, and one account for all requests."""

from portal.settings import *  # noqa: F403

ROOT_URLCONF = "dev.benches.support.urls"
ACCOUNT_REQUESTS_A_SECOND = 1_000_000
