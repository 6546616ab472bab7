"""What billing stores: the mirror and the catalog, pause schedules, commands, events, documents and edited content."""

from billing.models.catalog import Item, ItemPrice, Plan
from billing.models.churn import CancellationFeedback, ChurnEvent, ChurnReport
from billing.models.commands import Command
from billing.models.content import BundleRate, CancelScreenOffer, PauseOfferContent, SurveyQuestion
from billing.models.documents import AccountDocument, ContentVersion, InvoicePdf
from billing.models.health import Heartbeat, ProviderMinute, RequestPace, SystemHealth
from billing.models.job_runs import JobRun
from billing.models.mirror import (
    Coupon,
    CreditNote,
    Customer,
    ErasedCustomer,
    Invoice,
    PaymentSource,
    PromotionalCredit,
    SharedAddress,
    Subscription,
    Transaction,
)
from billing.models.next_bills import NextBillEstimate
from billing.models.pause_schedules import PauseSchedule
from billing.models.redemptions import CodeRedemption, OfferClaim, RefusedCode
from billing.models.refund_limits import RefundGrant, RefundLimit
from billing.models.revenue import RevenueMovement, RevenueReport
from billing.models.webhooks import FeedCursor, ProviderClock, WebhookEvent

__all__ = [
    "AccountDocument",
    "BundleRate",
    "CancelScreenOffer",
    "CancellationFeedback",
    "ChurnEvent",
    "ChurnReport",
    "CodeRedemption",
    "Command",
    "ContentVersion",
    "Coupon",
    "CreditNote",
    "Customer",
    "ErasedCustomer",
    "FeedCursor",
    "Heartbeat",
    "Invoice",
    "InvoicePdf",
    "Item",
    "ItemPrice",
    "JobRun",
    "NextBillEstimate",
    "OfferClaim",
    "PauseOfferContent",
    "PauseSchedule",
    "PaymentSource",
    "Plan",
    "PromotionalCredit",
    "ProviderClock",
    "ProviderMinute",
    "RefundGrant",
    "RefundLimit",
    "RefusedCode",
    "RequestPace",
    "RevenueMovement",
    "RevenueReport",
    "SharedAddress",
    "Subscription",
    "SurveyQuestion",
    "SystemHealth",
    "Transaction",
    "WebhookEvent",
]
