"""The act that corrects an email address at the provider."""

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
from accounts.models import Account
from billing import clock
from billing.admin.acts.common import confirm_action
from billing.changes.customer_addresses import CORRECT, CorrectAddress
from billing.models import Customer
from billing.queries.customers import customers_of_address

SHARED = "Another customer has this address, too. It will sign in to the one with a live subscription."


class AddressForm(forms.Form):
    """The right address."""

    address = forms.EmailField(label="New email address", widget=forms.EmailInput(attrs={"autocomplete": "off"}))


def _build_form(_: ActionRequest, data: QueryDict | None) -> forms.Form:
    return AddressForm(data)


def _correction(asked: ActionRequest) -> CorrectAddress:
    return CorrectAddress(asked.account, CORRECT, asked.choices["address"])


def _ask_address(asked: ActionRequest) -> ActionQuestion:
    change = _correction(asked)
    change.preview(clock.billing_now())
    address = change.normalized_address
    return ActionQuestion(
        title=f"Change the address to {address}?",
        lines=[
            f"{asked.account.email} no longer signs in to this account; {address} does.",
            "It changes in Chargebee, too. They're signed out everywhere. We'll email both addresses.",
            *([SHARED] if customers_of_address(address).exists() else []),
        ],
        button="Change the address",
    )


def _correct_address(confirmed: ConfirmedAction) -> str:
    confirm_action(confirmed, _correction(confirmed))
    # Without the address: the log outlives the account.
    return "The email address was corrected."


def _has_customer(account: Account) -> bool:
    return Customer.objects.filter(account=account, deleted=False).exists()


register_action(
    AccountAction(
        "correct-address",
        "Correct email address…",
        "billing.act_correct_address",
        _ask_address,
        _correct_address,
        is_offered=_has_customer,
        build_form=_build_form,
    )
)
