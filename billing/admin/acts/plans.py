"""Acts on plans: switch the billing period, undo a scheduled switch, and add and remove services."""

from __future__ import annotations

from dataclasses import replace

from django import forms
from django.http import QueryDict

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from billing import clock
from billing.admin.acts.common import (
    SUBSCRIPTION,
    TOLD,
    bill_figures,
    charge_figure,
    confirm_action,
    find_plan_name,
    previewed_figures,
    require_holding,
)
from billing.changes import billing_period, plan_selection, undo
from billing.changes.billing_period import DOWNGRADE, UPGRADE, SwitchPeriod
from billing.changes.plan_selection import ChangeSelection
from billing.changes.preview import forecast_next_bills
from billing.models import Plan
from billing.money import format_cents
from billing.queries.subscriptions.holdings import ACTIVE, IN_TRIAL, NON_RENEWING, Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.terms import MONTH

PERIOD_WORDS = {UPGRADE: "yearly", DOWNGRADE: "monthly"}
CHARGED = "Their default payment method is charged. If it is declined, nothing changes."


class ServicesForm(forms.Form):
    """Which services the account is to have."""

    plans = forms.MultipleChoiceField(
        label="Services",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Added services start and are charged at once; removed ones end with their term.",
    )


def _switch(asked: ActionRequest) -> SwitchPeriod:
    holding = require_holding(asked)
    direction = UPGRADE if holding.terms.period_unit == MONTH else DOWNGRADE
    return SwitchPeriod(asked.account, billing_period.KINDS[direction], [holding.plan.id])


def _ask_switch(asked: ActionRequest) -> ActionQuestion:
    change, name = _switch(asked), require_holding(asked).plan.name
    preview = change.preview(clock.billing_now())
    period, due = PERIOD_WORDS[change.kind.name], int(preview.shown["due_now"])
    is_immediate = any(switch.at_once for switch in preview.switches)
    when = "It switches at once." if is_immediate else "It switches when the paid term ends."
    charge = format_cents(due, preview.shown["due_currency"])
    return ActionQuestion(
        title=f"Switch {name} to {period} billing?",
        lines=[when, *([CHARGED] if due else []), TOLD],
        figures=previewed_figures(preview.shown),
        button=f"Switch and charge {charge}" if due else f"Switch to {period} billing",
        quote=preview.shown["quote"],
    )


def _switch_period(confirmed: ConfirmedAction) -> str:
    change = _switch(confirmed)
    confirm_action(confirmed, change)
    return f"{find_plan_name(confirmed)} switches to {PERIOD_WORDS[change.kind.name]} billing."


def _ask_undo_switch(asked: ActionRequest) -> ActionQuestion:
    holding = require_holding(asked)
    if not holding.has_scheduled_change:
        raise undo.NothingScheduled
    holdings = [
        replace(other, changing_to=None) if other.subscription.provider_id == asked.subject_id else other
        for other in live_holdings(asked.account)
    ]
    bills = forecast_next_bills(holdings, now=clock.billing_now(), repriced={holding.subscription.pk})
    return ActionQuestion(
        title=f"Undo the scheduled switch of {holding.plan.name}?",
        lines=["It renews at its present price.", TOLD],
        figures=[charge_figure(0, holding.terms.currency), *bill_figures(bills)],
        button="Undo the switch",
    )


def _undo_switch(confirmed: ConfirmedAction) -> str:
    confirm_action(confirmed, undo.RemoveScheduledChange(confirmed.account, undo.UNDO_CHANGE, [confirmed.subject_id]))
    return f"The scheduled switch of {find_plan_name(confirmed)} was undone."


def _build_services_form(asked: ActionRequest, data: QueryDict | None) -> forms.Form:
    holdings = live_holdings(asked.account)
    held = {holding.plan.id: holding.plan.name for holding in holdings}
    services = {holding.plan.service for holding in holdings}
    on_sale = {plan.id: plan.name for plan in Plan.objects.filter(on_sale=True) if plan.service not in services}
    staying = [holding.plan.id for holding in holdings if holding.status != NON_RENEWING]
    form = ServicesForm(data, initial={"plans": staying})
    field = form.fields["plans"]
    assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101  (for the type checker)
    field.choices = list({**held, **on_sale}.items())
    return form


def _selection(asked: ActionRequest) -> ChangeSelection:
    return ChangeSelection(asked.account, plan_selection.ADD_REMOVE_SERVICE, asked.choices["plans"], None)


def _ask_services(asked: ActionRequest) -> ActionQuestion:
    preview = _selection(asked).preview(clock.billing_now())
    due = int(preview.shown["due_now"])
    charge = format_cents(due, preview.shown["due_currency"])
    return ActionQuestion(
        title="Change services?",
        lines=[*([CHARGED] if due else []), TOLD],
        figures=previewed_figures(preview.shown),
        button=f"Change and charge {charge}" if due else "Change services",
        quote=preview.shown["quote"],
    )


def _change_services(confirmed: ConfirmedAction) -> str:
    confirm_action(confirmed, _selection(confirmed))
    names = [holding.plan.name for holding in live_holdings(confirmed.account) if holding.status != NON_RENEWING]
    return f"Services that continue: {', '.join(names) or 'none'}."


def _can_switch(holding: Holding) -> bool:
    is_free = not holding.has_scheduled_pause and not holding.subscription.has_scheduled_changes
    return holding.is_changeable and holding.status in (ACTIVE, IN_TRIAL) and is_free


def _has_scheduled_switch(holding: Holding) -> bool:
    return holding.has_scheduled_change


ACTIONS = (
    AccountAction(
        "change-period",
        "Switch billing period…",
        "billing.act_change_period",
        _ask_switch,
        _switch_period,
        SUBSCRIPTION,
        _can_switch,
    ),
    AccountAction(
        "undo-change",
        "Undo scheduled switch…",
        "billing.act_undo_change",
        _ask_undo_switch,
        _undo_switch,
        SUBSCRIPTION,
        _has_scheduled_switch,
    ),
    AccountAction(
        "change-services",
        "Change services…",
        "billing.act_change_services",
        _ask_services,
        _change_services,
        build_form=_build_services_form,
    ),
)

for action in ACTIONS:
    register_action(action)
