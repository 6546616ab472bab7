"""The API's operations, one module per resource; importing this package registers them."""

from chargebee_sandbox.operations import (  # noqa: F401  (imported to be registered)
    cancellations,
    customer_merges,
    customers,
    estimates,
    events,
    pauses,
    ramps,
    site,
    subscription_terms,
    subscription_updates,
    subscriptions,
    time_machine,
)
from chargebee_sandbox.operations.catalog import coupon_sets, coupons, items  # noqa: F401
from chargebee_sandbox.operations.invoicing import (  # noqa: F401
    credit_notes,
    downloads,
    invoices,
    promotional_credits,
    refunds,
    unbilled_charges,
)
from chargebee_sandbox.operations.payments import (  # noqa: F401
    customer_payments,
    payment_intents,
    payment_source_roles,
    payment_sources,
    transactions,
)
