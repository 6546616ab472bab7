"""The time machine: moving the site's clock forward, doing on the way all that falls due."""

from __future__ import annotations

import json
import logging
import time

from django.apps import apps

from billing.sandbox import clock
from billing.sandbox.engine import due
from billing.sandbox.engine.lock import writing
from billing.sandbox.models import Site

logger = logging.getLogger(__name__)

_BATCH = 40
"""Things done in one transaction; between two of them others may read and write."""


def start_afresh(genesis_time: int | None) -> Site:
    """Erase the site's data and let its time begin (again) at ``genesis_time``, by default the real time."""
    genesis = int(time.time()) if genesis_time is None else genesis_time
    epoch = Site.get().epoch + 1
    for model in apps.get_app_config("sandbox").get_models():
        model.objects.all().delete()  # type: ignore[attr-defined]
    site = Site.objects.create(pk=1, epoch=epoch, genesis_time=genesis, destination_time=genesis)
    clock.move_to(genesis)
    site.refresh_from_db()
    return site


def depart(destination: int) -> Site:
    """Note the journey; the runner's thread travels it."""
    site = Site.get()
    site.destination_time = destination
    site.time_travel_status = "in_progress"
    site.failure_code = site.failure_reason = ""
    site.save()
    return site


def journey() -> None:
    """Travel the journey that was noted, batch by batch, until it has arrived, failed, or the site began afresh."""
    epoch = Site.get().epoch
    try:
        while _leg(epoch):
            pass
    except Exception as error:
        logger.exception("the journey failed")
        _fail(epoch, error)


def error_json(site: Site) -> str:
    """Why a journey failed, as the SDK wants to read it."""
    return json.dumps({"http_code": 500, "api_error_code": site.failure_code, "message": site.failure_reason})


def _leg(epoch: int) -> bool:
    with writing():
        site = Site.get()
        if site.epoch != epoch or site.time_travel_status != "in_progress":
            return False
        reached = due.work(site.destination_time, most=_BATCH)
        # A destination within the present second is a little in the past by now: time never goes back.
        stop = site.destination_time if reached is None else reached
        if stop > clock.now():
            clock.move_to(stop)
        if reached is None:
            Site.objects.update(time_travel_status="succeeded")
    return reached is not None


def _fail(epoch: int, error: Exception) -> None:
    Site.objects.filter(epoch=epoch).update(
        time_travel_status="failed",
        failure_code="internal_error",
        failure_reason=f"{type(error).__name__}: {error}",
    )
