"""Replays actions at instants of the past, with everything that falls due between them."""

from __future__ import annotations

import time
from collections.abc import Iterable

from chargebee_sandbox.engine import time_machine
from chargebee_sandbox.seeds.operation_caller import OperationCaller, SeedAction
from chargebee_sandbox.site import Site


class JourneyFailed(RuntimeError):
    """The time machine did not reach its destination."""


def replay_actions(steps: Iterable[SeedAction]) -> None:
    """Perform actions in their order, each at its instant. Raises JourneyFailed."""
    provider = OperationCaller()
    for step in steps:
        travel_to(step.at)
        step.perform(provider)


def travel_to(instant: int) -> None:
    """Move the site's clock to an instant (seconds UTC), with everything that falls due. Raises JourneyFailed."""
    time_machine.start_journey(instant)
    time_machine.run_journey()
    site = Site.load()
    if site.time_travel_status != "succeeded":
        raise JourneyFailed(site.failure_reason)


def sync_with_real_time() -> None:
    """Run what fell due while the site was seeded, then set the site's clock to the real time."""
    travel_to(int(time.time()))
    Site.objects.update(offset_ms=0)
