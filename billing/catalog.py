"""The services on sale and the plans that carry them (docs/rules.md).

A *service* is one of the streaming services, by family code, compared without case. A *plan* is what a subscriber
sees; at the provider a plan at one billing period is an *item price*, `<plan id>-USD-Monthly` or `-Yearly`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """A plan: `id` is the provider's item id, `name` the name on screens, `on_sale` whether it can be added."""

    id: str
    service: str
    name: str
    on_sale: bool = True


# In the order in which every list shows plans.
PLANS = (
    Plan(id="faith-family-plan", service="faith-family", name="Faith & Family"),
    Plan(id="gospel-tv-plan", service="gospel-TV", name="Gospel TV"),
    Plan(id="Minno-Plan", service="kids", name="Kids"),
    Plan(id="Minno", service="kids", name="Kids", on_sale=False),
)

_BY_ID = {plan.id: plan for plan in PLANS}
_ORDER = {plan.id: position for position, plan in enumerate(PLANS)}
_SUFFIX_OF_PERIOD = {"month": "Monthly", "year": "Yearly"}


def find_plan(plan_id: str) -> Plan | None:
    """Return the plan with this item id, or None if there is none."""
    return _BY_ID.get(plan_id)


def catalog_position(plan_id: str) -> int:
    """Return the plan's position in lists; unknown plans come last."""
    return _ORDER.get(plan_id, len(PLANS))


def build_item_price_id(plan_id: str, period_unit: str) -> str:
    """Return the provider's item price id of a plan at a period (`month` or `year`)."""
    return f"{plan_id}-USD-{_SUFFIX_OF_PERIOD[period_unit]}"


def plan_id_from_price(item_price: str) -> str:
    """Return the plan id that an item price id names (`Minno-USD-Yearly` gives `Minno`)."""
    return item_price.rsplit("-USD-", 1)[0]
