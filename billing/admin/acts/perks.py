"""Acts that lower a bill: redeem a code, and give the free month."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from accounts.admin.desk.account_actions import (
    AccountAction,
    ActionQuestion,
    ActionRequest,
    ConfirmedAction,
    register_action,
)
from accounts.brands import site
from accounts.models import Account
from billing import clock
from billing.admin.acts.common import (
    TOLD,
    bill_figures,
    charge_figure,
    confirm_action,
    previewed_figures,
    saved_figure,
)
from billing.changes.discounts import coupons, free_month
from billing.changes.discounts.coupons import MAX_CODE_LENGTH, RedeemCode
from billing.changes.discounts.free_month import ClaimFreeMonth
from billing.models import Subscription
from billing.money import format_cents
from billing.queries.subscriptions.ownership import named_holdings


class CodeForm(forms.Form):
    """The code to redeem."""

    code = forms.CharField(max_length=MAX_CODE_LENGTH, label="Code", widget=forms.TextInput(attrs={"size": 30}))


def _build_code_form(_: ActionRequest, data: QueryDict | None) -> forms.Form:
    return CodeForm(data)


def _redemption(asked: ActionRequest) -> RedeemCode:
    return RedeemCode(asked.account, coupons.REDEEM_CODE, asked.choices["code"])


def _ask_code(asked: ActionRequest) -> ActionQuestion:
    shown = _redemption(asked).preview(clock.billing_now()).shown
    plan = named_holdings(asked.account, [shown["applied_to"]])[0].plan
    return ActionQuestion(
        title=f"Redeem {shown['code']}?",
        lines=[f"It's applied to {plan.name}, where it saves most.", TOLD],
        figures=previewed_figures(shown),
        button=f"Redeem {shown['code']}",
        quote=shown["quote"],
    )


def _redeem_code(confirmed: ConfirmedAction) -> str:
    shown = confirm_action(confirmed, _redemption(confirmed)).shown
    # Refuses nothing: the code is redeemed, whatever has become of the subscription since.
    subscription = Subscription.objects.get(customer__account=confirmed.account, provider_id=shown["applied_to"])
    return f"The code {shown['code']} was redeemed on {subscription.plan.name}."


def _ask_free_month(asked: ActionRequest) -> ActionQuestion:
    preview = ClaimFreeMonth(asked.account, free_month.CLAIM_FREE_MONTH).preview(clock.billing_now())
    body = preview.body
    names = ", ".join(row.plan.name for row in body["plans"])
    return ActionQuestion(
        title=f"Give a free month of {names}?",
        lines=["Its next period is free.", TOLD],
        figures=[
            charge_figure(0, body["currency_code"]),
            saved_figure(body["amount_saved"], body["currency_code"]),
            *bill_figures(body["next_bills"]),
        ],
        button="Give the free month",
        quote=preview.shown["quote"],
    )


def _give_free_month(confirmed: ConfirmedAction) -> str:
    command = confirm_action(confirmed, ClaimFreeMonth(confirmed.account, free_month.CLAIM_FREE_MONTH))
    saved = format_cents(command.shown["amount_saved"], command.shown["currency_code"])
    return f"The free month was given. It saves {saved}."


def _is_free_month_offered(_: Account) -> bool:
    return site.site_settings().free_month_on


ACTIONS = (
    AccountAction(
        "redeem-code",
        "Redeem a code…",
        "billing.act_redeem_code",
        _ask_code,
        _redeem_code,
        build_form=_build_code_form,
    ),
    AccountAction(
        "free-month",
        "Give a free month…",
        "billing.act_free_month",
        _ask_free_month,
        _give_free_month,
        is_offered=_is_free_month_offered,
    ),
)

for action in ACTIONS:
    register_action(action)
