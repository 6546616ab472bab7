"""The provider's documented time machine, which exists on test sites only."""

import time
from datetime import datetime

from billing.gateway.client import read, sdk, write
from billing.gateway.errors import NotSent

NAME = "delorean"
POLL_SECONDS = 0.02
LONGEST_POLL_SECONDS = 1.0


def travel_to(destination: datetime, *, key: str) -> None:
    """Move the provider's clock forward to an instant (UTC) and return when it has arrived.

    Raises NotSent when the provider says that the travel failed.
    """
    params = {"destination_time": int(destination.timestamp())}
    machine = write(sdk().TimeMachine.travel_forward, NAME, key=key, params=params).time_machine
    pause = POLL_SECONDS
    while str(machine.raw_data["time_travel_status"]) == "in_progress":
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_POLL_SECONDS)
        machine = read(sdk().TimeMachine.retrieve, NAME).time_machine
    if str(machine.raw_data["time_travel_status"]) != "succeeded":
        raise NotSent("the provider's time travel failed")
