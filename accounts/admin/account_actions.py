"""Actions on an account's admin page. Each asks for confirmation, then calls the function that subscribers use."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.admin import audit_log
from accounts.models import Account
from accounts.profile import erasure
from accounts.sign_in import flow
from core.errors import PortalError

_KEY_PATTERN = re.compile(r"operator-[0-9a-f]{32}")
_QUOTE_PATTERN = re.compile(r"[\w-]{1,100}")


@dataclass(frozen=True)
class ActionQuestion:
    """The confirmation page of an action. `quote` identifies the amounts that it shows."""

    title: str
    lines: Sequence[str]
    button: str
    quote: str = ""


@dataclass(frozen=True)
class ConfirmedAction:
    """A confirmed action. `subject_id` is the row that it is about; `key` makes submitting the form twice harmless."""

    subject_id: str
    actor: str
    key: str
    quote: str | None


@dataclass(frozen=True)
class AccountAction:
    """An action for an account, for operators who have the permission.

    `build_question` takes the account and the subject's id. `perform` returns a sentence that says what was done. Both
    raise PortalError, which is shown to the operator. A row action is linked beside its row, the others at the top.
    """

    name: str
    label: str
    permission: str
    build_question: Callable[[Account, str], ActionQuestion]
    perform: Callable[[Account, ConfirmedAction], str]
    is_row_action: bool = False


_actions: dict[str, AccountAction] = {}


def register_action(action: AccountAction) -> None:
    """Offer an action on every account's page."""
    _actions[action.name] = action


def account_action_links(account: Account, request: HttpRequest) -> Iterator[dict[str, str]]:
    """Yield the URL and the label of each action on the account as a whole that the operator may perform."""
    for action in _actions.values():
        if not action.is_row_action and request.user.has_perm(action.permission):
            yield {"address": _action_url(account, action.name), "label": action.label}


def action_link(account: Account, name: str, request: HttpRequest, subject_id: str) -> SafeString | str:
    """Return the link to an action on one row of the account, empty without permission."""
    action = _actions[name]
    if not request.user.has_perm(action.permission):
        return ""
    return format_html(
        '<a class="act" href="{}?{}">{}</a>',
        _action_url(account, name),
        urlencode({"about": subject_id}),
        action.label,
    )


def answer_action(request: HttpRequest, account: Account, name: str, context: dict[str, Any]) -> HttpResponse:
    """Show the confirmation page, or perform the confirmed action and redirect to the account's page.

    Raises Http404 for an unknown action and PermissionDenied.
    """
    action = _actions.get(name)
    if action is None:
        raise Http404
    if not request.user.has_perm(action.permission):
        raise PermissionDenied
    if request.method == "POST":
        _perform_action(request, account, action)
        return HttpResponseRedirect(_return_url(account))
    return _render_question(request, account, action, context)


def _render_question(
    request: HttpRequest, account: Account, action: AccountAction, context: dict[str, Any]
) -> HttpResponse:
    subject_id = request.GET.get("about", "")
    try:
        question = action.build_question(account, subject_id)
    except PortalError as error:
        messages.error(request, describe_error(error))
        return HttpResponseRedirect(_account_url(account))
    page_context = {
        **context,
        "title": question.title,
        "account": account,
        "question": question,
        "about": subject_id,
        "key": new_action_key(),
    }
    return TemplateResponse(request, "admin/accounts/account/act.html", page_context)


def _perform_action(request: HttpRequest, account: Account, action: AccountAction) -> None:
    confirmed = ConfirmedAction(
        subject_id=request.POST.get("about", ""),
        actor=audit_log.operator_actor(request),
        key=submitted_key(request),
        quote=submitted_quote(request) or None,
    )
    try:
        outcome = action.perform(account, confirmed)
    except PortalError as error:
        audit_log.log_action(request, account, f"{action.label}: {describe_error(error)}")
        messages.error(request, describe_error(error))
    else:
        audit_log.log_action(request, account, outcome)
        messages.success(request, outcome)


def describe_error(error: PortalError) -> str:
    """Return the subscriber's sentence followed by the error's code, which an operator can look up."""
    return f"{error.message} ({error.code})"


def new_action_key() -> str:
    """Return an idempotency key for a confirmation form."""
    return f"operator-{uuid.uuid4().hex}"


def submitted_key(request: HttpRequest, name: str = "key") -> str:
    """Return the idempotency key of a submitted form, or a new one if it has none."""
    return _submitted_value(request, name, _KEY_PATTERN) or new_action_key()


def submitted_quote(request: HttpRequest, name: str = "quote") -> str:
    """Return the quote of a submitted form, empty if it has none."""
    return _submitted_value(request, name, _QUOTE_PATTERN)


def _submitted_value(request: HttpRequest, name: str, pattern: re.Pattern[str]) -> str:
    value = request.POST.get(name, "")
    return value if pattern.fullmatch(value) else ""


def _account_url(account: Account) -> str:
    return reverse("admin:accounts_account_change", args=[account.pk])


def _return_url(account: Account) -> str:
    """Return the account's page, or the list if the account was erased."""
    if Account.objects.filter(pk=account.pk).exists():
        return _account_url(account)
    return reverse("admin:accounts_account_changelist")


def _action_url(account: Account, name: str) -> str:
    return reverse("admin:accounts_account_act", args=[account.pk, name])


def _sign_out_question(account: Account, _subject_id: str) -> ActionQuestion:
    return ActionQuestion(
        title="Sign out everywhere?",
        lines=[
            f"This ends every session of {account.email}. They can sign in again with a code.",
            "Their activity shows that support did this.",
        ],
        button="Sign out everywhere",
    )


def _sign_out_everywhere(account: Account, action: ConfirmedAction) -> str:
    return f"Sessions ended: {flow.sign_out_by_operator(account, actor=action.actor)}."


def _erase_question(account: Account, _subject_id: str) -> ActionQuestion:
    return ActionQuestion(
        title=f"Erase {account.email}?",
        lines=[
            "This deletes the account, its profile, preferences, activity, emails, sessions, and sign-in events.",
            "It also deletes the portal's copy of its plans, invoices, and payment methods. You can't undo this.",
            "Invoices stay in Chargebee for as long as the law requires.",
            "After that, clear the customer's personal data there, too.",
            "Survey answers stay for the reports, without a name.",
        ],
        button="Erase account permanently",
    )


def _erase_account(account: Account, action: ConfirmedAction) -> str:
    erasure.erase_account(account, actor=action.actor)
    return "The account was erased."


register_action(
    AccountAction(
        name="sign-out-everywhere",
        label="Sign out everywhere",
        permission="accounts.sign_out_account",
        build_question=_sign_out_question,
        perform=_sign_out_everywhere,
    )
)
register_action(
    AccountAction(
        name="erase",
        label="Erase account",
        permission="accounts.delete_account",  # no group has it, so only a superuser may
        build_question=_erase_question,
        perform=_erase_account,
    )
)
