"""Checks of the portal's own coupons: those of the bundle rates, and that of the free month."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from accounts.brands import site as portal_site
from billing.gateway.snapshots import CouponSnapshot, Snapshot
from billing.models import BundleRate, Plan
from billing.queries.discounts import FREE_MONTH_COUPON, ITEM_LEVEL
from billing.site_check.catalog import find_site_price
from billing.site_check.findings import SETTINGS, Finding, Topic
from billing.site_check.site_reader import SiteReader
from billing.terms import BillingTerms

TOPIC = Topic("Coupons")
PLACE = "Product Catalog > Coupons"


def check_coupons(site: SiteReader) -> Iterator[Finding]:
    """Check that each bundle rate and the free month have their coupon, and that it applies as the portal computes."""
    yield from _check_bundle_coupons(site)
    if portal_site.site_settings().free_month_on:
        yield _check_free_month(site)
    yield _check_several_coupons(site)


def _check_bundle_coupons(site: SiteReader) -> Iterator[Finding]:
    rates = list(BundleRate.objects.order_by("size"))
    if not rates:
        yield TOPIC.open_finding(
            "a coupon for each bundle rate",
            "no bundle rates in the portal: bundles get no discount",
            "If bundles are to be cheaper, add rates in the admin, at Bundle rates; the portal creates the coupons.",
        )
    for rate in rates:
        terms = {
            "status": "active",
            "discount_type": "percentage",
            "discount_percentage": rate.percentage,
            "duration_type": "forever",
            "apply_on": ITEM_LEVEL,
        }
        todo = (
            f"In the admin, at Bundle rates, save another percentage for {rate.size} services and then this one: the "
            f"portal creates a missing coupon. A coupon with other terms: archive it at {PLACE}."
        )
        yield _compare_coupon(
            site.coupons.get(rate.coupon_id), rate.coupon_id, terms, todo, scope=_applies_to_all_plans
        )


def _check_free_month(site: SiteReader) -> Finding:
    coupon = site.coupons.get(FREE_MONTH_COUPON)
    terms = {
        "status": "active",
        "discount_type": "percentage",
        "discount_percentage": Decimal(100),
        "duration_type": "one_time",
        "apply_on": "invoice_amount",
    }
    todo = (
        f"Create or correct the coupon {FREE_MONTH_COUPON} at {PLACE}: 100 %, one time, on the invoice amount, for the "
        "monthly prices. Or turn off the free month in the admin, at Site settings."
    )
    return _compare_coupon(coupon, FREE_MONTH_COUPON, terms, todo, scope=partial(_applies_to_monthly_prices, site))


def _compare_coupon(coupon: Snapshot | None, name: str, terms: Mapping[str, Any], todo: str, *, scope: Any) -> Finding:
    needed = f"{name}: {_describe_terms(terms)}"
    if coupon is None:
        return TOPIC.wrong_finding(needed, "missing", todo)
    found = {key: coupon.payload.get(key) for key in terms}
    if found["discount_percentage"] is not None:
        found["discount_percentage"] = Decimal(str(found["discount_percentage"]))
    flaws = [
        *(["not for all its prices"] if not scope(coupon.payload) else []),
        *(["redeemed as often as it may be"] if _is_used_up(coupon) else []),
    ]
    return TOPIC.judge_value(
        needed, "; ".join([_describe_terms(found), *flaws]), is_right=found == terms and not flaws, todo=todo
    )


def _describe_terms(terms: Mapping[str, Any]) -> str:
    """Return terms in a few words, such as `active, 10 %, forever, each specified item`."""
    percentage = terms["discount_percentage"]
    discount = f"{percentage.normalize():f} %" if percentage is not None else str(terms["discount_type"])
    words = (terms["status"], discount, terms["duration_type"], terms["apply_on"])
    return ", ".join(str(word).replace("_", " ") for word in words)


def _applies_to_all_plans(coupon: Mapping[str, Any]) -> bool:
    constraints = coupon.get("item_constraints") or ()
    return any(row.get("item_type") == "plan" and row.get("constraint") == "all" for row in constraints)


def _applies_to_monthly_prices(site: SiteReader, coupon: Mapping[str, Any]) -> bool:
    prices = (find_site_price(site, plan.id, BillingTerms()) for plan in Plan.objects.filter(on_sale=True))
    monthly = {str(price["id"]) for price in prices if price is not None}
    constraints = coupon.get("item_constraints") or ()
    named = {
        price for row in constraints if row.get("item_type") == "plan" for price in row.get("item_price_ids") or ()
    }
    return _applies_to_all_plans(coupon) or not constraints or monthly <= named


def _is_used_up(coupon: Snapshot) -> bool:
    limit = coupon.payload.get("max_redemptions")
    return limit is not None and isinstance(coupon, CouponSnapshot) and coupon.redemptions >= int(limit)


def _check_several_coupons(site: SiteReader) -> Finding:
    needed = "several coupons on one subscription, for a code beside a bundle's coupon"
    count = sum(len(subscription.get("coupons") or ()) > 1 for subscription in site.subscriptions)
    if count:
        return TOPIC.ok_finding(needed, f"{count} of the newest subscriptions have several")
    return TOPIC.unreadable_finding(needed, place=f"{SETTINGS} > Billing LogIQ, at coupons")
