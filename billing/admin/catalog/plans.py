"""The catalog: the provider's items, and the plans that operators arrange them as."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.forms.plain_text import PlainTextAdmin
from accounts.admin.forms.seen_rows import SeenRowAdmin, SeenRowForm
from accounts.admin.lists.display import NO_VALUE
from accounts.brands import site
from billing.admin.formatting import format_price
from billing.admin.records.mirror import MirroredAdmin
from billing.changes.discounts import bundle_rates
from billing.models import Item, ItemPrice, Plan


@admin.register(Item)
class ItemAdmin(MirroredAdmin):
    """What the provider sells, arranged as a plan or not."""

    list_display = ("provider_id", "item_name", "kind", "sale_status", "plan_label", "synced_at", "deletion")
    list_filter = ("deleted",)
    search_fields = ("provider_id",)
    fields = ("provider_id", "item_name", "kind", "sale_status", "plan_label", *MirroredAdmin.last_fields)

    @admin.display(description="name")
    def item_name(self, item: Item) -> str:
        """Return the provider's name of it."""
        return item.name

    @admin.display(description="kind")
    def kind(self, item: Item) -> str:
        """Return the provider's type: a plan, an add-on or a charge."""
        return item.text("type") or NO_VALUE

    @admin.display(description="state")
    def sale_status(self, item: Item) -> str:
        """Return the provider's status, `active` when on sale."""
        return item.text("status") or NO_VALUE

    @admin.display(description="plan")
    def plan_label(self, item: Item) -> str:
        """Return the plan that it is arranged as."""
        plan = Plan.objects.filter(pk=item.provider_id).first()
        return plan.name if plan else "not arranged"


class PlanForm(SeenRowForm):
    """Chooses the item and the service from lists."""

    class Meta:
        model = Plan
        fields = ("id", "service", "name", "position", "on_sale")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "id" in self.fields:
            label, help_text = self.fields["id"].label, "An item of Chargebee that is no plan yet."
            self.fields["id"] = forms.ChoiceField(choices=_item_choices(), label=label, help_text=help_text)
        if "service" in self.fields:
            choices = [(service.code, service.name) for service in site.streaming_services()]
            known = {code for code, _ in choices} | {""}
            kept = [] if self.instance.service in known else [(self.instance.service, self.instance.service)]
            self.fields["service"] = forms.ChoiceField(
                choices=[*choices, *kept], help_text=self.fields["service"].help_text
            )


def _item_choices() -> list[tuple[str, str]]:
    """Return the plan items that are not arranged yet."""
    items = Item.objects.filter(deleted=False).exclude(provider_id__in=Plan.objects.values("pk"))
    plan_items = [item for item in items.order_by("provider_id") if item.text("type") in ("", "plan")]
    return [(item.provider_id, f"{item.name} ({item.provider_id})") for item in plan_items]


@admin.register(Plan)
class PlanAdmin(SeenRowAdmin, PlainTextAdmin):
    """The plans of the catalog. A change shows on all screens, and bundles are aligned with it."""

    form = PlanForm
    list_display = ("name", "id", "service", "position", "on_sale", "prices")
    search_fields = ("id", "name", "service")
    fields = ("id", "service", "name", "position", "on_sale")

    @admin.display(description="sold at")
    def prices(self, plan: Plan) -> str:
        """Return the provider's prices that are on sale."""
        rows = ItemPrice.objects.filter(item_id=plan.pk).order_by("pk")
        return ", ".join(format_price(row.cents("price"), row.terms) for row in rows if row.is_on_sale) or "no price"

    def get_readonly_fields(self, request: HttpRequest, obj: Plan | None = None) -> tuple[str, ...]:
        """Make the item read-only once set: another item is another plan."""
        return () if obj is None else ("id",)

    def save_model(self, request: HttpRequest, obj: Plan, form: Any, change: bool) -> None:
        """Store a plan, show it, and align the bundles."""
        super().save_model(request, obj, form, change)
        bundle_rates.refresh_bundles()

    def delete_model(self, request: HttpRequest, obj: Plan) -> None:
        """Take a plan out of the catalog. Its subscriptions keep running, under the provider's name."""
        super().delete_model(request, obj)
        bundle_rates.refresh_bundles()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Plan]) -> None:
        """Take plans out of the catalog."""
        super().delete_queryset(request, queryset)
        bundle_rates.refresh_bundles()
