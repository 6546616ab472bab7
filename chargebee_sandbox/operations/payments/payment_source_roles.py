"""Operations on the roles of payment sources: primary, backup, and the source of a single subscription."""

from __future__ import annotations

from chargebee_sandbox import event_log
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import invalid_state, not_found
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import payment_source_roles
from chargebee_sandbox.models import Customer, PaymentSource
from chargebee_sandbox.operations.lookup import find_resource
from chargebee_sandbox.operations.subscriptions import find_subscription, read_billing_profile


@router.post("customer.assign_payment_role", "/customers/{handle}/assign_payment_role", "payment_source_id role")
def assign_payment_role(params: Params, handle: str) -> Body:
    """Make a source the primary or the backup one, or remove its backup role.

    The previous primary source loses its role. Does not check that the source can be charged. Raises: ApiError 404 for
    another customer's or a deleted source, 409 for the present primary source.
    """
    customer = find_resource(Customer, handle)
    source_id = params.required_text("payment_source_id")
    source = find_resource(PaymentSource, source_id, "payment_source_id")
    if source.customer_id != handle:
        raise not_found("payment_source", source_id, "payment_source_id")
    role = params.choice("role", ("primary", "backup", "none"), "")
    if customer.get("primary_payment_source_id") == source_id:
        raise invalid_state(f"The payment source {source_id} is the primary one; another has to take its place")
    _assign_role(customer, source, role)
    customer.save()
    event_log.record_event("customer_changed", customer=customer)
    return {"customer": customer.render_resource(), "payment_source": source.render_resource()}


def _assign_role(customer: Customer, source: PaymentSource, role: str) -> None:
    match role:
        case "primary":
            payment_source_roles.make_primary(customer, source)
        case "backup":
            customer.set_attributes(backup_payment_source_id=source.handle)
        case _ if customer.get("backup_payment_source_id") == source.handle:
            customer.set_attributes(backup_payment_source_id=None)


@router.post(
    "subscription.override_billing_profile",
    "/subscriptions/{handle}/override_billing_profile",
    "payment_source_id auto_collection",
)
def override_billing_profile(params: Params, handle: str) -> Body:
    """Set a subscription's own payment source and automatic collection.

    Without a parameter the customer's setting applies again. Raises: ApiError 404 for another customer's or a deleted
    source.
    """
    target = find_subscription(handle)
    profile = {
        "payment_source_id": None,
        "auto_collection": None,
        **read_billing_profile(params, target.customer),
    }
    target.subscription.set_attributes(**profile)
    target.subscription.save()
    target.record_and_answer("subscription_changed")
    answer = {"subscription": target.subscription.render_resource()}
    tied = PaymentSource.objects.filter(handle=profile["payment_source_id"]).first()
    return {**answer, "payment_source": tied.render_resource()} if tied else answer
