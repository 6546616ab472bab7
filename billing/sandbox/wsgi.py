"""The serving process: the application, and the threads that let time pass.

Run it with exactly one worker process: writes are serialised and the clock's threads live inside it.
"""

import os

from django.core.wsgi import get_wsgi_application
from django.utils.module_loading import import_string

os.environ["DJANGO_SETTINGS_MODULE"] = "billing.sandbox.settings"

application = get_wsgi_application()

from billing.sandbox import settings  # noqa: E402  (beside its only use)

for _path in settings.SANDBOX_BACKGROUND:
    import_string(_path)()
