"""The serving process: the application and its background threads.

Run exactly one worker process: the write lock, the clock thread, and the fault queue live in its memory.
"""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.utils.module_loading import import_string

os.environ["DJANGO_SETTINGS_MODULE"] = "chargebee_sandbox.settings"

application = get_wsgi_application()

from chargebee_sandbox import settings  # noqa: E402  (next to its only use)

for _path in settings.SANDBOX_BACKGROUND:
    import_string(_path)()

# What is loaded by now lives as long as the process: collections would look through it again and again.
gc.collect()
gc.freeze()
gc.set_threshold(100_000, 20, 20)
