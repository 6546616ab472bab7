"""Prices and coupons as the provider defines them, and the bundle rates that operators set."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.admin.read_only import AnyModelAdmin
from billing.admin.mirror import MirroredAdmin
from billing.admin.readable import UNSET, when
from billing.errors import BillingError
from billing.models import BundleRate, Coupon, ItemPrice
from billing.money import format_cents
from billing.services import bundle_rates


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

    list_display = ("provider_id", "takes_off", "off_what", "lasts", "state", "until", "most", "deleted")
    list_filter = ("deleted",)
    search_fields = ("provider_id",)
    fields = (
        "provider_id",
        "takes_off",
        "off_what",
        "lasts",
        "state",
        "until",
        "most",
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

    @admin.display(description="redeemed at most")
    def most(self, coupon: Coupon) -> str:
        """Tell how often it may be redeemed."""
        return str(coupon.payload.get("max_redemptions") or UNSET)


class BundleRateForm(forms.ModelForm):  # type: ignore[type-arg]  # Django's own takes no parameter
    """Publishes a rate while it is checked: what the provider does not take is an error of the form."""

    published: BundleRate | None = None

    class Meta:
        model = BundleRate
        fields = ("size", "percentage")

    def clean(self) -> dict[str, Any]:
        """Make the rate's coupon at the provider. Raises ValidationError with the reason when it cannot be made."""
        data = super().clean() or {}
        size = self.instance.size if self.instance.pk else data.get("size")
        if self.errors or size is None:
            return data
        if not self.instance.pk and BundleRate.objects.filter(size=size).exists():
            raise ValidationError("There is a rate for this size: change that one.")
        try:
            self.published = bundle_rates.set_rate(size=size, percentage=data["percentage"])
        except BillingError as error:
            raise ValidationError(error.message) from error
        return data

    def validate_unique(self) -> None:
        """Find nothing: `clean` looked at the size, and the published rate is stored already."""


@admin.register(BundleRate)
class BundleRateAdmin(AnyModelAdmin):
    """The bundle rates: saving one makes its coupon at the provider, and every bundle follows from its next bill on."""

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
        """Check and store outside Django's transaction: checking asks the provider (decision 2)."""
        # What Django's own does, less its transaction.
        return self._changeform_view(request, object_id, form_url, extra_context)  # type: ignore[attr-defined]

    def get_readonly_fields(self, request: HttpRequest, obj: BundleRate | None = None) -> tuple[str, ...]:
        """Let the size be set once: another size is another rate."""
        return () if obj is None else ("size", "coupon_id")

    def save_model(self, request: HttpRequest, obj: BundleRate, form: Any, change: bool) -> None:
        """Show the rate that the form published; it is stored already."""
        obj.pk, obj.coupon_id = form.published.pk, form.published.coupon_id

    def delete_model(self, request: HttpRequest, obj: BundleRate) -> None:
        """Delete a rate: its bundles fall back to the next smaller one."""
        super().delete_model(request, obj)
        bundle_rates.changed()

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        """Delete rates: their bundles fall back to the next smaller ones."""
        super().delete_queryset(request, queryset)
        bundle_rates.changed()
