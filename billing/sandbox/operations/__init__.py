"""The API's operations, one module per resource; importing this package fills the route table."""

from billing.sandbox.operations import (  # noqa: F401  (imported to be registered)
    catalogue,
    coupon_sets,
    coupons,
    customers,
    estimates,
    events,
    invoices,
    pauses,
    payment_sources,
    subscriptions,
    time_machine,
    transactions,
)
