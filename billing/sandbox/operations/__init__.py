"""The API's operations, one module per resource; importing this package fills the route table."""

from billing.sandbox.operations import (  # noqa: F401  (imported to be registered)
    cancellations,
    catalogue,
    changes,
    coupon_sets,
    coupons,
    credit_notes,
    customers,
    estimates,
    events,
    invoices,
    pauses,
    payment_intents,
    payment_roles,
    payment_sources,
    promotional_credits,
    subscriptions,
    time_machine,
    transactions,
)
