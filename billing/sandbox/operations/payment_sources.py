"""Payment sources: cards of the test gateway and PayPal agreements."""

from __future__ import annotations

from billing.sandbox import clock, events, identifiers
from billing.sandbox.body import Body
from billing.sandbox.engine import gateway
from billing.sandbox.models import Customer, PaymentSource, Subscription
from billing.sandbox.operations.lookup import found
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params, required

_FILTERS = {
    "customer_id": "string",
    "type": "enum",
    "status": "enum",
    "updated_at": "timestamp",
    "created_at": "timestamp",
}
_CARD_TEXTS = (
    *("first_name", "last_name", "billing_addr1", "billing_addr2", "billing_city"),
    *("billing_state_code", "billing_state", "billing_zip", "billing_country"),
)


@router.post(
    "payment_source.create_card",
    "/payment_sources/create_card",
    "customer_id card replace_primary_payment_source",
)
def create_card(params: Params) -> Body:
    """Put a card into the vault; its number and code are not kept.

    Raises: ApiError 400 payment_method_verification_failed for a card the gateway does not take.
    """
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    card = params.object("card")
    card.allow_only((*_CARD_TEXTS, "gateway_account_id", "number", "expiry_month", "expiry_year", "cvv"))
    try:
        vaulted = gateway.vault(card.needed("number"))
    except gateway.CardRefused as refusal:
        message = f"Problem while adding the card. Error message: {refusal}"
        raise ApiError(400, "payment_method_verification_failed", message, kind="payment") from None
    reference = identifiers.new("tok_")
    body = {"type": "card", "reference_id": reference, "gateway": "chargebee", "card": _card(card, vaulted)}
    return _add(customer, params, body, vaulted.refusal)


@router.post(
    "payment_source.create_using_permanent_token",
    "/payment_sources/create_using_permanent_token",
    "customer_id type reference_id replace_primary_payment_source",
)
def create_using_permanent_token(params: Params) -> Body:
    """Take over a PayPal billing agreement; PayPal's address is the customer's own."""
    customer = found(Customer, params.needed("customer_id"), "customer_id")
    agreement = params.needed("reference_id")
    body = {
        "type": params.choice("type", ("paypal_express_checkout",), ""),
        "reference_id": agreement,
        "gateway": "paypal_express_checkout",
        "paypal": {"email": customer.get("email"), "agreement_id": agreement, "object": "paypal"},
    }
    return _add(customer, params, body, gateway.APPROVED)


@router.get("payment_source.retrieve", "/payment_sources/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One payment source."""
    return {"payment_source": found(PaymentSource, handle).render()}


@router.get("payment_source.list", "/payment_sources", takes=None)
def list_payment_sources(params: Params) -> Body:
    """A page of payment sources."""
    rows = lists.undeleted(PaymentSource.objects.all(), params)
    if subscription_id := params.text("subscription_id"):
        rows = rows.filter(handle=found(Subscription, subscription_id).get("payment_source_id", ""))
    return lists.page(
        rows,
        params,
        filters=_FILTERS,
        sorts=("created_at", "updated_at"),
        render=lambda source: {"payment_source": source.render()},
        columns={"customer_id": "customer_id"},
        also=("include_deleted", "subscription_id"),
    )


@router.post("payment_source.delete", "/payment_sources/{handle}/delete")
def delete(params: Params, handle: str) -> Body:
    """Take a payment source away; where it was the primary one the backup, or else the newest free one, takes over.

    Subscriptions that were tied to it are charged to the customer's primary source from now on.
    """
    source = found(PaymentSource, handle)
    customer = found(Customer, source.customer_id)
    source.deleted = True
    source.change(deleted=True)
    source.save()
    for subscription in Subscription.objects.filter(body__payment_source_id=handle):
        subscription.change(payment_source_id=None)
        subscription.save()
    _replace(customer, handle)
    customer.save()
    if source["type"] == "card":
        events.record("card_deleted", customer=customer, card=events.card(source))
    events.record("payment_source_deleted", customer=customer, payment_source=source)
    return {"customer": customer.render(), "payment_source": source.render()}


def _card(params: Params, vaulted: gateway.VaultedCard) -> Body:
    texts = {name: value for name in _CARD_TEXTS if (value := params.text(name))}
    return {
        **texts,
        "iin": vaulted.iin,
        "last4": vaulted.last4,
        "brand": vaulted.brand,
        "funding_type": "credit",
        "expiry_month": required(params.integer("expiry_month", least=1, most=12), "card[expiry_month]"),
        "expiry_year": required(params.integer("expiry_year", least=2000, most=2100), "card[expiry_year]"),
        "masked_number": vaulted.masked_number,
        "object": "card",
    }


def _add(customer: Customer, params: Params, body: Body, refusal: str) -> Body:
    shared = {
        "customer_id": customer.handle,
        "status": "valid",
        "gateway_account_id": gateway.ACCOUNT_ID,
        "created_at": clock.now(),
        "deleted": False,
    }
    source = PaymentSource.make(
        identifiers.new("pm_"), {**shared, **body}, customer_id=customer.handle, refusal=refusal
    )
    source.save()
    if params.boolean("replace_primary_payment_source") or "primary_payment_source_id" not in customer.body:
        _make_primary(customer, source)
    customer.change(auto_collection="on")
    customer.save()
    events.record("payment_source_added", customer=customer, payment_source=source)
    if source["type"] == "card":
        events.record("card_added", customer=customer, card=events.card(source))
    return {"customer": customer.render(), "payment_source": source.render()}


def _replace(customer: Customer, gone: str) -> None:
    """Fill the roles of a source that is gone. Without a successor nothing is collected by itself any more."""
    backup = customer.get("backup_payment_source_id")
    if gone == backup:
        customer.change(backup_payment_source_id=None)
    if gone != customer.get("primary_payment_source_id"):
        return
    successor = _successor(customer, backup)
    if successor is None:
        customer.change(primary_payment_source_id=None, payment_method=None)
        customer.change(card_status="no_card", auto_collection="off")
        return
    _make_primary(customer, successor)
    if successor.handle == backup:
        customer.change(backup_payment_source_id=None)


def _successor(customer: Customer, backup: str | None) -> PaymentSource | None:
    held = PaymentSource.objects.filter(customer_id=customer.handle, deleted=False).order_by("-seq")
    tied = Subscription.objects.filter(customer_id=customer.handle, body__payment_source_id__isnull=False)
    taken = {subscription["payment_source_id"] for subscription in tied}
    promoted = held.filter(handle=backup).first() if backup else None
    return promoted or held.exclude(handle__in=taken).first()


def _make_primary(customer: Customer, source: PaymentSource) -> None:
    customer.change(
        primary_payment_source_id=source.handle,
        card_status="valid" if source["type"] == "card" else "no_card",
        payment_method={
            "type": source["type"],
            "reference_id": source["reference_id"],
            "gateway": source["gateway"],
            "gateway_account_id": source["gateway_account_id"],
            "status": source["status"],
            "object": "payment_method",
        },
    )
