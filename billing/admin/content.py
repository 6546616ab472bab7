"""The pause offer's content: validated pictures, texts, and a preview as subscribers see it."""

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

from accounts.admin.forms.picture_form import PictureForm, upload_field_name
from accounts.admin.forms.seen_rows import SeenRowAdmin
from accounts.brands import site
from accounts.brands.pictures import POSTER_SHAPE
from accounts.models.site import picture_url
from billing.models import PauseOfferContent, Plan

RECOMMENDED_IMAGE_FIELDS = tuple(f"recommended_title_image{number}" for number in range(1, 5))
ALTERNATIVE_TEXT_FIELDS = tuple(f"recommended_title_text{number}" for number in range(1, 5))
UPCOMING_IMAGE_FIELDS = tuple(f"upcoming_title_image{number}" for number in range(1, 4))
CAPTION_FIELDS = tuple(f"upcoming_image_text{number}" for number in range(1, 4))
PICTURE_FIELDS = RECOMMENDED_IMAGE_FIELDS + UPCOMING_IMAGE_FIELDS
PICTURE_HELP = "A picture of the portal's own, as it was uploaded or comes with it."
UPLOAD_HELP = "In place of it: JPEG, PNG or WebP, upright 2 to 3, 400 by 600 to 2000 by 3000 pixels, at most 1 MB."
# The kids service shows no upcoming titles.
SERVICE_WITHOUT_UPCOMING = "kids"
PREVIEW_PARAMETER = "_preview"


class ContentForm(PictureForm):
    """The content with an upload field for each picture. Nothing is stored before the whole form is valid."""

    pictures = PICTURE_FIELDS
    shape = POSTER_SHAPE
    pictures_required = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in PICTURE_FIELDS:
            # A stored picture or an upload is enough; `clean` reports where both are missing.
            if name in self.fields:
                self.fields[name].required = False
                self.fields[name].help_text = PICTURE_HELP
        # The heading above each group of three fields names the title.
        for names, label in (
            (PICTURE_FIELDS, "Picture"),
            (ALTERNATIVE_TEXT_FIELDS, "Alternative text"),
            (CAPTION_FIELDS, "Caption"),
        ):
            for name in names:
                if name in self.fields:
                    self.fields[name].label = label


UPLOAD_FIELDS = {
    upload_field_name(name): forms.FileField(label="Upload", required=False, help_text=UPLOAD_HELP)
    for name in PICTURE_FIELDS
}
# Declared on a form class, because the admin looks them up by name.
ContentUploadForm = type("ContentUploadForm", (ContentForm,), dict(UPLOAD_FIELDS))


def _title_fieldsets(kind: str, pictures: Sequence[str], texts: Sequence[str]) -> list[Any]:
    """Return a group of fields for each title: picture, upload, text."""
    return [
        (f"{kind} title {number}", {"fields": (picture, upload_field_name(picture), text)})
        for number, (picture, text) in enumerate(zip(pictures, texts, strict=True), 1)
    ]


_FIELDSETS: Any = (
    (None, {"fields": ("plan_id",)}),
    *_title_fieldsets("Recommended", RECOMMENDED_IMAGE_FIELDS, ALTERNATIVE_TEXT_FIELDS),
    *_title_fieldsets("Upcoming", UPCOMING_IMAGE_FIELDS, CAPTION_FIELDS),
)


@dataclass(frozen=True)
class PreviewTitle:
    """One title of the preview: its picture's URL, alternative text and caption."""

    url: str
    text: str
    caption: str = ""


@admin.register(PauseOfferContent)
class PauseOfferContentAdmin(SeenRowAdmin):
    """One row per plan. The kids service shows no upcoming titles, even when they are set."""

    form = ContentUploadForm
    change_form_template = "admin/billing/pauseoffercontent/change_form.html"
    list_display = ("plan_id", "plan_name", "picture_thumbnails")
    search_fields = ("plan_id", *ALTERNATIVE_TEXT_FIELDS, *CAPTION_FIELDS)
    fieldsets = _FIELDSETS

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Return the form field; plans are chosen from the catalog."""
        if db_field.name == "plan_id":
            plans = {plan.id: str(plan) for plan in Plan.objects.all()}
            # What a row has stays a choice, or its form would submit another once the plan is out of the catalog.
            for plan_id in PauseOfferContent.objects.order_by("plan_id").values_list("plan_id", flat=True):
                plans.setdefault(plan_id, plan_id)
            return forms.ChoiceField(choices=list(plans.items()))
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
        """Show or save the form, or render its preview without saving."""
        if request.method == "POST" and PREVIEW_PARAMETER in request.POST:
            preview = self._render_preview(request, object_id)
            if preview is not None:
                return preview
        return super().changeform_view(request, object_id, form_url, extra_context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Render the form below the stored offer."""
        content: PauseOfferContent | None = context.get("original")
        extra = {"offer": _offer_context(content, {}) if content else None}
        return super().render_change_form(request, {**context, **extra}, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: PauseOfferContent, form: Any, change: bool) -> None:
        """Store the uploaded pictures, then the content that names them."""
        form.store_uploads()
        super().save_model(request, obj, form, change)

    def _render_preview(self, request: HttpRequest, object_id: str | None) -> HttpResponse | None:
        """Return the preview; None without permission or for an invalid form, which then shows its errors."""
        content = self.get_object(request, object_id) if object_id else None
        is_allowed = self.has_change_permission(request, content) if object_id else self.has_add_permission(request)
        if not is_allowed or (object_id and content is None):
            return None
        form: Any = self.get_form(request, content, change=content is not None)(
            request.POST, request.FILES, instance=content
        )
        if not form.is_valid():
            return None
        inline = {name: upload.data_url for name, upload in form.uploads.items()}
        context = {
            **self.admin_site.each_context(request),
            "title": f"Preview of {form.instance.plan_id}: nothing is stored yet",
            "opts": self.opts,
            "offer": _offer_context(form.instance, inline),
        }
        return TemplateResponse(request, "admin/billing/pauseoffercontent/preview.html", context)

    @admin.display(description="plan")
    def plan_name(self, content: PauseOfferContent) -> str:
        """Return the plan's name."""
        plan = Plan.objects.filter(pk=content.plan_id).first()
        return plan.name if plan else "not in the catalog"

    @admin.display(description="pictures")
    def picture_thumbnails(self, content: PauseOfferContent) -> SafeString:
        """Return all pictures as thumbnails."""
        pictures = ((picture_url(getattr(content, name)),) for name in PICTURE_FIELDS if getattr(content, name))
        return format_html_join(" ", '<img src="{}" width="48" height="72" alt="">', pictures)


def _offer_context(content: PauseOfferContent, inline: dict[str, str]) -> dict[str, Any]:
    """Return the context of the preview; `inline` holds data URLs of pictures that are not stored yet."""
    plan = Plan.objects.filter(pk=content.plan_id).first()
    service = plan.service if plan else ""
    browse_links = {row.code.casefold(): row.browse_link for row in site.streaming_services()}
    recommended = [
        PreviewTitle(_picture_url(content, picture, inline), getattr(content, text))
        for picture, text in zip(RECOMMENDED_IMAGE_FIELDS, ALTERNATIVE_TEXT_FIELDS, strict=True)
    ]
    upcoming = [
        PreviewTitle(_picture_url(content, picture, inline), "", getattr(content, caption))
        for picture, caption in zip(UPCOMING_IMAGE_FIELDS, CAPTION_FIELDS, strict=True)
    ]
    return {
        "name": plan.name if plan else content.plan_id,
        "browse_url": browse_links.get(service.casefold(), ""),
        "recommended": [title for title in recommended if title.url],
        "upcoming": [title for title in upcoming if title.url and service != SERVICE_WITHOUT_UPCOMING],
    }


def _picture_url(content: PauseOfferContent, picture: str, inline: dict[str, str]) -> str:
    return inline.get(picture) or picture_url(getattr(content, picture))
