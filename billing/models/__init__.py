"""What billing stores: the mirror, pause schedules, commands, webhook events, documents and edited content."""

from billing.models.churn import CancellationFeedback, ChurnEvent, ChurnReport
from billing.models.commands import Command
from billing.models.content import BundleRate, PauseOfferContent
from billing.models.documents import AccountDocument, ContentVersion, InvoicePdf
from billing.models.health import Heartbeat, ProviderMinute, RequestPace, SystemHealth
from billing.models.job_runs import JobRun
from billing.models.mirror import (
    Coupon,
    Customer,
    Invoice,
    ItemPrice,
    PaymentSource,
    Subscription,
    Transaction,
)
from billing.models.pause_schedules import PauseSchedule
from billing.models.redemptions import CodeRedemption, OfferClaim
from billing.models.webhooks import FeedCursor, ProviderClock, WebhookEvent

__all__ = [
    "AccountDocument",
    "BundleRate",
    "CancellationFeedback",
    "ChurnEvent",
    "ChurnReport",
    "CodeRedemption",
    "Command",
    "ContentVersion",
    "Coupon",
    "Customer",
    "FeedCursor",
    "Heartbeat",
    "Invoice",
    "InvoicePdf",
    "ItemPrice",
    "JobRun",
    "OfferClaim",
    "PauseOfferContent",
    "PauseSchedule",
    "PaymentSource",
    "ProviderClock",
    "ProviderMinute",
    "RequestPace",
    "Subscription",
    "SystemHealth",
    "Transaction",
    "WebhookEvent",
]
