"""How often codes may be requested and tried: per address, and per network that the requests come from."""

from __future__ import annotations

from datetime import timedelta

from core.limits import Limit

SEND_GAP = Limit("send-gap", 1, timedelta(seconds=30), grows_on_demo=False)
SEND_ADDRESS = Limit("send-address", 5, timedelta(hours=1))
SEND_NETWORK = Limit("send-network", 20, timedelta(hours=1))
TRY_ADDRESS = Limit("try-address", 10, timedelta(minutes=15))
TRY_NETWORK = Limit("try-network", 100, timedelta(minutes=15))
LOGGED_REFUSALS = Limit("noted-refusals", 100, timedelta(hours=1))
