"""How much each group of operators may give back: edited by superusers, and logged."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin.forms.seen_rows import SeenRowAdmin, SeenRowForm
from billing.admin.money_field import CentsField
from billing.models import RefundLimit
from billing.money import format_cents

AT_ONCE_HELP = (
    "The most that one refund or credit may give; of another currency than US dollars as many of its smallest units."
)


class RefundLimitForm(SeenRowForm):
    """The limits as amounts with two decimals."""

    per_act = CentsField(least=0, label="At once", help_text=AT_ONCE_HELP)
    per_day = CentsField(
        least=0, label="In 24 hours", help_text="The most that one operator may give in 24 hours, to all accounts."
    )

    class Meta:
        model = RefundLimit
        fields = ("group", "per_act", "per_day")


@admin.register(RefundLimit)
class RefundLimitAdmin(SeenRowAdmin):
    """The limits. A group without one may give nothing, whatever its permissions."""

    form = RefundLimitForm
    list_display = ("group", "at_once", "in_a_day")
    list_select_related = ("group",)
    ordering = ("group__name",)

    @admin.display(description="at once", ordering="per_act")
    def at_once(self, limit: RefundLimit) -> str:
        """Return the limit of one refund or credit."""
        return format_cents(limit.per_act)

    @admin.display(description="in 24 hours", ordering="per_day")
    def in_a_day(self, limit: RefundLimit) -> str:
        """Return the limit of a day."""
        return format_cents(limit.per_day)
