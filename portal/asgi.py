"""The ASGI application."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

application = get_asgi_application()

from portal.checks.start import refuse_to_start_unsafely  # noqa: E402  (needs the applications to be loaded)

refuse_to_start_unsafely()
