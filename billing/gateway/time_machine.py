"""The provider's time machine, which exists on test sites only."""

import time
from datetime import datetime

from billing.gateway.errors import NotSent
from billing.gateway.http.client import chargebee_sdk, read_from_provider, write_to_provider

MACHINE_NAME = "delorean"
POLL_SECONDS = 0.02
LONGEST_POLL_SECONDS = 1.0


def move_provider_clock(destination: datetime, *, key: str) -> None:
    """Move the provider's clock forward to a time (UTC) and wait until it is there.

    Raises NotSent when the provider reports a failure.
    """
    params = {"destination_time": int(destination.timestamp())}
    machine = write_to_provider(
        chargebee_sdk().TimeMachine.travel_forward, MACHINE_NAME, key=key, params=params
    ).time_machine
    pause = POLL_SECONDS
    while str(machine.raw_data["time_travel_status"]) == "in_progress":
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_POLL_SECONDS)
        machine = read_from_provider(chargebee_sdk().TimeMachine.retrieve, MACHINE_NAME).time_machine
    if str(machine.raw_data["time_travel_status"]) != "succeeded":
        raise NotSent("the provider's time travel failed")
