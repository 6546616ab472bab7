"""Prices and coupons as the provider defines them, and the bundle rates that operators set."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.admin.read_only import AnyModelAdmin
from billing.admin.mirror import MirroredAdmin
from billing.admin.readable import UNSET, when
from billing.models import BundleRate, Coupon, ItemPrice
from billing.money import format_cents
from billing.services import documents


@admin.register(ItemPrice)
class ItemPriceAdmin(MirroredAdmin):
    """A plan's price at one billing period."""

    list_display = ("provider_id", "price", "state", "synced_at", "deleted")
    list_filter = ("deleted",)
    search_fields = ("provider_id",)
    fields = ("provider_id", "price", "state", *MirroredAdmin.last_fields)

    @admin.display(description="price")
    def price(self, price: ItemPrice) -> str:
        """Tell the price of one period."""
        return f"{format_cents(price.cents('price'))} a {price.text('period_unit') or 'period'}"

    @admin.display(description="state")
    def state(self, price: ItemPrice) -> str:
        """Tell whether it is on sale at the provider."""
        return price.text("status") or UNSET


@admin.register(Coupon)
class CouponAdmin(MirroredAdmin):
    """A coupon: what it takes off, off what, and for how long."""

    list_display = ("provider_id", "takes_off", "off_what", "lasts", "state", "until", "redeemed", "deleted")
    list_filter = ("deleted",)
    search_fields = ("provider_id",)
    fields = (
        "provider_id",
        "takes_off",
        "off_what",
        "lasts",
        "state",
        "until",
        "redeemed",
        *MirroredAdmin.last_fields,
    )

    @admin.display(description="takes off")
    def takes_off(self, coupon: Coupon) -> str:
        """Tell the percentage or the amount."""
        if coupon.text("discount_type") == "percentage":
            return f"{coupon.payload.get('discount_percentage', 0):g} %"
        return format_cents(coupon.cents("discount_amount"))

    @admin.display(description="off what")
    def off_what(self, coupon: Coupon) -> str:
        """Tell whether it is taken off each item or off the invoice."""
        return "each item" if coupon.text("apply_on") == "each_specified_item" else "the invoice"

    @admin.display(description="lasts")
    def lasts(self, coupon: Coupon) -> str:
        """Tell for how many bills it holds."""
        if coupon.text("duration_type") == "limited_period":
            return f"{coupon.cents('period')} {coupon.text('period_unit')}s"
        return "for ever" if coupon.text("duration_type") == "forever" else "once"

    @admin.display(description="state")
    def state(self, coupon: Coupon) -> str:
        """Tell the provider's word for it."""
        return coupon.text("status") or UNSET

    @admin.display(description="redeemable until")
    def until(self, coupon: Coupon) -> str:
        """Tell until when it can be redeemed."""
        return when(coupon.instant("valid_till"))

    @admin.display(description="redeemed")
    def redeemed(self, coupon: Coupon) -> str:
        """Tell how often it was redeemed, and how often it may be."""
        most = coupon.payload.get("max_redemptions")
        return f"{coupon.cents('redemptions')} of {most}" if most else str(coupon.cents("redemptions"))


@admin.register(BundleRate)
class BundleRateAdmin(AnyModelAdmin):
    """The bundle rates; what a subscription is really charged is what its coupon at the provider says."""

    list_display = ("size", "percentage", "coupon_id")
    search_fields = ("coupon_id",)

    def save_model(self, request: HttpRequest, obj: BundleRate, form: Any, change: bool) -> None:
        """Store a rate, and have what subscribers read built anew."""
        super().save_model(request, obj, form, change)
        documents.content_changed()

    def delete_model(self, request: HttpRequest, obj: BundleRate) -> None:
        """Delete a rate, and have what subscribers read built anew."""
        super().delete_model(request, obj)
        documents.content_changed()

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        """Delete rates, and have what subscribers read built anew."""
        super().delete_queryset(request, queryset)
        documents.content_changed()
