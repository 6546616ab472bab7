"""The API's operations, one module per resource; importing this package registers them."""

from chargebee_sandbox.operations import (  # noqa: F401  (imported to be registered)
    cancellations,
    customers,
    estimates,
    events,
    pauses,
    subscription_updates,
    subscriptions,
    time_machine,
)
from chargebee_sandbox.operations.catalog import coupon_sets, coupons, items  # noqa: F401
from chargebee_sandbox.operations.invoicing import credit_notes, invoices, promotional_credits  # noqa: F401
from chargebee_sandbox.operations.payments import (  # noqa: F401
    payment_intents,
    payment_source_roles,
    payment_sources,
    transactions,
)
