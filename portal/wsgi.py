"""What gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

application = get_wsgi_application()

from portal.checks import refuse_to_start_unsafely  # noqa: E402  (needs the applications to be loaded)

refuse_to_start_unsafely()
