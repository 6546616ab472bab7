"""Putting the demo site together: catalogue and people in order of time, then the clock at the present."""

from __future__ import annotations

import time

from django.db import transaction

from billing.sandbox.engine import travel
from billing.sandbox.models import Customer, Site
from billing.sandbox.seeds import catalogue, people
from billing.sandbox.seeds.instants import DAY
from billing.sandbox.seeds.provider import Provider, Step


class JourneyFailed(RuntimeError):
    """The time machine did not arrive."""


def is_seeded() -> bool:
    """Whether the site has customers already, whoever made them."""
    return Customer.objects.exists()


def seed(present: int | None = None) -> int:
    """Erase the site and build the demo, its past ending at `present` (seconds UTC, or else the real time).

    All or nothing, in one transaction. With the real time the site's clock runs in step with it afterwards;
    with another it goes on from that instant. Returns how many steps were taken.
    """
    now = int(time.time()) if present is None else present
    steps = sorted([*catalogue.steps(now), *people.everybody(now)])
    with transaction.atomic():
        travel.start_afresh(steps[0].at - DAY)
        _replay(steps)
        _travel_to(now)
        if present is None:
            _fall_into_step()
    return len(steps)


def _replay(steps: list[Step]) -> None:
    provider = Provider()
    for step in steps:
        _travel_to(step.at)
        step.take(provider)


def _travel_to(instant: int) -> None:
    travel.depart(instant)
    travel.journey()
    site = Site.get()
    if site.time_travel_status != "succeeded":
        raise JourneyFailed(site.failure_reason)


def _fall_into_step() -> None:
    """Live through the seconds the seeding itself took, and let the clock be the real one from here on."""
    _travel_to(int(time.time()))
    Site.objects.update(offset_ms=0)
