"""The time machine, of which a test site has one: ``delorean``."""

from __future__ import annotations

from django.db import transaction

from billing.sandbox import clock
from billing.sandbox.body import Body
from billing.sandbox.engine import runner, travel
from billing.sandbox.faults import journal, queue
from billing.sandbox.models import Site
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import invalid_state, not_found, wrong_value
from billing.sandbox.wire.params import Params, required

NAME = "delorean"


@router.get("time_machine.retrieve", "/time_machines/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """Where the time machine stands."""
    return _answer(_site(handle))


@router.post("time_machine.start_afresh", "/time_machines/{handle}/start_afresh", "genesis_time")
def start_afresh(params: Params, handle: str) -> Body:
    """Erase the site's data and begin its time anew."""
    _site(handle)
    queue.clear()
    journal.clear()
    return _answer(travel.start_afresh(params.instant("genesis_time")))


@router.post("time_machine.travel_forward", "/time_machines/{handle}/travel_forward", "destination_time")
def travel_forward(params: Params, handle: str) -> Body:
    """Set out for a later time; the answer does not wait for the arrival."""
    site = _site(handle)
    if site.time_travel_status == "in_progress":
        raise invalid_state("A journey is under way")
    if site.time_travel_status == "failed":
        raise invalid_state("The last journey failed; start afresh first")
    destination = int(required(params.instant("destination_time"), "destination_time"))
    if destination < clock.now():
        raise wrong_value("destination_time", "should be in the future")
    site = travel.depart(destination)
    transaction.on_commit(runner.wake)
    return _answer(site)


def _site(handle: str) -> Site:
    if handle != NAME:
        raise not_found("time_machine", handle)
    return Site.get()


def _answer(site: Site) -> Body:
    machine: Body = {
        "name": NAME,
        "time_travel_status": site.time_travel_status,
        "genesis_time": site.genesis_time,
        "destination_time": site.destination_time,
        "object": "time_machine",
    }
    if site.time_travel_status == "failed":
        reason = {"failure_code": site.failure_code, "failure_reason": site.failure_reason}
        machine |= {**reason, "error_json": travel.error_json(site)}
    return {"time_machine": machine}
