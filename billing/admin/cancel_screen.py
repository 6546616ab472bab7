"""What operators arrange on the cancel screen: pause offers by brand, reason and time, and the survey's answers."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import DateField, Field
from django.http import HttpRequest
from django.utils.safestring import SafeString

from accounts.admin.forms.seen_rows import SeenRowAdmin
from accounts.admin.lists.display import GOOD, INFO, state_pill
from accounts.brands import site
from accounts.models import Brand
from billing import clock
from billing.models import CancelScreenOffer, SurveyQuestion
from billing.queries.cancel_screen import offered_answers
from billing.survey import REASON


@admin.register(CancelScreenOffer)
class CancelScreenOfferAdmin(SeenRowAdmin):
    """The pause offers in their order: the first that fits the brand, the reason and the day is shown."""

    list_display = ("heading", "position", "brands", "reasons", "starts_on", "ends_on", "state")
    list_filter = ("brand", "reason")
    search_fields = ("heading", "text")
    fieldsets = (
        (None, {"fields": ("heading", "text")}),
        ("When it is shown", {"fields": ("brand", "reason", "starts_on", "ends_on", "position")}),
    )
    # The browser's own calendar: Django's says how far the clocks are apart, which is nothing to a day.
    formfield_overrides: ClassVar[Any] = {
        DateField: {"widget": forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})}
    }

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """Return the form field; brands and reasons are chosen among those that there are."""
        field: Any = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "text":
            field.widget.attrs["rows"] = 3
        if db_field.name == "brand":
            # What an offer has stays a choice, or its form would submit "All brands" once the brand is deleted.
            stored = CancelScreenOffer.objects.exclude(brand="").values_list("brand", flat=True)
            brands = {code: code for code in sorted(stored)}
            brands |= {brand.code: str(brand) for brand in Brand.objects.all()}
            return _choice_of(field, "All brands", list(brands.items()))
        if db_field.name == "reason":
            chosen = CancelScreenOffer.objects.exclude(reason="").values_list("reason", flat=True)
            reasons = dict.fromkeys([*offered_answers()[REASON], *sorted(chosen)])
            return _choice_of(field, "Any reason", [(reason, reason) for reason in reasons])
        return field

    @admin.display(description="brand", ordering="brand")
    def brands(self, offer: CancelScreenOffer) -> str:
        """Return the brand, in words where there is none."""
        return offer.brand or "All brands"

    @admin.display(description="reason", ordering="reason")
    def reasons(self, offer: CancelScreenOffer) -> str:
        """Return the reason, in words where there is none."""
        return offer.reason or "Any reason"

    @admin.display(description="state")
    def state(self, offer: CancelScreenOffer) -> SafeString:
        """Return whether it is shown today."""
        today = clock.local_date(clock.billing_now(), site.site_settings().time_zone)
        if offer.starts_on and today < offer.starts_on:
            return state_pill("Later", INFO)
        if offer.ends_on and offer.ends_on < today:
            return state_pill("Over")
        return state_pill("Shown", GOOD)


@admin.register(SurveyQuestion)
class SurveyQuestionAdmin(SeenRowAdmin):
    """The three questions, whose answers are edited."""

    list_display = ("question", "offered_answers")
    fields = ("question", "answers")
    readonly_fields = ("question",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: the app asks these questions."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False."""
        return False

    def save_model(self, request: HttpRequest, obj: SurveyQuestion, form: Any, change: bool) -> None:
        """Store the answers, and remember those that are taken away."""
        before = SurveyQuestion.objects.get(pk=obj.pk)
        obj.former_answers = sorted({*before.former_answers, *before.offered} - set(obj.offered))
        super().save_model(request, obj, form, change)

    @admin.display(description="answers")
    def offered_answers(self, question: SurveyQuestion) -> str:
        """Return the answers in their order."""
        return ", ".join(question.offered)


def _choice_of(field: Any, empty: str, choices: list[tuple[str, str]]) -> forms.ChoiceField:
    return forms.ChoiceField(label=field.label, required=False, choices=[("", empty), *choices])
