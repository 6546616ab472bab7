"""What gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

django_application = get_wsgi_application()

# These need the settings to be chosen and the applications to be loaded.
from django.conf import settings  # noqa: E402

from portal.bodies import MeasuredBodies  # noqa: E402
from portal.checks import refuse_to_start_unsafely  # noqa: E402

application = MeasuredBodies(django_application, settings.API_BODY_LIMIT)

refuse_to_start_unsafely()
