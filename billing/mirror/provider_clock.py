"""Store the offset of billing's clock. Only a Chargebee test site, or the sandbox, has a time machine."""

import math
import uuid
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from billing.gateway import records, time_machine
from billing.models import ItemPrice, ProviderClock

# A smaller offset counts as none: the provider rounds to seconds, and its answer takes a moment.
TOLERANCE_SECONDS = 2


def refresh_offset() -> None:
    """Read the provider's clock and store how far it is ahead of ours; do nothing in production. Raises NotSent."""
    price = ItemPrice.objects.filter(deleted=False, payload__status="active").order_by("pk").first()
    if settings.PRODUCTION or price is None:
        return
    store_offset(records.read_provider_time(price.provider_id))


def move_clocks_to(destination: datetime) -> None:
    """Move the provider's clock forward to an instant (UTC), and ours with it. Raises NotSent."""
    time_machine.move_provider_clock(destination, key=uuid.uuid4().hex)
    store_offset(destination)


def store_offset(provider_now: datetime) -> None:
    """Store the offset between our clock and the provider's time (UTC), rounded up to a second.

    Rounded up, so that what is due at the instant that was traveled to is due at once.
    """
    real_now = timezone.now().astimezone(UTC)
    ahead = math.ceil((provider_now - real_now).total_seconds())
    ProviderClock.objects.update_or_create(
        pk=1,
        defaults={"offset_seconds": ahead if abs(ahead) > TOLERANCE_SECONDS else 0, "refreshed_at": real_now},
    )
