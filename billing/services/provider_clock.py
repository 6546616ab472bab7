"""Keeping the offset of billing's clock: only a test site, or the sandbox, has a time machine."""

import math
import uuid
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from billing.gateway import records, time_machine
from billing.models import ItemPrice, ProviderClock

# Below this the provider's clock is the real one: answers take a moment, and seconds are whole.
TOLERANCE_SECONDS = 2


def refresh() -> None:
    """Ask the provider what time it is and store how far it is ahead; production's provider cannot travel.

    Raises NotSent.
    """
    price = ItemPrice.objects.filter(deleted=False, payload__status="active").order_by("pk").first()
    if settings.PRODUCTION or price is None:
        return
    store(records.present_time(price.provider_id))


def travel_to(destination: datetime) -> None:
    """Move the provider's clock forward to an instant (UTC), and ours with it. Raises NotSent."""
    time_machine.travel_to(destination, key=uuid.uuid4().hex)
    store(destination)


def store(provider_now: datetime) -> None:
    """Store the offset that makes our clock say what the provider's says, or up to a second more: never less.

    What is due at the instant that was travelled to is then due.
    """
    real_now = timezone.now().astimezone(UTC)
    ahead = math.ceil((provider_now - real_now).total_seconds())
    ProviderClock.objects.update_or_create(
        pk=1,
        defaults={"offset_seconds": ahead if abs(ahead) > TOLERANCE_SECONDS else 0, "refreshed_at": real_now},
    )
