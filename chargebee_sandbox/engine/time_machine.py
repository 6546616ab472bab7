"""The time machine: it moves the site's clock forward and runs on the way what falls due."""

from __future__ import annotations

import json
import logging
import time

from django.apps import apps

from chargebee_sandbox import clock
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.site import Site
from chargebee_sandbox.site_settings import SiteSettings

logger = logging.getLogger(__name__)

_BATCH_SIZE = 40
"""Rows per transaction; between two batches, requests can read and write."""


def start_afresh(genesis_time: int | None) -> Site:
    """Erase the site's data and set its clock to ``genesis_time`` (seconds UTC), by default the real time.

    The site's settings stay.
    """
    genesis = int(time.time()) if genesis_time is None else genesis_time
    epoch = Site.load().epoch + 1
    for model in apps.get_app_config("sandbox").get_models():
        if model is not SiteSettings:
            model.objects.all().delete()  # type: ignore[attr-defined]
    site = Site.objects.create(pk=1, epoch=epoch, genesis_time=genesis, destination_time=genesis)
    clock.move_to(genesis)
    site.refresh_from_db()
    return site


def start_journey(destination: int) -> Site:
    """Store the destination (seconds UTC); the clock thread runs the journey."""
    site = Site.load()
    site.destination_time = destination
    site.time_travel_status = "in_progress"
    site.failure_code = site.failure_reason = ""
    site.save()
    return site


def run_journey() -> None:
    """Run the stored journey in batches until it has arrived or failed, or the site is started afresh."""
    epoch = Site.load().epoch
    try:
        while _run_leg(epoch):
            pass
    except Exception as error:
        logger.exception("The journey failed")
        _fail_journey(epoch, error)


def error_json(site: Site) -> str:
    """Return the reason of a failed journey in the format the SDK reads."""
    return json.dumps({"http_code": 500, "api_error_code": site.failure_code, "message": site.failure_reason})


def _run_leg(epoch: int) -> bool:
    with hold_write_lock():
        site = Site.load()
        if site.epoch != epoch or site.time_travel_status != "in_progress":
            return False
        reached = due_work.run_due_batch(site.destination_time, most=_BATCH_SIZE)
        # A destination within the present second may be past by now, and the clock must not go back.
        stop = site.destination_time if reached is None else reached
        if stop > clock.now_seconds():
            clock.move_to(stop)
        if reached is None:
            Site.objects.update(time_travel_status="succeeded")
    return reached is not None


def _fail_journey(epoch: int, error: Exception) -> None:
    Site.objects.filter(epoch=epoch).update(
        time_travel_status="failed",
        failure_code="internal_error",
        failure_reason=f"{type(error).__name__}: {error}",
    )
