"""Payment intents, as the merchant's server makes and reads them; payers agree to them in the browser."""

from __future__ import annotations

from billing.sandbox.body import Body
from billing.sandbox.engine import gateway, intents
from billing.sandbox.models import Customer, PaymentIntent
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import router
from billing.sandbox.wire.errors import ApiError, invalid_state, wrong_value
from billing.sandbox.wire.params import Params, required

GATEWAYS = {"card": "chargebee", "paypal_express_checkout": "paypal_express_checkout"}
"""What this site can be paid with, and by which gateway."""

_CHANGEABLE = "amount currency_code gateway_account_id payment_method_type success_url failure_url"


@router.post("payment_intent.create", "/payment_intents", f"customer_id reference_id {_CHANGEABLE}")
def create(params: Params) -> Body:
    """A new intent over an amount in cents, which is 0 where only later payments are to be agreed to."""
    customer_id = params.text("customer_id")
    if customer_id is not None:
        found(Customer, customer_id, "customer_id")
    required(params.integer("amount"), "amount")
    params.needed("currency_code")
    owner = {"customer_id": customer_id, "reference_id": params.text("reference_id")}
    details = {"payment_method_type": "card", "gateway": GATEWAYS["card"], **_details(params)}
    intent = intents.make(
        {"gateway_account_id": gateway.ACCOUNT_ID, **owner, **details}, customer_id=customer_id or ""
    )
    return {"payment_intent": intent.render()}


@router.get("payment_intent.retrieve", "/payment_intents/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One intent, as it really stands."""
    return {"payment_intent": found(PaymentIntent, handle).render()}


@router.post("payment_intent.update", "/payment_intents/{handle}", _CHANGEABLE)
def update(params: Params, handle: str) -> Body:
    """Change an intent that nobody has agreed to yet. Raises: ApiError 409 for any other."""
    intent = found(PaymentIntent, handle)
    if intent["status"] not in intents.OPEN:
        raise invalid_state(f"The payment intent is {intent['status']}; it cannot be changed")
    intents.change(intent, **_details(params))
    return {"payment_intent": intent.render()}


def _details(params: Params) -> Body:
    """The changeable attributes that are given, checked."""
    details: Body = {name: params.text(name) for name in ("success_url", "failure_url") if name in params}
    if (amount := params.integer("amount")) is not None:
        if amount < 0:
            message = "The amount of a payment intent cannot be negative"
            raise ApiError(400, "payment_intent_invalid_amount", message, param="amount")
        details["amount"] = amount
    if "currency_code" in params:
        details["currency_code"] = params.choice("currency_code", ("USD",), "")
    if "payment_method_type" in params:
        method = params.choice("payment_method_type", GATEWAYS, "card")
        details |= {"payment_method_type": method, "gateway": GATEWAYS[method]}
    if params.text("gateway_account_id", gateway.ACCOUNT_ID) != gateway.ACCOUNT_ID:
        raise wrong_value("gateway_account_id", "is no gateway account of this site")
    return details
