"""The retention report: charts drawn on the server, the same numbers as tables and as CSV."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse

from accounts import site
from accounts.admin import journal
from accounts.admin.read_only import ReadOnlyAdmin
from accounts.admin.spreadsheets import csv_response
from accounts.models import Brand
from billing import clock
from billing.admin import charts, retention_tables
from billing.models import RetentionReport
from billing.queries.retention_report import MEASURES, Range, Report, retention_report

OWN = "own"
USUAL = "12"
LONGEST = timedelta(days=3 * 366)
EARLIEST, LATEST = date(2000, 1, 1), date(2999, 12, 31)
OUT_OF_BOUNDS = "Choose a day from 2000 to 2999."


def _day_field(label: str) -> forms.DateField:
    # Room on both sides, so that the weeks before and the day after are days too.
    bounds = (MinValueValidator(EARLIEST, OUT_OF_BOUNDS), MaxValueValidator(LATEST, OUT_OF_BOUNDS))
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(label=label, required=False, widget=widget, validators=bounds)


class RangeForm(forms.Form):
    """Which weeks and which brands: the last so many weeks, this one included, or dates of one's own."""

    weeks = forms.ChoiceField(
        label="Range",
        required=False,
        choices=[
            ("4", "Last 4 weeks"),
            ("12", "Last 12 weeks"),
            ("52", "Last 52 weeks"),
            (OWN, "From and to"),
        ],
    )
    first = _day_field("From")
    last = _day_field("To")
    brand = forms.MultipleChoiceField(
        label="Brands", required=False, widget=forms.CheckboxSelectMultiple, help_text="None: all of them."
    )

    def __init__(self, *args: Any, brands: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["brand"].choices = brands  # type: ignore[attr-defined]  # it is a choice field

    def clean(self) -> dict[str, Any]:
        """Refuse dates that are no range. Raises ValidationError."""
        cleaned = super().clean() or {}
        if self.errors or cleaned.get("weeks") != OWN:
            return cleaned
        first, last = cleaned.get("first"), cleaned.get("last")
        if first is None or last is None:
            raise ValidationError("Enter both dates.")
        if last < first:
            raise ValidationError("The last day is before the first.")
        if last - first > LONGEST:
            raise ValidationError("Choose three years at the most.")
        return cleaned

    def chosen(self, *, today: date, zone: str) -> Range:
        """Give the range, the usual one for a form that is not valid; `today` is the last day of a range up to now."""
        cleaned = self.cleaned_data if self.is_valid() else {}
        brands = cleaned.get("brand") or []
        if cleaned.get("weeks") == OWN:
            return Range(cleaned["first"], cleaned["last"], zone, brands)
        weeks = int(cleaned.get("weeks") or USUAL)
        monday = today - timedelta(days=today.weekday())
        return Range(monday - timedelta(weeks=weeks - 1), today, zone, brands)


@admin.register(RetentionReport)
class RetentionReportAdmin(ReadOnlyAdmin):
    """One page, read from the retention events; its tables may be taken along by those who may export."""

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may take the numbers along."""
        return self.has_view_permission(request) and request.user.has_perm("billing.export_retentionreport")

    def get_urls(self) -> list[Any]:
        """Give the page and the download; the report has no rows, so there is nothing else."""
        wrap = self.admin_site.admin_view
        return [
            path("", wrap(self.changelist_view), name="billing_retentionreport_changelist"),
            path("export/", wrap(self.export_view), name="billing_retentionreport_export"),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the report. Raises PermissionDenied."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        form, asked = _asked(request)
        report = retention_report(asked)
        context = {
            **self.admin_site.each_context(request),
            "title": "Retention",
            "subtitle": None,
            "opts": self.opts,
            "form": form,
            "asked": asked,
            "report": report,
            "cards": [_card(asked, report, measure) for measure in MEASURES],
            "returns": retention_tables.returns(asked, report),
            "tables": [
                build(asked, report) for name, build in retention_tables.TABLES.items() if name != "returns"
            ],
            "export": self._export_address(request),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/billing/retentionreport/report.html", context)

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with one table as CSV, and log it. Raises PermissionDenied, Http404 for a table that there is not."""
        if not self.has_export_permission(request):
            raise PermissionDenied
        build = retention_tables.TABLES.get(request.GET.get("table", ""))
        if build is None:
            raise Http404
        _, asked = _asked(request)
        table = build(asked, retention_report(asked))
        span = f"{asked.first} to {asked.last}"
        journal.note_about_all(request, RetentionReport, f"Exported “{table.title}” as CSV, {span}.")
        return csv_response(f"retention {table.id} {span}", table.columns, table.rows)

    def _export_address(self, request: HttpRequest) -> str:
        if not self.has_export_permission(request):
            return ""
        narrowed = request.GET.copy()
        narrowed.pop("table", None)
        return f"{reverse('admin:billing_retentionreport_export')}?{narrowed.urlencode()}&table="


def _asked(request: HttpRequest) -> tuple[RangeForm, Range]:
    brands = [(brand.code, str(brand)) for brand in Brand.objects.all()]
    form = RangeForm(
        {"weeks": USUAL, **request.GET.dict(), "brand": request.GET.getlist("brand")}, brands=brands
    )
    zone = site.site_settings().time_zone
    return form, form.chosen(today=clock.local_date(clock.now(), zone), zone=zone)


def _card(asked: Range, report: Report, measure: str) -> dict[str, Any]:
    points = [(monday.isoformat(), report.weeks.get(monday, {}).get(measure, 0)) for monday in asked.mondays]
    total, before = report.totals.get(measure, 0), report.totals_before.get(measure, 0)
    days = (asked.last - asked.first).days + 1
    return {
        "chart": charts.over_time(f"chart-{measure}", f"{retention_tables.NAMES[measure]} by week", points),
        "name": retention_tables.NAMES[measure],
        "meaning": retention_tables.MEANINGS[measure],
        "total": f"{total:,}",
        "before": f"{before:,} in the {days} days before",
    }
