"""The tiers that a request names: those of an item price, or of one subscription's items."""

from __future__ import annotations

from chargebee_sandbox.api.errors import wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.engine.billing import tiers

_PARAMETERS = ("starting_unit", "ending_unit", "price")


def read_price_tiers(params: Params) -> list[Body]:
    """Return the ``tiers`` of an item price. Raises: ApiError 400 unless they go from 1 on, without a gap or an end."""
    rows = params.rows("tiers")
    for row in rows:
        row.allow_only(_PARAMETERS)
    found = [_read_tier(row) for row in rows]
    if not tiers.follow_each_other(found):
        raise wrong_value("tiers", "should begin with 1 and follow each other, the last one without an end")
    return [{**tier, "object": "tier"} for tier in found]


def read_item_tiers(params: Params) -> dict[str, list[Body]]:
    """Return the ``item_tiers`` of a subscription, by item price. Raises: as ``read_price_tiers``."""
    found: dict[str, list[Body]] = {}
    for row in params.rows("item_tiers"):
        row.allow_only(("item_price_id", *_PARAMETERS))
        found.setdefault(row.required_text("item_price_id"), []).append(_read_tier(row))
    for handle, rows in found.items():
        if not tiers.follow_each_other(rows):
            raise wrong_value("item_tiers", f"should begin with 1 for {handle} and follow each other without an end")
    return {handle: [as_item_tier(handle, row) for row in rows] for handle, rows in found.items()}


def as_item_tier(handle: str, tier: Body) -> Body:
    """Return a tier of an item price as one of a subscription."""
    return {"item_price_id": handle, **tier, "object": "item_tier"}


def _read_tier(row: Params) -> Body:
    ending_unit = row.integer("ending_unit", least=1)
    return {
        "starting_unit": require_value(row.integer("starting_unit", least=1), "starting_unit"),
        **({} if ending_unit is None else {"ending_unit": ending_unit}),
        "price": require_value(row.integer("price", least=0), "price"),
    }
