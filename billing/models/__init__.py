"""What billing stores: the mirror, schedules, the log of commands, the inbox, documents and edited content."""

from billing.models.commands import Command, IdempotentRequest
from billing.models.content import BundleRate, RetentionContent
from billing.models.documents import AccountDocument, ContentVersion, InvoicePdf
from billing.models.inbox import FeedCursor, ProviderClock, WebhookEvent
from billing.models.jobs import JobRun
from billing.models.mirror import (
    Coupon,
    Customer,
    Invoice,
    ItemPrice,
    PaymentSource,
    Subscription,
    Transaction,
)
from billing.models.pausing import PauseSchedule
from billing.models.perks import CodeRedemption, OfferClaim
from billing.models.reports import RetentionReport
from billing.models.retention import CancellationFeedback, RetentionEvent
from billing.models.runs import Heartbeat, Machinery, ProviderMinute, ReconcileRun, RequestPace

__all__ = [
    "AccountDocument",
    "BundleRate",
    "CancellationFeedback",
    "CodeRedemption",
    "Command",
    "ContentVersion",
    "Coupon",
    "Customer",
    "FeedCursor",
    "Heartbeat",
    "IdempotentRequest",
    "Invoice",
    "InvoicePdf",
    "ItemPrice",
    "JobRun",
    "Machinery",
    "OfferClaim",
    "PauseSchedule",
    "PaymentSource",
    "ProviderClock",
    "ProviderMinute",
    "ReconcileRun",
    "RequestPace",
    "RetentionContent",
    "RetentionEvent",
    "RetentionReport",
    "Subscription",
    "Transaction",
    "WebhookEvent",
]
