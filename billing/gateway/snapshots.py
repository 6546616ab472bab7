"""Snapshots: the provider's records as frozen dataclasses, with only the fields that the portal uses.

`payload` keeps the provider's field names and units (cents, epoch seconds), filtered by an allow-list (docs/rules.md,
rule 17). Operators read it, and models give typed access to it. `version` is the provider's `resource_version` in
milliseconds; for the few resources without one, the time of their last change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Raw = Mapping[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

CUSTOMER_FIELDS = (
    "id", "first_name", "last_name", "email", "primary_payment_source_id", "backup_payment_source_id",
    "auto_collection", "locale", "card_status", "promotional_credits", "refundable_credits", "excess_payments",
    "unbilled_charges", "preferred_currency_code", "created_at", "updated_at",
)  # fmt: skip
SUBSCRIPTION_FIELDS = (
    "id", "customer_id", "status", "currency_code", "billing_period", "billing_period_unit",
    "current_term_start", "current_term_end", "next_billing_at", "trial_start", "trial_end",
    "pause_date", "resume_date", "cancelled_at", "cancel_reason", "cancel_schedule_created_at",
    "start_date", "started_at", "activated_at", "created_at", "updated_at", "has_scheduled_changes",
    "due_invoices_count", "due_since", "total_dues", "payment_source_id", "auto_collection",
    "remaining_billing_cycles",
)  # fmt: skip
COUPON_ON_SUBSCRIPTION_FIELDS = ("coupon_id", "coupon_code", "applied_count", "apply_till")
DISCOUNT_ON_SUBSCRIPTION_FIELDS = (
    "id", "type", "percentage", "amount", "duration_type", "apply_on", "item_price_id", "apply_till", "coupon_id",
)  # fmt: skip
SOURCE_FIELDS = ("id", "customer_id", "type", "status", "created_at", "updated_at")
CARD_FIELDS = ("first_name", "last_name", "brand", "last4", "masked_number", "expiry_month", "expiry_year",
               "billing_state", "billing_state_code", "billing_zip")  # fmt: skip
# What tells a source of another type from others of its type.
SOURCE_ACCOUNT_FIELDS = {
    "paypal": ("email",),
    "bank_account": ("last4", "bank_name"),
    "amazon_payment": ("email",),
    "venmo": ("user_name",),
    "upi": ("vpa",),
    "klarna_pay_now": ("email",),
}
INVOICE_FIELDS = (
    "id", "customer_id", "subscription_id", "status", "date", "due_date", "paid_at", "currency_code", "price_type",
    "sub_total", "tax", "total", "amount_paid", "amount_due", "amount_adjusted", "credits_applied",
    "write_off_amount", "dunning_status", "next_retry_at", "recurring", "first_invoice", "updated_at",
)  # fmt: skip
LINE_FIELDS = ("id", "subscription_id", "description", "date_from", "date_to", "quantity", "unit_amount", "amount",
               "discount_amount", "tax_amount", "entity_type", "entity_id")  # fmt: skip
TAX_FIELDS = ("name", "amount", "description")
DISCOUNT_FIELDS = ("amount", "description", "entity_type", "entity_id", "coupon_set_code", "discount_type")
LINKED_PAYMENT_FIELDS = ("txn_id", "applied_amount", "applied_at", "txn_status", "txn_date", "txn_amount")
ADDRESS_FIELDS = (
    "first_name",
    "last_name",
    "line1",
    "line2",
    "city",
    "state",
    "state_code",
    "zip",
    "country",
)
TRANSACTION_FIELDS = (
    "id", "customer_id", "subscription_id", "payment_source_id", "payment_method", "type", "date", "amount",
    "currency_code", "status", "masked_card_number", "last4", "error_code", "error_text", "refunded_txn_id",
)  # fmt: skip
CREDIT_NOTE_FIELDS = (
    "id", "customer_id", "subscription_id", "reference_invoice_id", "type", "status", "reason_code", "customer_notes",
    "date", "currency_code", "price_type", "sub_total", "total", "amount_allocated", "amount_refunded",
    "amount_available", "refunded_at", "voided_at", "updated_at",
)  # fmt: skip
PROMOTIONAL_CREDIT_FIELDS = (
    "id", "customer_id", "type", "amount", "currency_code", "description", "credit_type", "reference",
    "closing_balance", "created_at",
)  # fmt: skip
LINKED_REFUND_FIELDS = ("txn_id", "applied_amount", "applied_at", "txn_status", "txn_date", "txn_amount")
ALLOCATION_FIELDS = ("invoice_id", "allocated_amount", "allocated_at")
ITEM_FIELDS = ("id", "name", "external_name", "type", "status")
PRICE_FIELDS = ("id", "name", "external_name", "item_id", "status", "price", "period", "period_unit", "currency_code")
RECURRING_ITEM_TYPES = ("plan", "addon")
COUPON_FIELDS = (
    "id", "name", "status", "discount_type", "discount_percentage", "discount_amount", "currency_code", "duration_type",
    "period",
    "period_unit", "apply_on", "valid_till", "max_redemptions", "item_constraints", "item_constraint_criteria",
)  # fmt: skip


@dataclass(frozen=True)
class Snapshot:
    """One resource at `version`; `deleted` when it no longer exists at the provider."""

    id: str
    version: int
    payload: dict[str, Any] = field(repr=False)
    deleted: bool = False


@dataclass(frozen=True)
class CustomerSnapshot(Snapshot):
    """A customer; `email` is spelled as at the provider."""

    email: str = ""

    @classmethod
    def from_raw(cls, raw: Raw) -> "CustomerSnapshot":
        """Return the snapshot of a customer from the provider's JSON."""
        payload = pick_fields(raw, CUSTOMER_FIELDS)
        payload["billing_address"] = pick_fields(raw.get("billing_address") or {}, ADDRESS_FIELDS)
        return cls(**_common_fields(raw, payload), email=str(raw.get("email", "")))


@dataclass(frozen=True)
class SubscriptionSnapshot(Snapshot):
    """A subscription of one plan, with add-ons at most.

    The price id is that of its plan item, the amount (cents) what plan and add-ons cost together.
    """

    customer_id: str = ""
    status: str = ""
    item_price_id: str = ""
    created_at: datetime = EPOCH

    @classmethod
    def from_raw(cls, raw: Raw, *, changing_to: Raw | None = None) -> "SubscriptionSnapshot":
        """Return the snapshot of a subscription from the provider's JSON.

        `changing_to` is the JSON of the same subscription with its scheduled change.
        """
        payload = pick_fields(raw, SUBSCRIPTION_FIELDS)
        plan = _plan_item(raw)
        payload["item_price_id"] = str(plan.get("item_price_id", ""))
        payload["amount"] = _items_amount(raw)
        payload["has_extras"] = _has_extras(raw)
        payload["coupons"] = pick_rows_fields(raw.get("coupons"), COUPON_ON_SUBSCRIPTION_FIELDS)
        if raw.get("discounts"):
            payload["discounts"] = pick_rows_fields(raw["discounts"], DISCOUNT_ON_SUBSCRIPTION_FIELDS)
        contract = raw.get("contract_term") or {}
        if contract.get("status") == "active":
            payload["contract_end"] = contract["contract_end"]
        if changing_to is not None:
            payload["scheduled_item_price_id"] = str(_plan_item(changing_to).get("item_price_id", ""))
            payload["scheduled_has_extras"] = _has_extras(changing_to)
            if all("amount" in item for item in _recurring_items(changing_to)):
                payload["scheduled_amount"] = _items_amount(changing_to)
        return cls(
            **_common_fields(raw, payload),
            customer_id=str(raw["customer_id"]),
            status=str(raw["status"]),
            item_price_id=payload["item_price_id"],
            created_at=parse_instant(raw.get("created_at") or raw.get("started_at") or 0),
        )

    @property
    def has_pause(self) -> bool:
        """Whether it is paused or a pause is scheduled."""
        return self.status == "paused" or self.payload.get("pause_date") is not None

    @property
    def changing_to(self) -> str:
        """The id of the price it is scheduled to change to, empty for none."""
        return str(self.payload.get("scheduled_item_price_id", ""))


@dataclass(frozen=True)
class PaymentSourceSnapshot(Snapshot):
    """A card, a PayPal account or another payment source, as masked by the provider."""

    customer_id: str = ""

    @classmethod
    def from_raw(cls, raw: Raw) -> "PaymentSourceSnapshot":
        """Return the snapshot of a payment source from the provider's JSON."""
        payload = pick_fields(raw, SOURCE_FIELDS)
        payload["card"] = pick_fields(raw.get("card") or {}, CARD_FIELDS)
        for name, fields in SOURCE_ACCOUNT_FIELDS.items():
            payload[name] = pick_fields(raw.get(name) or {}, fields)
        return cls(**_common_fields(raw, payload), customer_id=str(raw["customer_id"]))

    @property
    def last4(self) -> str:
        """The card's last four digits; empty for what is no card."""
        card = self.payload.get("card") or {}
        return str(card.get("last4") or "")[:4]


@dataclass(frozen=True)
class InvoiceSnapshot(Snapshot):
    """An invoice; `id` is its number, amounts are cents. `is_made_by_change`: a change's answer named it as its own."""

    customer_id: str = ""
    status: str = ""
    issued_at: datetime = EPOCH
    is_made_by_change: bool = False

    @classmethod
    def from_raw(cls, raw: Raw) -> "InvoiceSnapshot":
        """Return the snapshot of an invoice from the provider's JSON."""
        payload = pick_fields(raw, INVOICE_FIELDS)
        payload["line_items"] = pick_rows_fields(raw.get("line_items"), LINE_FIELDS)
        payload["discounts"] = pick_rows_fields(raw.get("discounts"), DISCOUNT_FIELDS)
        payload["taxes"] = pick_rows_fields(raw.get("taxes"), TAX_FIELDS)
        payload["linked_payments"] = pick_rows_fields(raw.get("linked_payments"), LINKED_PAYMENT_FIELDS)
        payload["dunning_attempts"] = pick_rows_fields(
            raw.get("dunning_attempts"), ("attempt", "created_at", "txn_status")
        )
        payload["billing_address"] = pick_fields(raw.get("billing_address") or {}, ADDRESS_FIELDS)
        return cls(
            **_common_fields(raw, payload),
            customer_id=str(raw["customer_id"]),
            status=str(raw["status"]),
            issued_at=parse_instant(raw.get("date") or 0),
        )


@dataclass(frozen=True)
class TransactionSnapshot(Snapshot):
    """A payment, an attempt at one, or a refund; `made_at` is None if the provider gives no date."""

    customer_id: str = ""
    type: str = ""
    status: str = ""
    made_at: datetime | None = None

    @classmethod
    def from_raw(cls, raw: Raw) -> "TransactionSnapshot":
        """Return the snapshot of a transaction from the provider's JSON."""
        return cls(
            **_common_fields(raw, pick_fields(raw, TRANSACTION_FIELDS)),
            customer_id=str(raw.get("customer_id", "")),
            type=str(raw.get("type", "")),
            status=str(raw.get("status", "")),
            made_at=parse_instant(raw["date"]) if raw.get("date") else None,
        )


@dataclass(frozen=True)
class CreditNoteSnapshot(Snapshot):
    """A credit note; `id` is its number, `invoice_number` that of the invoice it credits, amounts are cents."""

    customer_id: str = ""
    invoice_number: str = ""
    issued_at: datetime = EPOCH

    @classmethod
    def from_raw(cls, raw: Raw) -> "CreditNoteSnapshot":
        """Return the snapshot of a credit note from the provider's JSON."""
        payload = pick_fields(raw, CREDIT_NOTE_FIELDS)
        payload["line_items"] = pick_rows_fields(raw.get("line_items"), LINE_FIELDS)
        payload["discounts"] = pick_rows_fields(raw.get("discounts"), DISCOUNT_FIELDS)
        payload["taxes"] = pick_rows_fields(raw.get("taxes"), TAX_FIELDS)
        payload["linked_refunds"] = pick_rows_fields(raw.get("linked_refunds"), LINKED_REFUND_FIELDS)
        payload["allocations"] = pick_rows_fields(raw.get("allocations"), ALLOCATION_FIELDS)
        payload["billing_address"] = pick_fields(raw.get("billing_address") or {}, ADDRESS_FIELDS)
        return cls(
            **_common_fields(raw, payload),
            customer_id=str(raw["customer_id"]),
            invoice_number=str(raw.get("reference_invoice_id") or ""),
            issued_at=parse_instant(raw.get("date") or 0),
        )


@dataclass(frozen=True)
class PromotionalCreditSnapshot(Snapshot):
    """An entry of a customer's promotional credits, which never changes: an addition, or a deduction."""

    customer_id: str = ""
    created_at: datetime = EPOCH

    @classmethod
    def from_raw(cls, raw: Raw) -> "PromotionalCreditSnapshot":
        """Return the snapshot of an entry from the provider's JSON."""
        return cls(
            **_common_fields(raw, pick_fields(raw, PROMOTIONAL_CREDIT_FIELDS)),
            customer_id=str(raw["customer_id"]),
            created_at=parse_instant(raw["created_at"]),
        )


@dataclass(frozen=True)
class ItemSnapshot(Snapshot):
    """An item: a plan, an add-on or a charge."""

    @classmethod
    def from_raw(cls, raw: Raw) -> "ItemSnapshot":
        """Return the snapshot of an item from the provider's JSON."""
        return cls(**_common_fields(raw, pick_fields(raw, ITEM_FIELDS)))


@dataclass(frozen=True)
class ItemPriceSnapshot(Snapshot):
    """An item's price in one currency and per one period."""

    item_id: str = ""

    @classmethod
    def from_raw(cls, raw: Raw) -> "ItemPriceSnapshot":
        """Return the snapshot of an item price from the provider's JSON."""
        return cls(**_common_fields(raw, pick_fields(raw, PRICE_FIELDS)), item_id=str(raw["item_id"]))


@dataclass(frozen=True)
class CouponSnapshot(Snapshot):
    """A coupon.

    `redemptions` is not mirrored: it changes without a new version and without an event.
    """

    redemptions: int = 0

    @classmethod
    def from_raw(cls, raw: Raw) -> "CouponSnapshot":
        """Return the snapshot of a coupon from the provider's JSON."""
        return cls(
            **_common_fields(raw, pick_fields(raw, COUPON_FIELDS)),
            redemptions=int(raw.get("redemptions") or 0),
        )


@dataclass(frozen=True)
class EventSnapshot:
    """An event: its type, time, and the ids of the resources it names, by kind."""

    id: str
    event_type: str
    occurred_at: datetime
    api_version: str
    resource_ids: dict[str, list[str]]

    @classmethod
    def from_raw(cls, raw: Raw) -> "EventSnapshot":
        """Return the snapshot of an event. Raises KeyError, TypeError or ValueError for an invalid one."""
        content = raw["content"]
        return cls(
            id=_require_text(raw["id"]),
            event_type=_require_text(raw["event_type"]),
            occurred_at=parse_instant(raw["occurred_at"]),
            api_version=_require_text(raw.get("api_version", "")),
            resource_ids=_named_resource_ids(_require_text(raw["event_type"]), content),
        )


# The kinds of mirrored resources that an event may name.
NAMED_KINDS = (
    "customer", "subscription", "invoice", "transaction", "payment_source", "credit_note",
    "promotional_credit", "item", "item_price", "coupon",
)  # fmt: skip
CARD_EVENT_PREFIX = "card_"
UNBILLED_EVENT_PREFIX = "unbilled_charges_"


def parse_instant(seconds: Any) -> datetime:
    """Return a provider time (seconds since 1970) in UTC."""
    return datetime.fromtimestamp(int(seconds), tz=UTC)


def pick_fields(raw: Raw, fields: Iterable[str]) -> dict[str, Any]:
    """Return the allowed fields that are present."""
    return {name: raw[name] for name in fields if name in raw}


def pick_rows_fields(rows: Iterable[Raw] | None, fields: Iterable[str]) -> list[dict[str, Any]]:
    """Return the allowed fields of each row."""
    names = tuple(fields)
    return [pick_fields(row, names) for row in rows or ()]


def _recurring_items(raw: Raw) -> list[Raw]:
    items: list[Raw] = raw.get("subscription_items") or []
    return [item for item in items if item.get("item_type") in RECURRING_ITEM_TYPES]


def _items_amount(raw: Raw) -> int:
    return sum(int(item.get("amount") or 0) for item in _recurring_items(raw))


def _has_extras(raw: Raw) -> bool:
    """Return whether a subscription has more than its plan once at one price: add-ons, a quantity, or tiers."""
    quantity = int(_plan_item(raw).get("quantity") or 1)
    return len(_recurring_items(raw)) > 1 or quantity > 1 or bool(raw.get("item_tiers"))


def _plan_item(raw: Raw) -> Raw:
    return next((item for item in _recurring_items(raw) if item["item_type"] == "plan"), {})


def _named_resource_ids(event_type: str, content: Raw) -> dict[str, list[str]]:
    ids = {kind: _resource_ids(content.get(kind)) for kind in NAMED_KINDS if content.get(kind)}
    # The content lacks the customer whose balance a credit note changes.
    if content.get("credit_note") and "customer" not in ids:
        ids["customer"] = [_require_text(content["credit_note"]["customer_id"])]
    # A ramp changes what its subscription says of scheduled changes, and the content lacks that.
    if content.get("ramp"):
        ids["subscription"] = [_require_text(content["ramp"]["subscription_id"])]
    # Unbilled charges are on the next bill of their subscription, whose content and version do not tell it.
    if event_type.startswith(UNBILLED_EVENT_PREFIX):
        charges = _as_rows(content.get("unbilled_charge"))
        billed = [charge["subscription_id"] for charge in charges if charge.get("subscription_id")]
        ids |= {"subscription": [*dict.fromkeys(map(_require_text, billed))]} if billed else {}
    # Only a card event is about the card's payment source; other events include the card as context.
    source = content.get("card", {}).get("payment_source_id") if event_type.startswith(CARD_EVENT_PREFIX) else None
    return {**ids, "payment_source": [_require_text(source)]} if source is not None else ids


def _resource_ids(value: Any) -> list[str]:
    return [_require_text(row["id"]) for row in _as_rows(value)]


def _as_rows(value: Any) -> list[Raw]:
    """Return what an event's content has of a kind: nothing, one, or several."""
    return value if isinstance(value, list) else [value] if value else []


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} in place of text")
    return value


def _common_fields(raw: Raw, payload: dict[str, Any]) -> dict[str, Any]:
    seconds = raw.get("updated_at") or raw.get("created_at") or 0
    version = raw.get("resource_version") or int(seconds) * 1000
    return {
        "id": str(raw["id"]),
        "version": int(version),
        "payload": payload,
        "deleted": bool(raw.get("deleted", False)),
    }
