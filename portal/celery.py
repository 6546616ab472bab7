"""The Celery application and its schedule.

A message is only a hint that a row in the database is due: a lost message delays the work, a duplicate does nothing. So
the schedule has one beat for each application, whose task finds the due rows.
"""

from __future__ import annotations

import os
from typing import Any

from celery.signals import beat_init, celeryd_init
from django.core.exceptions import ImproperlyConfigured

from portal.backends import file_broker
from portal.backends.celery_publish import FailFastCelery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
file_broker.install_broker()

# If the process that holds a command dies, its lease of 30 seconds has to expire first. With this beat, the command is
# settled within a minute, as the error `billing_unconfirmed` promises.
BEAT_SECONDS = 20.0
HOUR_SECONDS = 3600.0
# A beat that no worker took is superseded by the next ones. The worker's clock decides whether a message has expired,
# so this is long enough for a clock that is a minute ahead.
BEAT_EXPIRES_SECONDS = 80

app = FailFastCelery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = {
    name: {"task": name, "schedule": BEAT_SECONDS, "options": {"expires": BEAT_EXPIRES_SECONDS}}
    for name in ("accounts.tasks.send_due_codes", "accounts.tasks.tick", "billing.tasks.tick")
}
# Not urgent: expired rows have no effect.
app.conf.beat_schedule["operators"] = {"task": "operators.tasks.forget", "schedule": HOUR_SECONDS}
# Otherwise threads other than the first, such as gunicorn's, use Celery's default application, which has no broker.
app.set_default()
app.autodiscover_tasks()


@celeryd_init.connect
@beat_init.connect
def refuse_to_start_unsafely(**kwargs: Any) -> None:
    """Exit a worker or beat whose settings fail the checks, as the web server does."""
    from portal.checks import start

    try:
        start.refuse_to_start_unsafely()
    except ImproperlyConfigured as error:
        # Celery ignores what a receiver raises, except SystemExit.
        raise SystemExit(str(error)) from error


@celeryd_init.connect
def load_provider_sdk(**kwargs: Any) -> None:
    """Load the provider's SDK before the pool forks, so that its processes share it."""
    from billing.gateway.http.client import chargebee_sdk

    chargebee_sdk()
