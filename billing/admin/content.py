"""The pause offer's content: pictures with a preview, and captions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Field
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin.read_only import AnyModelAdmin
from accounts.models.site import picture_url, validate_picture
from billing.catalog import PLANS
from billing.models import RetentionContent

RECOMMENDED = tuple(f"recommended_title_image{number}" for number in range(1, 5))
UPCOMING = tuple(f"upcoming_title_image{number}" for number in range(1, 4))
CAPTIONS = tuple(f"upcoming_image_text{number}" for number in range(1, 4))
PICTURE_HELP = "A static file's path, or an https address."


@admin.register(RetentionContent)
class RetentionContentAdmin(AnyModelAdmin):
    """One row per plan. The kids service shows no upcoming titles, whatever stands here."""

    list_display = ("plan_id", "plan_name", "pictures")
    search_fields = ("plan_id", *CAPTIONS)
    readonly_fields = ("recommended", "upcoming")
    fieldsets = (
        (None, {"fields": ("plan_id",)}),
        ("Watch before you go", {"fields": ("recommended", *RECOMMENDED)}),
        ("Upcoming", {"fields": ("upcoming", *zip(UPCOMING, CAPTIONS, strict=True))}),
    )

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the catalogue's plans, and let a picture be nothing but a static file or an https address."""
        if db_field.name == "plan_id":
            return forms.ChoiceField(choices=[(plan.id, f"{plan.name} ({plan.id})") for plan in PLANS])
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name in RECOMMENDED + UPCOMING:
            field.validators.append(validate_picture)
            field.help_text = PICTURE_HELP
        return field

    @admin.display(description="plan")
    def plan_name(self, content: RetentionContent) -> str:
        """Name the plan."""
        names = {plan.id: plan.name for plan in PLANS}
        return names.get(content.plan_id, "not in the catalogue")

    @admin.display(description="pictures")
    def pictures(self, content: RetentionContent) -> SafeString:
        """Show all pictures, small."""
        return _shown(content, RECOMMENDED + UPCOMING, width=48)

    @admin.display(description="as shown")
    def recommended(self, content: RetentionContent) -> SafeString:
        """Show the recommended titles."""
        return _shown(content, RECOMMENDED, width=140)

    @admin.display(description="as shown")
    def upcoming(self, content: RetentionContent) -> SafeString:
        """Show the upcoming titles."""
        return _shown(content, UPCOMING, width=140)


def _shown(content: RetentionContent, names: tuple[str, ...], *, width: int) -> SafeString:
    places = [getattr(content, name) for name in names]
    return format_html_join(
        " ", '<img src="{}" width="{}" alt="">', ((picture_url(place), width) for place in places if place)
    )
