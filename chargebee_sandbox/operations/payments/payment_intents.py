"""Operations on payment intents, for the merchant's server; payers authorize intents in the browser."""

from __future__ import annotations

from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import ApiError, invalid_state, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.payments import gateway_accounts, payment_intents
from chargebee_sandbox.models import Customer, ItemPrice, PaymentIntent
from chargebee_sandbox.operations.lookup import find_resource

_CHANGEABLE_PARAMETERS = "amount currency_code gateway_account_id payment_method_type success_url failure_url"


@router.post("payment_intent.create", "/payment_intents", f"customer_id reference_id {_CHANGEABLE_PARAMETERS}")
def create_payment_intent(params: Params) -> Body:
    """Create an intent for an amount in cents; 0 asks for permission for later payments alone."""
    customer_id = params.text("customer_id")
    if customer_id is not None:
        find_resource(Customer, customer_id, "customer_id")
    require_value(params.integer("amount"), "amount")
    params.required_text("currency_code")
    owner = {"customer_id": customer_id, "reference_id": params.text("reference_id")}
    details = _read_details(params, {"payment_method_type": "card"})
    intent = payment_intents.create_intent({**owner, **details}, customer_id=customer_id or "")
    return {"payment_intent": intent.render_resource()}


@router.get("payment_intent.retrieve", "/payment_intents/{handle}")
def retrieve_payment_intent(params: Params, handle: str) -> Body:
    """Return an intent."""
    return {"payment_intent": find_resource(PaymentIntent, handle).render_resource()}


@router.post("payment_intent.update", "/payment_intents/{handle}", _CHANGEABLE_PARAMETERS)
def update_payment_intent(params: Params, handle: str) -> Body:
    """Change an intent that is not authorized yet. Raises: ApiError 409 for any other."""
    intent = find_resource(PaymentIntent, handle)
    if intent["status"] not in payment_intents.OPEN_STATUSES:
        raise invalid_state(f"The payment intent is {intent['status']}; it cannot be changed")
    payment_intents.update_intent(intent, **_read_details(params, intent.body))
    return {"payment_intent": intent.render_resource()}


def _site_currencies() -> list[str]:
    """Return the currencies of the site: the dollar, and those that it has prices in."""
    return sorted({"USD", *(price["currency_code"] for price in ItemPrice.objects.all())})


def _read_details(params: Params, current: Body) -> Body:
    """Read the changeable attributes that were sent, and the gateway account that follows from them."""
    details: Body = {name: params.text(name) for name in ("success_url", "failure_url") if name in params}
    if (amount := params.integer("amount")) is not None:
        if amount < 0:
            message = "The amount of a payment intent cannot be negative"
            raise ApiError(400, "payment_intent_invalid_amount", message, param="amount")
        details["amount"] = amount
    if "currency_code" in params:
        details["currency_code"] = params.choice("currency_code", _site_currencies(), "")
    method = params.choice("payment_method_type", gateway_accounts.PAYMENT_METHOD_TYPES, current["payment_method_type"])
    is_kept = method == current["payment_method_type"]
    requested = params.text("gateway_account_id", current.get("gateway_account_id") if is_kept else None)
    account = gateway_accounts.account_for(method, requested)
    if account is None:
        raise wrong_value("gateway_account_id", "is no gateway account of this site for the payment method")
    gateway = gateway_accounts.gateway_of(account)
    return {**details, "payment_method_type": method, "gateway_account_id": account, "gateway": gateway}
