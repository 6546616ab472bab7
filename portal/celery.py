"""The Celery application and its schedule.

A message is only a hint that a row in the database is due; losing one or seeing it twice changes nothing but when.
So the schedule is one beat for each application, and what is due then is decided from rows.
"""

from __future__ import annotations

import os
from typing import Any

from celery.signals import beat_init, celeryd_init
from django.core.exceptions import ImproperlyConfigured

from portal import broker
from portal.publishing import PatientCelery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
broker.install()

# Often enough that a command whose holder died, and whose lease of thirty seconds must run out first, is settled
# within a minute (contract, section 2, `billing_unconfirmed`).
BEAT_SECONDS = 20.0
HOUR_SECONDS = 3600.0
# A beat that nobody picked up is overtaken by the next ones. Whether it is too old is told by the clock of the worker,
# not of who sent it: a worker a minute ahead must still find it fresh.
BEAT_EXPIRES_SECONDS = 80

app = PatientCelery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = {
    name: {"task": name, "schedule": BEAT_SECONDS, "options": {"expires": BEAT_EXPIRES_SECONDS}}
    for name in ("accounts.tasks.tick", "billing.tasks.tick")
}
# Not urgent, and decides nothing: what is over has no effect while it is still there.
app.conf.beat_schedule["operators"] = {"task": "operators.tasks.forget", "schedule": HOUR_SECONDS}
# Without this, every thread but the first (gunicorn's, for one) falls back to an application without a broker.
app.set_default()
app.autodiscover_tasks()


@celeryd_init.connect
@beat_init.connect
def refuse_to_start_unsafely(**kwargs: Any) -> None:
    """Stop a worker or a beat whose settings the checks find fault with, as the web server does."""
    from portal import checks

    try:
        checks.refuse_to_start_unsafely()
    except ImproperlyConfigured as error:
        # Celery swallows what a receiver raises, but for this.
        raise SystemExit(str(error)) from error
