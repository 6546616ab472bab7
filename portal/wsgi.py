"""The WSGI application, which gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

django_application = get_wsgi_application()

# These imports need the applications to be loaded.
from django.conf import settings  # noqa: E402

from billing.gateway.http.client import chargebee_sdk  # noqa: E402
from portal.checks.start import refuse_to_start_unsafely  # noqa: E402
from portal.middleware.chunked_bodies import ChunkedBodyMiddleware  # noqa: E402
from portal.middleware.content_types import ContentTypeMiddleware  # noqa: E402

application = ChunkedBodyMiddleware(ContentTypeMiddleware(django_application), settings.API_BODY_LIMIT)

refuse_to_start_unsafely()
# Loaded now, so that the first change does not wait for it.
chargebee_sdk()
