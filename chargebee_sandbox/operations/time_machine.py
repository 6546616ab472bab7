"""Operations on a test site's only time machine, ``delorean``."""

from __future__ import annotations

from django.db import transaction

from chargebee_sandbox import clock
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state, not_found, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine import clock_thread, time_machine
from chargebee_sandbox.faults import fault_queue, strike_log
from chargebee_sandbox.site import Site

TIME_MACHINE_NAME = "delorean"


@router.get("time_machine.retrieve", "/time_machines/{handle}")
def retrieve_time_machine(params: Params, handle: str) -> Body:
    """Return the state of the time machine."""
    return _time_machine_body(_find_site(handle))


@router.post("time_machine.start_afresh", "/time_machines/{handle}/start_afresh", "genesis_time")
def start_afresh(params: Params, handle: str) -> Body:
    """Erase the site's data and set its clock to ``genesis_time``."""
    _find_site(handle)
    fault_queue.clear_faults()
    strike_log.clear_strikes()
    return _time_machine_body(time_machine.start_afresh(params.instant("genesis_time")))


@router.post("time_machine.travel_forward", "/time_machines/{handle}/travel_forward", "destination_time")
def travel_forward(params: Params, handle: str) -> Body:
    """Start a journey to a later instant; the answer does not wait for its end."""
    site = _find_site(handle)
    if site.time_travel_status == "in_progress":
        raise invalid_state("A journey is under way")
    if site.time_travel_status == "failed":
        raise invalid_state("The last journey failed; start afresh first")
    destination = int(require_value(params.instant("destination_time"), "destination_time"))
    if destination < clock.now_seconds():
        raise wrong_value("destination_time", "should be in the future")
    site = time_machine.start_journey(destination)
    transaction.on_commit(clock_thread.wake_clock)
    return _time_machine_body(site)


def _find_site(handle: str) -> Site:
    if handle != TIME_MACHINE_NAME:
        raise not_found("time_machine", handle)
    return Site.load()


def _time_machine_body(site: Site) -> Body:
    machine: Body = {
        "name": TIME_MACHINE_NAME,
        "time_travel_status": site.time_travel_status,
        "genesis_time": site.genesis_time,
        "destination_time": site.destination_time,
        "object": "time_machine",
    }
    if site.time_travel_status == "failed":
        reason = {"failure_code": site.failure_code, "failure_reason": site.failure_reason}
        machine |= {**reason, "error_json": time_machine.error_json(site)}
    return {"time_machine": machine}
