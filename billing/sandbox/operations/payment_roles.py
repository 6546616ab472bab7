"""Which payment source is charged first, which when that fails, and which for one subscription alone."""

from __future__ import annotations

from billing.sandbox import events
from billing.sandbox.body import Body
from billing.sandbox.engine import roles
from billing.sandbox.models import Customer, PaymentSource
from billing.sandbox.operations.lookup import found
from billing.sandbox.operations.subscriptions import billing_profile, owned
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import invalid_state, not_found
from billing.sandbox.wire.params import Params


@router.post(
    "customer.assign_payment_role", "/customers/{handle}/assign_payment_role", "payment_source_id role"
)
def assign_payment_role(params: Params, handle: str) -> Body:
    """Make a source the primary or the backup one, or take its role as backup away.

    The primary source before has no role afterwards. Whether the source can be charged is not looked at. Raises:
    ApiError 404 for a source of another customer or a deleted one, 409 for the source that is primary already.
    """
    customer = found(Customer, handle)
    named = params.needed("payment_source_id")
    source = found(PaymentSource, named, "payment_source_id")
    if source.customer_id != handle:
        raise not_found("payment_source", named, "payment_source_id")
    role = params.choice("role", ("primary", "backup", "none"), "")
    if customer.get("primary_payment_source_id") == named:
        raise invalid_state(f"The payment source {named} is the primary one; another has to take its place")
    _assign(customer, source, role)
    customer.save()
    events.record("customer_changed", customer=customer)
    return {"customer": customer.render(), "payment_source": source.render()}


def _assign(customer: Customer, source: PaymentSource, role: str) -> None:
    match role:
        case "primary":
            roles.make_primary(customer, source)
        case "backup":
            customer.change(backup_payment_source_id=source.handle)
        case _ if customer.get("backup_payment_source_id") == source.handle:
            customer.change(backup_payment_source_id=None)


@router.post(
    "subscription.override_billing_profile",
    "/subscriptions/{handle}/override_billing_profile",
    "payment_source_id auto_collection",
)
def override_billing_profile(params: Params, handle: str) -> Body:
    """Charge a subscription to a source of its own, and say whether it is collected by itself.

    What is not said is the customer's again. Raises: ApiError 404 for a source of another customer or a deleted one.
    """
    own = owned(handle)
    profile = {"payment_source_id": None, "auto_collection": None, **billing_profile(params, own.customer)}
    own.subscription.change(**profile)
    own.subscription.save()
    own.done("subscription_changed")
    answer = {"subscription": own.subscription.render()}
    tied = PaymentSource.objects.filter(handle=profile["payment_source_id"]).first()
    return {**answer, "payment_source": tied.render()} if tied else answer
