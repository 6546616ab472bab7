"""The pause offer's content: pictures that are checked, texts, and a preview of the block as subscribers see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.db.models import Field
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts import site
from accounts.admin.picture_form import PictureForm, upload_of
from accounts.admin.read_only import AnyModelAdmin
from accounts.models.site import picture_url
from accounts.pictures import POSTER
from billing.catalog import PLANS, find_plan
from billing.models import RetentionContent
from billing.survey import DAILY_USAGES, REASONS, SATISFACTION_LEVELS

RECOMMENDED = tuple(f"recommended_title_image{number}" for number in range(1, 5))
ALTERNATIVES = tuple(f"recommended_title_text{number}" for number in range(1, 5))
UPCOMING = tuple(f"upcoming_title_image{number}" for number in range(1, 4))
CAPTIONS = tuple(f"upcoming_image_text{number}" for number in range(1, 4))
PICTURES = RECOMMENDED + UPCOMING
PICTURE_HELP = "A picture of the portal's own, as it was uploaded or comes with it."
UPLOAD_HELP = (
    "In place of it: JPEG, PNG or WebP, upright 2 to 3, 400 by 600 to 2000 by 3000 pixels, at most 1 MB."
)
# The kids service shows no upcoming titles (specification, section 2).
WITHOUT_UPCOMING = "kids"
PREVIEW = "_preview"


class ContentForm(PictureForm):
    """The content with a place to upload beside each picture; nothing is stored before all of it is right."""

    pictures = PICTURES
    shape = POSTER
    all_needed = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in PICTURES:
            # Either is enough, and `clean` says so where neither is given.
            if name in self.fields:
                self.fields[name].required = False
                self.fields[name].help_text = PICTURE_HELP
        # Which title it is stands above the three fields of each.
        for names, label in (
            (PICTURES, "Picture"),
            (ALTERNATIVES, "Alternative text"),
            (CAPTIONS, "Caption"),
        ):
            for name in names:
                if name in self.fields:
                    self.fields[name].label = label


UPLOADS = {
    upload_of(name): forms.FileField(label="Upload", required=False, help_text=UPLOAD_HELP)
    for name in PICTURES
}
# Declared as a form class would, so that the admin knows them by name.
WithUploads = type("WithUploads", (ContentForm,), dict(UPLOADS))


def _titles(kind: str, pictures: Sequence[str], texts: Sequence[str]) -> list[Any]:
    """Give a group of fields for each title: its picture, an upload in place of it, its text."""
    return [
        (f"{kind} title {number}", {"fields": (picture, upload_of(picture), text)})
        for number, (picture, text) in enumerate(zip(pictures, texts, strict=True), 1)
    ]


_FIELDSETS: Any = (
    (None, {"fields": ("plan_id",)}),
    *_titles("Recommended", RECOMMENDED, ALTERNATIVES),
    *_titles("Upcoming", UPCOMING, CAPTIONS),
)


@dataclass(frozen=True)
class Title:
    """One title of the preview: its picture's address, the text for who cannot see it, its caption."""

    address: str
    text: str
    caption: str = ""


@admin.register(RetentionContent)
class RetentionContentAdmin(AnyModelAdmin):
    """One row per plan. The kids service shows no upcoming titles, whatever stands here."""

    form = WithUploads
    change_form_template = "admin/billing/retentioncontent/change_form.html"
    list_display = ("plan_id", "plan_name", "pictures")
    search_fields = ("plan_id", *ALTERNATIVES, *CAPTIONS)
    fieldsets = _FIELDSETS

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the catalogue's plans."""
        if db_field.name == "plan_id":
            return forms.ChoiceField(choices=[(plan.id, f"{plan.name} ({plan.id})") for plan in PLANS])
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if isinstance(field, forms.CharField):
            field.widget = AdminTextInputWidget(attrs={"class": "vLargeTextField"})
        return field

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show or store the form; asked for a preview, show what it would look like and store nothing."""
        if request.method == "POST" and PREVIEW in request.POST:
            previewed = self._preview(request, object_id)
            if previewed is not None:
                return previewed
        return super().changeform_view(request, object_id, form_url, extra_context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the form below the block as it is stored, and above the survey's options, which are fixed."""
        content: RetentionContent | None = context.get("original")
        asked = {"Reason": REASONS, "Satisfaction": SATISFACTION_LEVELS, "Usage": DAILY_USAGES}
        more = {"offer": _offer(content, {}) if content else None, "asked": asked}
        return super().render_change_form(request, {**context, **more}, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: RetentionContent, form: Any, change: bool) -> None:
        """Store the pictures, then what names them."""
        form.keep_uploads()
        super().save_model(request, obj, form, change)

    def _preview(self, request: HttpRequest, object_id: str | None) -> HttpResponse | None:
        """Answer with the block as the form has it; None, so that the form tells, where it has faults or is not his."""
        content = self.get_object(request, object_id) if object_id else None
        may = self.has_change_permission(request, content) if object_id else self.has_add_permission(request)
        if not may or (object_id and content is None):
            return None
        form: Any = self.get_form(request, content, change=content is not None)(
            request.POST, request.FILES, instance=content
        )
        if not form.is_valid():
            return None
        inline = {name: upload.inline for name, upload in form.uploads.items()}
        context = {
            **self.admin_site.each_context(request),
            "title": f"Preview of {form.instance.plan_id}: nothing is stored yet",
            "opts": self.opts,
            "offer": _offer(form.instance, inline),
        }
        return TemplateResponse(request, "admin/billing/retentioncontent/preview.html", context)

    @admin.display(description="plan")
    def plan_name(self, content: RetentionContent) -> str:
        """Name the plan."""
        plan = find_plan(content.plan_id)
        return plan.name if plan else "not in the catalogue"

    @admin.display(description="pictures")
    def pictures(self, content: RetentionContent) -> SafeString:
        """Show all pictures, small."""
        shown = ((picture_url(getattr(content, name)),) for name in PICTURES if getattr(content, name))
        return format_html_join(" ", '<img src="{}" width="48" height="72" alt="">', shown)


def _offer(content: RetentionContent, inline: dict[str, str]) -> dict[str, Any]:
    """Give what the block shows; `inline` holds the pictures that are not stored yet."""
    plan = find_plan(content.plan_id)
    service = plan.service if plan else ""
    browse = {one.code.casefold(): one.browse_link for one in site.streaming_services()}
    recommended = [
        Title(_address(content, picture, inline), getattr(content, text))
        for picture, text in zip(RECOMMENDED, ALTERNATIVES, strict=True)
    ]
    upcoming = [
        Title(_address(content, picture, inline), "", getattr(content, caption))
        for picture, caption in zip(UPCOMING, CAPTIONS, strict=True)
    ]
    return {
        "name": plan.name if plan else content.plan_id,
        "browse_url": browse.get(service.casefold(), ""),
        "recommended": [title for title in recommended if title.address],
        "upcoming": [title for title in upcoming if title.address and service != WITHOUT_UPCOMING],
    }


def _address(content: RetentionContent, picture: str, inline: dict[str, str]) -> str:
    return inline.get(picture) or picture_url(getattr(content, picture))
