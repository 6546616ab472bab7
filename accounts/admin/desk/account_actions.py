"""What operators can do on an account: each action shows what it does and costs, takes a reason, and acts once.

An action is an `AccountAction`. Its page shows the form of its choices, if it has one; then, for these choices, its
`ActionQuestion` with the money; then the confirmation, which posts the choices, the reason, the quote of the money and
an idempotency key. Performing it calls the function that subscribers use.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse

from accounts.admin import audit_log
from accounts.admin.desk.confirmations import new_action_key, submitted_key, submitted_quote
from accounts.models import Account, User
from accounts.models.events import MAX_REASON_LENGTH
from accounts.profile.erasure import LOGGED_REASON
from core.errors import NotFound, PortalError
from core.idempotency import FinalAnswer, answer_once
from core.text import validate_line

QUOTE_CHANGED, UNCONFIRMED = "quote_changed", "billing_unconfirmed"
# The parameter that says that the form of the choices was submitted, also if nothing in it is chosen.
CHOSEN = "chosen"
ACCOUNT, MAIL = "account", "mail"
_SUCCESS_STATUS = 200


@dataclass(frozen=True)
class ActionQuestion:
    """What an action is about to do: sentences, and the money before it is moved as labels with amounts.

    `quote` identifies the amounts. `button` says what confirming does.
    """

    title: str
    lines: Sequence[str]
    button: str
    quote: str = ""
    figures: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class ActionRequest:
    """Which operator asks for an action on an account, about which row, with which choices of its form."""

    account: Account
    subject_id: str
    operator: User
    choices: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ConfirmedAction(ActionRequest):
    """A confirmed action. `key` is the same however often the confirmation is submitted."""

    actor: str
    reason: str
    key: str
    quote: str | None


def _is_always_offered(_row: Any) -> bool:
    return True


@dataclass(frozen=True)
class AccountAction:
    """An action on an account, for operators who have the permission.

    It is about the account, or about a row of it of the kind `subject`. `is_offered` takes that row (the account
    itself) and returns whether its state allows the action; what is not offered is still refused when it is asked for.
    `build_form` takes the request and the submitted data, or None before anything was chosen; it may bind defaults.
    `build_question` takes the request with valid choices. `perform` returns a sentence that says what was done. Both
    raise PortalError, which is shown to the operator; NotFound for a row that is not the account's. `answer_done`
    leads elsewhere than to the account's page when it is done.
    """

    name: str
    label: str
    permission: str
    build_question: Callable[[ActionRequest], ActionQuestion]
    perform: Callable[[ConfirmedAction], str]
    subject: str = ACCOUNT
    is_offered: Callable[[Any], bool] = _is_always_offered
    build_form: Callable[[ActionRequest, QueryDict | None], forms.Form] | None = None
    needs_reason: bool = True
    answer_done: Callable[[HttpRequest, Account], HttpResponse] | None = None


@dataclass(frozen=True)
class ActionLink:
    """A link to an action's page."""

    name: str
    label: str
    address: str


class ReasonForm(forms.Form):
    """Why an operator does something."""

    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        validators=[validate_line],
        label="Reason",
        help_text="For the log; the subscriber doesn't see it.",
        widget=forms.TextInput(attrs={"size": 60, "autocomplete": "off"}),
    )


_actions: dict[str, AccountAction] = {}


def register_action(action: AccountAction) -> None:
    """Offer an action on accounts, in the order in which they are registered."""
    _actions[action.name] = action


def registered_actions() -> list[AccountAction]:
    """Return all actions."""
    return list(_actions.values())


def action_links(
    account: Account, request: HttpRequest, *, subject: str = ACCOUNT, row: Any = None, subject_id: str = ""
) -> Iterator[ActionLink]:
    """Yield links to the actions that the operator may perform and the state of the row (or of the account) allows."""
    for action in _actions.values():
        is_allowed = action.subject == subject and request.user.has_perm(action.permission)
        if is_allowed and action.is_offered(account if row is None else row):
            yield ActionLink(action.name, action.label, action_url(account, action.name, subject_id))


def action_url(account: Account, name: str, subject_id: str = "") -> str:
    """Return the URL of an action's page."""
    address = reverse("admin:accounts_account_act", args=[account.pk, name])
    return f"{address}?{urlencode({'about': subject_id})}" if subject_id else address


def answer_action(request: HttpRequest, account: Account, name: str, context: dict[str, Any]) -> HttpResponse:
    """Show an action's page, or perform the confirmed action and redirect to the account's page.

    Raises Http404 for an unknown action and for a row of another account, and PermissionDenied.
    """
    action = _actions.get(name)
    if action is None:
        raise Http404
    if not request.user.has_perm(action.permission):
        raise PermissionDenied
    if "\0" in request.GET.get("about", "") + request.POST.get("about", ""):
        raise Http404  # PostgreSQL refuses to look for it
    try:
        return _ActionPage(request, account, action, context).answer_request()
    except NotFound as error:
        raise Http404 from error


class _ActionPage:
    """One request to an action's page."""

    def __init__(self, request: HttpRequest, account: Account, action: AccountAction, context: dict[str, Any]) -> None:
        self.request, self.account, self.action, self.context = request, account, action, context
        self.submitted = request.POST if request.method == "POST" else request.GET
        self.asked = ActionRequest(
            account=account,
            subject_id=self.submitted.get("about", ""),
            operator=User.objects.get_by_natural_key(request.user.get_username()),
        )
        chosen = self.submitted if CHOSEN in self.submitted else None
        self.form = action.build_form(self.asked, chosen) if action.build_form else None
        self.reason_form = ReasonForm(self.submitted if request.method == "POST" else None)
        self.is_performed = False

    def answer_request(self) -> HttpResponse:
        """Return the page, or the redirect after the action."""
        if self.request.method != "POST":
            return self._render_page(new_action_key())
        is_complete = self._has_choices() and (self.reason_form.is_valid() or not self.action.needs_reason)
        return self._perform_once() if is_complete else self._render_page(submitted_key(self.request))

    def _has_choices(self) -> bool:
        return self.form is None or (self.form.is_bound and self.form.is_valid())

    def _chosen_request(self) -> ActionRequest:
        return replace(self.asked, choices=self.form.cleaned_data if self.form else {})

    def _perform_once(self) -> HttpResponse:
        """Perform the confirmed action, or show what its first confirmation led to."""
        key = submitted_key(self.request)
        failures: list[PortalError] = []
        answer = None
        try:
            answer = answer_once(
                self.asked.operator, key, self._fingerprint(), lambda own_key: self._answer_finally(own_key, failures)
            )
        except NotFound:
            raise
        except PortalError as error:
            failures.append(error)
        if failures:
            return self._answer_failure(failures[0], key)
        if answer is not None and answer.status == _SUCCESS_STATUS and self.action.answer_done:
            return self.action.answer_done(self.request, self.account)
        if answer is not None:
            level = messages.SUCCESS if answer.status == _SUCCESS_STATUS else messages.ERROR
            person = f"For {self.account}: " if self.asked.subject_id else ""
            again = "" if self.is_performed else "Confirmed before, so nothing was done again. "
            messages.add_message(self.request, level, f"{again}{person}{answer.body}")
        return HttpResponseRedirect(self._return_url())

    def _answer_finally(self, own_key: str, failures: list[PortalError]) -> FinalAnswer | None:
        """Perform the action and return its outcome; None if it can be repeated. Append a failure to `failures`."""
        try:
            return FinalAnswer(_SUCCESS_STATUS, self._perform(own_key))
        except NotFound:
            raise
        except PortalError as error:
            failures.append(error)
            return None if _is_temporary(error) else FinalAnswer(error.status, describe_error(error))

    def _perform(self, own_key: str) -> str:
        """Perform the action and log it with its reason; return the sentence that says what was done."""
        self.is_performed = True
        reason = self.reason_form.cleaned_data["reason"] if self.action.needs_reason else ""
        confirmed = ConfirmedAction(
            **vars(self._chosen_request()),
            actor=audit_log.operator_actor(self.request),
            reason=reason,
            key=own_key,
            quote=submitted_quote(self.request) or None,
        )
        try:
            outcome = self.action.perform(confirmed)
        except PortalError as error:
            self._log(f"{self.action.label.rstrip('…')}: {describe_error(error)}", reason)
            raise
        self._log(outcome, reason)
        return outcome

    def _log(self, outcome: str, reason: str) -> None:
        # The id, not the person: the log outlives the account.
        about = f" About: {self.asked.subject_id}." if self.asked.subject_id else ""
        text = f"{outcome}{about}"
        audit_log.log_action(self.request, self.account, f"{text}{LOGGED_REASON}{reason}" if reason else text)

    def _answer_failure(self, error: PortalError, key: str) -> HttpResponse:
        """Ask again, with what was typed, where that helps; otherwise say on the account's page what went wrong."""
        if error.code == UNCONFIRMED:
            # Asked again, the figures would be those after a change that may have been made.
            text = (
                "Chargebee hasn't confirmed this yet. The timeline shows within a minute how it ended: don't repeat it."
            )
            messages.warning(self.request, f"For {self.account}: {text}")
            return HttpResponseRedirect(self._return_url())
        is_requoted = error.code == QUOTE_CHANGED
        text = "The figures have changed. Nothing was done. Check them and confirm again."
        messages.add_message(
            self.request,
            messages.WARNING if is_requoted else messages.ERROR,
            text if is_requoted else describe_error(error),
        )
        if not (is_requoted or error.fields or _is_temporary(error)):
            return HttpResponseRedirect(self._return_url())
        # What may have been done is asked for with the same key, so that it is not done twice.
        return self._render_page(key if _is_temporary(error) else new_action_key())

    def _render_page(self, key: str) -> HttpResponse:
        question = None
        try:
            if self._has_choices():
                question = self.action.build_question(self._chosen_request())
        except NotFound:
            raise
        except PortalError as error:
            if self.form is None:
                messages.error(self.request, describe_error(error))
                return HttpResponseRedirect(self._return_url())
            _add_form_error(self.form, error)
        page_context = {
            **self.context,
            "title": question.title if question else self.action.label.rstrip("…"),
            "account": self.account,
            "question": question,
            "form": self.form,
            "reason_form": self.reason_form if self.action.needs_reason else None,
            "about": self.asked.subject_id,
            "key": key,
        }
        return TemplateResponse(self.request, "admin/accounts/account/act.html", page_context)

    def _return_url(self) -> str:
        """Return the account's page, or the list if the account was erased."""
        if Account.objects.filter(pk=self.account.pk).exists():
            return reverse("admin:accounts_account_change", args=[self.account.pk])
        return reverse("admin:accounts_account_changelist")

    def _fingerprint(self) -> str:
        values = {name: self.request.POST.getlist(name) for name in self.request.POST if name != "csrfmiddlewaretoken"}
        return hashlib.sha256(json.dumps([self.request.path, values], sort_keys=True).encode()).hexdigest()


def _is_temporary(error: PortalError) -> bool:
    """Return whether repeating the same request may help, or tells how it ended."""
    return error.status >= 500 or error.retry_after is not None


def _add_form_error(form: forms.Form, error: PortalError) -> None:
    """Show an error at the field that it names, else above the form."""
    names = [name for name in error.fields or {} if name in form.fields]
    for name in names:
        form.add_error(name, (error.fields or {})[name])
    if not names:
        form.add_error(None, describe_error(error))


def describe_error(error: PortalError) -> str:
    """Return the subscriber's sentence followed by the error's code, which an operator can look up."""
    return f"{error.message} ({error.code})"
