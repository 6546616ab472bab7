"""Checks of the plans and prices at the provider."""

from collections.abc import Iterator

from billing.gateway.snapshots import ItemPriceSnapshot, Raw
from billing.models import ItemPrice, Plan
from billing.site_check.findings import Finding, Topic
from billing.site_check.site_reader import SiteReader
from billing.terms import MONTH, YEAR, BillingTerms

TOPIC = Topic("Catalog")
PLACE = "Product Catalog > Plans"
ALL_TERMS = tuple(BillingTerms(period_unit=unit) for unit in (MONTH, YEAR))


def check_catalog(site: SiteReader) -> Iterator[Finding]:
    """Check that every plan on sale has its item and both prices, and that every item is arranged as a plan."""
    plans = list(Plan.objects.all())
    for plan in plans:
        if plan.on_sale:
            yield _check_item(site, plan)
            for terms in ALL_TERMS:
                yield _check_price(site, plan, terms)
        elif plan.id not in site.items:
            yield TOPIC.ok_finding(f"{plan.id}: no longer sold", "not at the site")
    unknown = site_plan_ids(site) - {plan.id for plan in plans}
    if unknown:
        yield TOPIC.open_finding(
            "only plans that the portal knows",
            f"also {', '.join(sorted(unknown))}",
            "Arrange them in the admin, at Plans. Until then, their subscribers can only cancel them.",
        )


def site_plan_ids(site: SiteReader) -> set[str]:
    """Return the ids of the site's items that are plans."""
    return {name for name, item in site.items.items() if item.get("type") == "plan"}


def find_site_price(site: SiteReader, item_id: str, terms: BillingTerms) -> Raw | None:
    """Return the site's price of an item at these terms, one that is on sale first; None if it has none."""
    prices = [raw for raw in site.item_prices.values() if raw.get("item_id") == item_id and _terms_of(raw) == terms]
    return min(prices, key=lambda raw: raw.get("status") != "active", default=None)


def _terms_of(raw: Raw) -> BillingTerms:
    return ItemPrice(payload=ItemPriceSnapshot.from_raw(raw).payload).terms


def _check_item(site: SiteReader, plan: Plan) -> Finding:
    item = site.items.get(plan.id)
    found = "missing" if item is None else f"{item.get('type')}, {item.get('status')}"
    return TOPIC.judge_value(
        f"{plan.id}: a plan on sale",
        found,
        is_right=found == "plan, active",
        todo=f"Create the plan with the id {plan.id}, or activate it, at {PLACE}; or take it off sale in the admin.",
    )


def _check_price(site: SiteReader, plan: Plan, terms: BillingTerms) -> Finding:
    price = find_site_price(site, plan.id, terms)
    needed = f"active, flat fee, {terms.currency}, every {terms.period_phrase}"
    found = "missing" if price is None else _describe_price(price)
    return TOPIC.judge_value(
        f"{plan.id}: {needed}",
        found,
        is_right=price is not None and found == needed and "price" in price,
        todo=f"Create or correct the price point of {plan.id} per {terms.period_phrase} at {PLACE}.",
    )


def _describe_price(price: Raw) -> str:
    count, unit = price.get("period", 1), price.get("period_unit")
    period = f"every {unit}" if count == 1 else f"every {count} {unit}s"
    model = str(price.get("pricing_model")).replace("_", " ")
    return f"{price.get('status')}, {model}, {price.get('currency_code')}, {period}"
