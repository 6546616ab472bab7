"""The catalogue: item families, items, item prices."""

from __future__ import annotations

from typing import Any

from billing.sandbox import clock, events
from billing.sandbox.body import Body
from billing.sandbox.models import Item, ItemFamily, ItemPrice, Resource
from billing.sandbox.operations.lookup import found, free_id
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.params import Params, required

_ITEM_TYPES = ("plan", "addon", "charge")
_STATUSES = ("active", "archived")
_UNITS = ("day", "week", "month", "year")
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
def create_family(params: Params) -> Body:
    """A new family."""
    description = params.text("description", longest=2000)
    body: Body = {"name": params.needed("name"), "description": description, "status": "active"}
    family = ItemFamily.make(free_id(ItemFamily, params.needed("id")), body)
    return _keep(family)


@router.get("item_family.retrieve", "/item_families/{handle}")
def retrieve_family(params: Params, handle: str) -> Body:
    """One family."""
    return {"item_family": found(ItemFamily, handle).render()}


@router.get("item_family.list", "/item_families", takes=None)
def list_families(params: Params) -> Body:
    """A page of families."""
    filters = {"id": "string", "name": "string", "updated_at": "timestamp"}
    return _page(ItemFamily, params, filters, sorts=())


@router.post("item.create", "/items", "id name type item_family_id description external_name")
def create_item(params: Params) -> Body:
    """A new plan, addon or charge."""
    family = found(ItemFamily, params.needed("item_family_id"), "item_family_id")
    body: Body = {
        "name": params.needed("name"),
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
    return _keep(Item.make(free_id(Item, params.needed("id")), body))


@router.post("item.update", "/items/{handle}", "name external_name description status")
def update_item(params: Params, handle: str) -> Body:
    """Change how an item is called, or archive it."""
    item = found(Item, handle)
    changes: Body = {
        name: params.text(name) for name in ("name", "external_name", "description") if name in params
    }
    if "status" in params:
        status = params.choice("status", _STATUSES, "")
        changes |= {"status": status, "archived_at": clock.now() if status == "archived" else None}
    item.change(**changes)
    item.save()
    events.record("item_updated", item=item)
    return {"item": item.render()}


@router.get("item.retrieve", "/items/{handle}")
def retrieve_item(params: Params, handle: str) -> Body:
    """One item."""
    return {"item": found(Item, handle).render()}


@router.get("item.list", "/items", takes=None)
def list_items(params: Params) -> Body:
    """A page of items, archived ones included."""
    return _page(Item, params, _ITEM_FILTERS, sorts=("id", "name", "updated_at"))


@router.post(
    "item_price.create",
    "/item_prices",
    "id item_id name external_name description pricing_model price period period_unit currency_code "
    "trial_period trial_period_unit billing_cycles",
)
def create_price(params: Params) -> Body:
    """What an item costs: a flat fee or a fee per unit, in one currency, for one period."""
    item = found(Item, params.needed("item_id"), "item_id")
    body: Body = {
        "name": params.needed("name"),
        "external_name": params.text("external_name"),
        "description": params.text("description", longest=2000),
        "item_id": item.handle,
        "item_family_id": item["item_family_id"],
        "item_type": item["type"],
        "status": "active",
        "pricing_model": params.choice("pricing_model", ("flat_fee", "per_unit"), "flat_fee"),
        "price": required(params.integer("price", least=0), "price"),
        "currency_code": params.text("currency_code", "USD"),
        "billing_cycles": params.integer("billing_cycles", least=1),
        "free_quantity": 0,
        "channel": "web",
        "created_at": clock.now(),
        "is_taxable": True,
        "metadata": {},
        "show_description_in_invoices": False,
        "show_description_in_quotes": False,
        **_periods(params, item["type"]),
    }
    handle = free_id(ItemPrice, params.needed("id"))
    return _keep(ItemPrice.make(handle, body))


@router.get("item_price.retrieve", "/item_prices/{handle}")
def retrieve_price(params: Params, handle: str) -> Body:
    """One item price."""
    return {"item_price": found(ItemPrice, handle).render()}


@router.get("item_price.list", "/item_prices", takes=None)
def list_prices(params: Params) -> Body:
    """A page of item prices, archived ones included."""
    return _page(ItemPrice, params, _PRICE_FILTERS, sorts=("id", "name", "updated_at"))


@router.post("item_price.update", "/item_prices/{handle}", "name external_name description price status")
def update_price(params: Params, handle: str) -> Body:
    """Change an item price for what is sold from now on, or archive it."""
    price = found(ItemPrice, handle)
    changes: Body = {
        name: params.text(name) for name in ("name", "external_name", "description") if name in params
    }
    if "price" in params:
        changes["price"] = required(params.integer("price", least=0), "price")
    if "status" in params:
        status = params.choice("status", _STATUSES, "")
        changes |= {"status": status, "archived_at": clock.now() if status == "archived" else None}
    price.change(**changes)
    price.save()
    events.record("item_price_updated", item_price=price)
    return {"item_price": price.render()}


def _periods(params: Params, item_type: str) -> Body:
    if item_type == "charge":
        return {}
    trial = params.integer("trial_period", least=1)
    return {
        "period": required(params.integer("period", least=1), "period"),
        "period_unit": params.choice("period_unit", _UNITS, ""),
        "trial_period": trial,
        "trial_period_unit": params.choice("trial_period_unit", ("day", "month"), "day") if trial else None,
    }


def _keep(row: Resource) -> Body:
    row.save()
    events.record(f"{row.kind}_created", **{row.kind: row})
    return {row.kind: row.render()}


def _page(model: type[Any], params: Params, filters: dict[str, str], sorts: tuple[str, ...]) -> Body:
    return lists.page(
        model.objects.filter(deleted=False),
        params,
        filters=filters,
        sorts=sorts,
        render=lambda row: {row.kind: row.render()},
    )
