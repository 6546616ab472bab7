"""The provider's prices and coupons, and the bundle rates that operators set."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.admin.forms.plain_text import PlainTextAdmin
from accounts.admin.forms.seen_rows import SeenRowAdmin, SeenRowForm
from accounts.admin.lists.display import NO_VALUE, format_instant
from billing.admin.formatting import format_price
from billing.admin.records.mirror import MirroredAdmin
from billing.changes.discounts import bundle_rates
from billing.errors import BillingError
from billing.models import BundleRate, Coupon, ItemPrice
from billing.money import format_cents
from billing.terms import DEFAULT_CURRENCY


@admin.register(ItemPrice)
class ItemPriceAdmin(MirroredAdmin):
    """An item's price in one currency and per one period."""

    list_display = ("provider_id", "item_id", "formatted_price", "sale_status", "synced_at", "deletion")
    list_filter = ("deleted",)
    search_fields = ("provider_id", "item_id")
    fields = ("provider_id", "item_id", "formatted_price", "sale_status", *MirroredAdmin.last_fields)

    @admin.display(description="price")
    def formatted_price(self, price: ItemPrice) -> str:
        """Return the price of one period."""
        return format_price(price.cents("price"), price.terms)

    @admin.display(description="state")
    def sale_status(self, price: ItemPrice) -> str:
        """Return the provider's status, `active` when on sale."""
        return price.text("status") or NO_VALUE


@admin.register(Coupon)
class CouponAdmin(MirroredAdmin):
    """Coupons: their discount, what it applies to, and for how long."""

    list_display = (
        "provider_id",
        "formatted_discount",
        "discount_target",
        "duration_text",
        "provider_status",
        "redeemable_until",
        "redemption_limit",
        "deletion",
    )
    list_filter = ("deleted",)
    search_fields = ("provider_id",)
    fields = (
        "provider_id",
        "formatted_discount",
        "discount_target",
        "duration_text",
        "provider_status",
        "redeemable_until",
        "redemption_limit",
        *MirroredAdmin.last_fields,
    )

    @admin.display(description="takes off")
    def formatted_discount(self, coupon: Coupon) -> str:
        """Return the percentage or the amount."""
        if coupon.text("discount_type") == "percentage":
            return f"{coupon.payload.get('discount_percentage', 0):g} %"
        return format_cents(coupon.cents("discount_amount"), coupon.text("currency_code") or DEFAULT_CURRENCY)

    @admin.display(description="off what")
    def discount_target(self, coupon: Coupon) -> str:
        """Return whether it applies to each item or to the invoice."""
        return "each item" if coupon.text("apply_on") == "each_specified_item" else "the invoice"

    @admin.display(description="lasts")
    def duration_text(self, coupon: Coupon) -> str:
        """Return how long it applies."""
        if coupon.text("duration_type") == "limited_period":
            count, unit = coupon.payload.get("period"), coupon.text("period_unit")
            return f"1 {unit}" if count == 1 else f"{count} {unit}s"
        return "for ever" if coupon.text("duration_type") == "forever" else "once"

    @admin.display(description="state")
    def provider_status(self, coupon: Coupon) -> str:
        """Return the provider's status."""
        return coupon.text("status") or NO_VALUE

    @admin.display(description="redeemable until")
    def redeemable_until(self, coupon: Coupon) -> str:
        """Return when it expires."""
        return format_instant(coupon.instant("valid_till"))

    @admin.display(description="redeemed at most")
    def redemption_limit(self, coupon: Coupon) -> str:
        """Return how often it may be redeemed."""
        return str(coupon.payload.get("max_redemptions") or NO_VALUE)


class BundleRateForm(SeenRowForm):
    """Creates the rate's coupon at the provider while it validates, so that a refusal is an error of the form."""

    published: BundleRate | None = None

    class Meta:
        model = BundleRate
        fields = ("size", "percentage")

    def clean(self) -> dict[str, Any]:
        """Create the rate's coupon at the provider. Raises ValidationError when it cannot be created."""
        data = super().clean() or {}
        size = self.instance.size if self.instance.pk else data.get("size")
        if self.errors or size is None:
            return data
        if not self.instance.pk and BundleRate.objects.filter(size=size).exists():
            raise ValidationError("A rate for this size already exists. Change that one.")
        try:
            self.published = bundle_rates.set_bundle_rate(size=size, percentage=data["percentage"])
        except BillingError as error:
            raise ValidationError(error.message) from error
        return data

    def validate_unique(self) -> None:
        """Do nothing: `clean` checked the size, and the published rate is already stored."""


@admin.register(BundleRate)
class BundleRateAdmin(SeenRowAdmin, PlainTextAdmin):
    """Bundle rates. Saving one creates its coupon at the provider; bundles use it from their next bill on."""

    form = BundleRateForm
    list_display = ("size", "percentage", "coupon_id")
    search_fields = ("coupon_id",)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Validate and save outside a transaction, because validating calls the provider (decision 2)."""
        # Django's own method, without its transaction.
        return self._changeform_view(request, object_id, form_url, extra_context)  # type: ignore[attr-defined]

    def get_readonly_fields(self, request: HttpRequest, obj: BundleRate | None = None) -> tuple[str, ...]:
        """Make the size read-only once set: another size is another rate."""
        return () if obj is None else ("size", "coupon_id")

    def save_model(self, request: HttpRequest, obj: BundleRate, form: Any, change: bool) -> None:
        """Point to the rate that the form published; it is already stored."""
        obj.pk, obj.coupon_id = form.published.pk, form.published.coupon_id

    def delete_model(self, request: HttpRequest, obj: BundleRate) -> None:
        """Delete a rate. Its bundles fall back to the next smaller one."""
        super().delete_model(request, obj)
        bundle_rates.refresh_bundles()

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        """Delete rates. Their bundles fall back to the next smaller ones."""
        super().delete_queryset(request, queryset)
        bundle_rates.refresh_bundles()
