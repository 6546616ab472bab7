"""The portal's settings, with three more URLs to compare it with."""

from portal.settings import *  # noqa: F403

ROOT_URLCONF = "dev.benches.urls"
