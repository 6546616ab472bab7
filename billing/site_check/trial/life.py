"""The subscriber that a trial plays through: nobody's ids, the prices that are tried, and the site's clock."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from billing.gateway import records, time_machine
from billing.gateway.errors import Refused
from billing.gateway.http.transport import Exchange
from billing.gateway.site import trial_requests
from billing.gateway.snapshots import Raw, parse_instant
from billing.site_check.time_zone import DatedLine

# Every customer of a trial has an id that begins like this, so that a later run can delete what a killed one left.
ID_PREFIX = "check-site-"
# Work that falls due at an instant is done by then.
AFTERWARDS = timedelta(minutes=1)


@dataclass
class Life:
    """What the steps of a trial share.

    `monthly`, `yearly` and `other_monthly` are ids of prices, `coupon` is that of a bundle coupon, empty without one.
    `patience` is how many seconds the provider gets, after each step and journey, to finish what it does later.
    `exchanges` are those of the current step.
    """

    monthly: str
    yearly: str
    other_monthly: str
    coupon: str
    zone: ZoneInfo
    patience: float
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    lines: list[DatedLine] = field(default_factory=list)
    exchanges: Sequence[Exchange] = ()

    @property
    def customer(self) -> str:
        """The id of its customer."""
        return f"{ID_PREFIX}{self.run}"

    @property
    def trial_subscription(self) -> str:
        """The id of the subscription that begins with a trial and changes."""
        return f"{self.customer}-first"

    @property
    def pausing_subscription(self) -> str:
        """The id of the subscription that pauses."""
        return f"{self.customer}-second"

    @property
    def unpaid_subscription(self) -> str:
        """The id of the subscription that is not paid for."""
        return f"{self.customer}-third"

    def new_key(self) -> str:
        """Return an idempotency key that was not used before."""
        return f"{ID_PREFIX}{uuid.uuid4().hex}"

    def now(self) -> datetime:
        """Return the site's time (UTC)."""
        return records.read_provider_time(self.monthly)

    def travel_to(self, destination: datetime) -> None:
        """Move the site's clock forward to a time (UTC)."""
        time_machine.move_provider_clock(destination, key=self.new_key())
        self.wait_for_provider()

    def travel_past(self, seconds: int) -> None:
        """Move the site's clock to just after an instant (seconds UTC)."""
        self.travel_to(max(parse_instant(seconds), self.now()) + AFTERWARDS)

    def wait_for_provider(self) -> None:
        """Give the provider time for what it does after it has answered."""
        time.sleep(self.patience)


def newest_invoice(subscription_id: str) -> Raw:
    """Return a subscription's newest invoice, empty without one."""
    invoices = trial_requests.find_invoices(subscription_id)
    return invoices[-1] if invoices else {}


def charged_cents(invoice: Raw) -> int:
    """Return what an invoice charges after credits, paid or not, in cents."""
    return int(invoice.get("amount_paid") or 0) + int(invoice.get("amount_due") or 0)


def describe_refusal(error: Refused) -> str:
    """Return the HTTP status and the code of a refusal, such as `409 invalid_state_for_pause`."""
    return f"{getattr(error.__cause__, 'http_status_code', '')} {error.code}".strip()
