"""Operations on the catalog: item families, items, item prices."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing.tiers import TIERED_MODELS
from chargebee_sandbox.models import Item, ItemFamily, ItemPrice, Resource
from chargebee_sandbox.operations.lookup import find_resource, free_id
from chargebee_sandbox.operations.requested_tiers import read_price_tiers

_ITEM_TYPES = ("plan", "addon", "charge")
_STATUSES = ("active", "archived")
_PERIOD_UNITS = ("day", "week", "month", "year")
_ITEM_FILTERS = {
    "id": "string",
    "name": "string",
    "item_family_id": "string",
    "type": "enum",
    "status": "enum",
    "updated_at": "timestamp",
}
_PRICE_FILTERS = {
    "id": "string",
    "name": "string",
    "pricing_model": "enum",
    "item_id": "string",
    "item_family_id": "string",
    "item_type": "enum",
    "currency_code": "string",
    "trial_period": "number",
    "trial_period_unit": "enum",
    "status": "enum",
    "updated_at": "timestamp",
    "period_unit": "enum",
    "period": "number",
}


@router.post("item_family.create", "/item_families", "id name description")
def create_item_family(params: Params) -> Body:
    """Create a family."""
    description = params.text("description", longest=2000)
    body: Body = {"name": params.required_text("name"), "description": description, "status": "active"}
    family = ItemFamily.build_row(free_id(ItemFamily, params.required_text("id")), body)
    return _save_new_row(family, "item_family_created")


@router.get("item_family.retrieve", "/item_families/{handle}")
def retrieve_item_family(params: Params, handle: str) -> Body:
    """Return a family."""
    return {"item_family": find_resource(ItemFamily, handle).render_resource()}


@router.get("item_family.list", "/item_families", takes=None)
def list_item_families(params: Params) -> Body:
    """Return a page of families."""
    filters = {"id": "string", "name": "string", "updated_at": "timestamp"}
    return _list_rows(ItemFamily, params, filters, sorts=())


@router.post("item.create", "/items", "id name type item_family_id description external_name")
def create_item(params: Params) -> Body:
    """Create a plan, an addon, or a charge."""
    family = find_resource(ItemFamily, params.required_text("item_family_id"), "item_family_id")
    body: Body = {
        "name": params.required_text("name"),
        "external_name": params.text("external_name"),
        "description": params.text("description", longest=2000),
        "status": "active",
        "item_family_id": family.handle,
        "type": params.choice("type", _ITEM_TYPES, ""),
        "is_shippable": False,
        "is_giftable": False,
        "enabled_for_checkout": True,
        "enabled_in_portal": True,
        "included_in_mrr": True,
        "item_applicability": "all",
        "metered": False,
        "channel": "web",
        "metadata": {},
    }
    item = Item.build_row(free_id(Item, params.required_text("id")), body)
    return _save_new_row(item, "item_created")


@router.post("item.update", "/items/{handle}", "name external_name description status")
def update_item(params: Params, handle: str) -> Body:
    """Change an item's name or description, or archive it."""
    item = find_resource(Item, handle)
    changes: Body = {name: params.text(name) for name in ("name", "external_name", "description") if name in params}
    if "status" in params:
        status = params.choice("status", _STATUSES, "")
        changes |= {"status": status, "archived_at": clock.now_seconds() if status == "archived" else None}
    item.set_attributes(**changes)
    item.save()
    event_log.record_event("item_updated", item=item)
    return {"item": item.render_resource()}


@router.get("item.retrieve", "/items/{handle}")
def retrieve_item(params: Params, handle: str) -> Body:
    """Return an item."""
    return {"item": find_resource(Item, handle).render_resource()}


@router.get("item.list", "/items", takes=None)
def list_items(params: Params) -> Body:
    """Return a page of items, including archived ones."""
    return _list_rows(Item, params, _ITEM_FILTERS, sorts=("id", "name", "updated_at"))


@router.get("attached_item.list", "/items/{handle}/attached_items", takes=None)
def list_attached_items(params: Params, handle: str) -> Body:
    """Return the items attached to an item, of which this site has none."""
    find_resource(Item, handle)
    filters = {"id": "string", "item_id": "string", "type": "enum", "item_type": "enum", "charge_on_event": "enum"}
    return _list_rows(Item, params, {**filters, "updated_at": "timestamp"}, sorts=(), rows=Item.objects.none())


@router.post(
    "item_price.create",
    "/item_prices",
    "id item_id name external_name description pricing_model price tiers period period_unit currency_code "
    "trial_period trial_period_unit billing_cycles",
)
def create_item_price(params: Params) -> Body:
    """Create the price of an item, in a currency, for a billing period: a flat fee, a fee per unit, or tiers."""
    item = find_resource(Item, params.required_text("item_id"), "item_id")
    body: Body = {
        "name": params.required_text("name"),
        "external_name": params.text("external_name"),
        "description": params.text("description", longest=2000),
        "item_id": item.handle,
        "item_family_id": item["item_family_id"],
        "item_type": item["type"],
        "status": "active",
        **_read_pricing(params),
        "currency_code": params.text("currency_code", "USD"),
        "billing_cycles": params.integer("billing_cycles", least=1),
        "free_quantity": 0,
        "channel": "web",
        "created_at": clock.now_seconds(),
        "is_taxable": True,
        "metadata": {},
        "show_description_in_invoices": False,
        "show_description_in_quotes": False,
        **_price_periods(params, item["type"]),
    }
    handle = free_id(ItemPrice, params.required_text("id"))
    return _save_new_row(ItemPrice.build_row(handle, body), "item_price_created")


@router.get("item_price.retrieve", "/item_prices/{handle}")
def retrieve_item_price(params: Params, handle: str) -> Body:
    """Return an item price."""
    return {"item_price": find_resource(ItemPrice, handle).render_resource()}


@router.get("item_price.list", "/item_prices", takes=None)
def list_item_prices(params: Params) -> Body:
    """Return a page of item prices, including archived ones."""
    return _list_rows(ItemPrice, params, _PRICE_FILTERS, sorts=("id", "name", "updated_at"))


@router.post("item_price.update", "/item_prices/{handle}", "name external_name description price status")
def update_item_price(params: Params, handle: str) -> Body:
    """Change an item price for new subscriptions, or archive it."""
    price = find_resource(ItemPrice, handle)
    changes: Body = {name: params.text(name) for name in ("name", "external_name", "description") if name in params}
    if "price" in params:
        changes["price"] = require_value(params.integer("price", least=0), "price")
    if "status" in params:
        status = params.choice("status", _STATUSES, "")
        changes |= {"status": status, "archived_at": clock.now_seconds() if status == "archived" else None}
    price.set_attributes(**changes)
    price.save()
    event_log.record_event("item_price_updated", item_price=price)
    return {"item_price": price.render_resource()}


def _read_pricing(params: Params) -> Body:
    """Return the pricing model with its price or its tiers. Raises: ApiError 400."""
    model = params.choice("pricing_model", ("flat_fee", "per_unit", *TIERED_MODELS), "flat_fee")
    if model not in TIERED_MODELS:
        return {"pricing_model": model, "price": require_value(params.integer("price", least=0), "price")}
    return {"pricing_model": model, "tiers": read_price_tiers(params)}


def _price_periods(params: Params, item_type: str) -> Body:
    if item_type == "charge":
        return {}
    trial = params.integer("trial_period", least=1)
    return {
        "period": require_value(params.integer("period", least=1), "period"),
        "period_unit": params.choice("period_unit", _PERIOD_UNITS, ""),
        "trial_period": trial,
        "trial_period_unit": params.choice("trial_period_unit", ("day", "month"), "day") if trial else None,
    }


def _save_new_row(row: Resource, event_type: str) -> Body:
    row.save()
    event_log.record_event(event_type, **{row.kind: row})
    return {row.kind: row.render_resource()}


def _list_rows(
    model: type[Any],
    params: Params,
    filters: dict[str, str],
    sorts: tuple[str, ...],
    rows: QuerySet[Any] | None = None,
) -> Body:
    return lists.list_page(
        model.objects.filter(deleted=False) if rows is None else rows,
        params,
        filters=filters,
        sorts=sorts,
        render=lambda row: {row.kind: row.render_resource()},
    )
