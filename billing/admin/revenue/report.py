"""The revenue report: a chart drawn on the server, and tables that can be printed and exported as CSV."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import Http404, HttpRequest

from accounts.brands import site
from billing import clock
from billing.admin.churn import charts
from billing.admin.churn.tables import Table
from billing.admin.report_page import ReportAdmin
from billing.admin.revenue import tables as revenue_tables
from billing.models import RevenueReport
from billing.money import format_cents
from billing.queries.reports.recovered_payments import COLLECTED
from billing.queries.reports.revenue_report import MonthRange, RevenueStatistics, months_until, revenue_statistics

DEFAULT_MONTHS = "12"


class MonthsForm(forms.Form):
    """How many months the report shows, this one included."""

    months = forms.ChoiceField(
        label="Range",
        choices=[("6", "Last 6 months"), (DEFAULT_MONTHS, "Last 12 months"), ("24", "Last 24 months")],
    )

    def chosen_range(self) -> MonthRange:
        """Return the selected months, the default ones for an invalid form."""
        count = self.cleaned_data["months"] if self.is_valid() else DEFAULT_MONTHS
        zone = site.site_settings().time_zone
        return months_until(clock.local_date(clock.billing_now(), zone), int(count), zone)


@admin.register(RevenueReport)
class RevenueReportAdmin(ReportAdmin):
    """The report of all movements of revenue."""

    title = "Revenue"

    def build_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the report of each currency in the chosen months."""
        form, months = _read_months(request)
        reports = [self._shown_report(request, report) for report in revenue_statistics(months)]
        return {"form": form, "asked": months, "reports": reports}

    def build_table(self, request: HttpRequest, name: str) -> tuple[Table, str]:
        """Return a table and its months; the name ends with a currency. Raises Http404."""
        table_name, _, currency = name.partition("-")
        build = revenue_tables.TABLE_BUILDERS.get(table_name)
        _, months = _read_months(request)
        report = next((report for report in revenue_statistics(months) if report.currency == currency), None)
        if build is None or report is None:
            raise Http404
        return build(report), f"{months.first:%Y-%m} to {months.last:%Y-%m}"

    def _shown_report(self, request: HttpRequest, report: RevenueStatistics) -> dict[str, Any]:
        tables = [build(report) for build in revenue_tables.TABLE_BUILDERS.values()]
        return {
            "currency": report.currency,
            "tables": tables,
            "cards": [_revenue_card(report), _recovered_card(report)],
            "export": self.export_url(request),
        }


def _revenue_card(report: RevenueStatistics) -> dict[str, Any]:
    latest = report.months[-1]
    return {
        "name": f"Monthly recurring revenue, {report.currency}",
        "total": format_cents(latest.closing, report.currency),
        "before": f"{format_cents(latest.opening, report.currency)} at the end of the month before",
        "chart": charts.amount_chart(
            f"revenue-{report.currency}",
            f"Monthly recurring revenue at the end of each month, {report.currency}",
            [(f"{month.month:%Y-%m}", month.closing) for month in report.months],
            currency=report.currency,
            table=revenue_tables.movement_table(report).title,
        ),
        "meaning": "At the end of each month",
    }


def _recovered_card(report: RevenueStatistics) -> dict[str, Any]:
    failed = sum(row.failed_cents for _, row in report.recovered)
    collected = sum(row.cents[COLLECTED] for _, row in report.recovered)
    share = charts.format_share(collected, failed)
    return {
        "name": f"Recovered payments, {report.currency}",
        "total": format_cents(collected, report.currency),
        "before": f"{share} of {format_cents(failed, report.currency)} that failed" if failed else "No payment failed",
        "chart": charts.amount_chart(
            f"recovered-{report.currency}-chart",
            f"Recovered payments by month of the invoice, {report.currency}",
            [(f"{month:%Y-%m}", row.cents[COLLECTED]) for month, row in report.recovered],
            currency=report.currency,
            table=revenue_tables.recovered_table(report).title,
        ),
        "meaning": "Collected after a failed payment, by the month of the invoice",
    }


def _read_months(request: HttpRequest) -> tuple[MonthsForm, MonthRange]:
    form = MonthsForm({"months": DEFAULT_MONTHS, **request.GET.dict()}, label_suffix="")
    return form, form.chosen_range()
