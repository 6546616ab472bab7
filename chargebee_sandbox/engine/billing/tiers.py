"""Prices in tiers: what a quantity costs, and which tiers it uses.

A tier is for units from ``starting_unit`` to ``ending_unit``; the last one has no end. With the model ``tiered`` each
unit has the price of its own tier, with ``volume`` all units have that of the tier of the last one, and with
``stairstep`` the price of that tier is for the whole quantity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chargebee_sandbox.body import Body

TIERED_MODELS = ("tiered", "volume", "stairstep")


@dataclass(frozen=True)
class TierUse:
    """The units of a charge that one tier prices, their price, and together their amount, in cents."""

    tier: Body
    quantity_used: int
    unit_amount: int
    amount: int

    def as_body(self, line_item_id: str) -> Body:
        """Return it as a row of an invoice."""
        bounds: Body = {name: self.tier[name] for name in ("starting_unit", "ending_unit") if name in self.tier}
        used = {"quantity_used": self.quantity_used, "unit_amount": self.unit_amount}
        return {"line_item_id": line_item_id, **bounds, **used, "object": "line_item_tier"}


def use_tiers(pricing_model: str, tiers: Sequence[Body], quantity: int) -> tuple[TierUse, ...]:
    """Return the tiers that a quantity uses."""
    reached = [tier for tier in tiers if tier["starting_unit"] <= quantity]
    if pricing_model == "tiered":
        return tuple(_use_tier(tier, _units_in_tier(tier, quantity)) for tier in reached)
    last = reached[-1]
    if pricing_model == "volume":
        return (_use_tier(last, quantity),)
    return (TierUse(last, quantity, last["price"], last["price"]),)


def follow_each_other(tiers: Sequence[Body]) -> bool:
    """Return whether tiers begin with the first unit, follow each other without a gap, and have no end."""
    starts = [tier["starting_unit"] for tier in tiers]
    ends = [tier.get("ending_unit") for tier in tiers]
    return bool(tiers) and starts == [1, *(end + 1 for end in ends[:-1] if end is not None)] and ends[-1] is None


def _units_in_tier(tier: Body, quantity: int) -> int:
    return int(min(quantity, tier.get("ending_unit", quantity)) - tier["starting_unit"] + 1)


def _use_tier(tier: Body, units: int) -> TierUse:
    return TierUse(tier, units, tier["price"], units * tier["price"])
