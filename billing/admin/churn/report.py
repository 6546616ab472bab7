"""The churn report: charts drawn on the server, and the same numbers as tables and CSV."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404, HttpRequest

from accounts.brands import site
from accounts.models import Brand
from billing import clock
from billing.admin.churn import charts
from billing.admin.churn import tables as churn_tables
from billing.admin.churn.tables import Table
from billing.admin.report_page import ReportAdmin
from billing.models import ChurnReport
from billing.queries.reports.churn_report import MEASURES, ChurnStatistics, ReportRange, churn_statistics

CUSTOM_RANGE = "own"
DEFAULT_WEEKS = "12"
MAX_RANGE = timedelta(days=3 * 366)
EARLIEST, LATEST = date(2000, 1, 1), date(2999, 12, 31)
OUT_OF_BOUNDS = "Choose a day from 2000 to 2999."


def _day_field(label: str) -> forms.DateField:
    # Margins on both sides, so that the previous range and the day after are valid dates too.
    bounds = (MinValueValidator(EARLIEST, OUT_OF_BOUNDS), MaxValueValidator(LATEST, OUT_OF_BOUNDS))
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(label=label, required=False, widget=widget, validators=bounds)


class RangeForm(forms.Form):
    """The range and brands of the report: the last N weeks, this one included, or custom dates."""

    weeks = forms.ChoiceField(
        label="Range",
        required=False,
        choices=[
            ("4", "Last 4 weeks"),
            ("12", "Last 12 weeks"),
            ("52", "Last 52 weeks"),
            (CUSTOM_RANGE, "From and to"),
        ],
    )
    first = _day_field("From")
    last = _day_field("To")
    brand = forms.MultipleChoiceField(
        label="Brands", required=False, widget=forms.CheckboxSelectMultiple, help_text="If none, all brands."
    )

    def __init__(self, *args: Any, brands: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["brand"].choices = brands  # type: ignore[attr-defined]  # it is a choice field

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for dates that are not a range."""
        cleaned = super().clean() or {}
        if self.errors or cleaned.get("weeks") != CUSTOM_RANGE:
            return cleaned
        first, last = cleaned.get("first"), cleaned.get("last")
        if first is None or last is None:
            raise ValidationError("Enter both dates.")
        if last < first:
            raise ValidationError("The end date is before the start date.")
        if last - first > MAX_RANGE:
            raise ValidationError("Choose three years at most.")
        return cleaned

    def chosen_range(self, *, today: date, zone: str) -> ReportRange:
        """Return the selected range, the default one for an invalid form; ranges of weeks end `today`."""
        cleaned = self.cleaned_data if self.is_valid() else {}
        brands = cleaned.get("brand") or []
        if cleaned.get("weeks") == CUSTOM_RANGE:
            return ReportRange(cleaned["first"], cleaned["last"], zone, brands)
        weeks = int(cleaned.get("weeks") or DEFAULT_WEEKS)
        monday = today - timedelta(days=today.weekday())
        return ReportRange(monday - timedelta(weeks=weeks - 1), today, zone, brands)


@admin.register(ChurnReport)
class ChurnReportAdmin(ReportAdmin):
    """The report of all churn events."""

    title = "Churn"

    def build_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the charts and tables of the chosen range."""
        form, report_range = _read_range(request)
        report = churn_statistics(report_range)
        return {
            "form": form,
            "asked": report_range,
            "report": report,
            "cards": [_measure_card(report_range, report, measure) for measure in MEASURES],
            "returns": churn_tables.pause_return_table(report_range, report),
            "tables": [
                build(report_range, report) for name, build in churn_tables.TABLE_BUILDERS.items() if name != "returns"
            ],
            "export": self.export_url(request),
        }

    def build_table(self, request: HttpRequest, name: str) -> tuple[Table, str]:
        """Return a table and its days. Raises Http404."""
        build = churn_tables.TABLE_BUILDERS.get(name)
        if build is None:
            raise Http404
        _, report_range = _read_range(request)
        table = build(report_range, churn_statistics(report_range))
        return table, f"{report_range.first} to {report_range.last}"


def _read_range(request: HttpRequest) -> tuple[RangeForm, ReportRange]:
    brands = [(brand.code, str(brand)) for brand in Brand.objects.all()]
    form = RangeForm(
        {"weeks": DEFAULT_WEEKS, **request.GET.dict(), "brand": request.GET.getlist("brand")}, brands=brands
    )
    zone = site.site_settings().time_zone
    return form, form.chosen_range(today=clock.local_date(clock.billing_now(), zone), zone=zone)


def _measure_card(report_range: ReportRange, report: ChurnStatistics, measure: str) -> dict[str, Any]:
    points = [(monday.isoformat(), report.weeks.get(monday, {}).get(measure, 0)) for monday in report_range.week_starts]
    total, before = report.totals.get(measure, 0), report.previous_totals.get(measure, 0)
    days = (report_range.last - report_range.first).days + 1
    return {
        "chart": charts.chart_over_time(f"chart-{measure}", f"{churn_tables.MEASURE_NAMES[measure]} by week", points),
        "name": churn_tables.MEASURE_NAMES[measure],
        "meaning": churn_tables.MEASURE_MEANINGS[measure],
        "rate": churn_tables.describe_rate(measure, report.rates.get(measure)),
        "total": f"{total:,}",
        "before": f"{before:,} in the {days} days before",
    }
