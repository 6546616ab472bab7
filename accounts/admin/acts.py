"""What operators do for one account from its page: each asks first, then calls the service that subscribers call."""

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

from accounts import sign_in
from accounts.admin import journal
from accounts.models import Account
from portal.errors import PortalError

_KEY = re.compile(r"operator-[0-9a-f]{32}")
_QUOTE = re.compile(r"[\w-]{1,100}")


@dataclass(frozen=True)
class Question:
    """What an operator is asked before anything is done; `quote` stands for the figures that are shown."""

    title: str
    lines: Sequence[str]
    button: str
    quote: str = ""


@dataclass(frozen=True)
class Doing:
    """What was confirmed: about what, by whom, with which figures. The key makes a second press do nothing."""

    about: str
    actor: str
    key: str
    quote: str | None


@dataclass(frozen=True)
class Act:
    """One thing to do for an account; `ask` and `do` raise PortalError, which the operator is told.

    `do` returns what was done, as a sentence. One that is `about` something stands beside it, the others on top.
    """

    name: str
    label: str
    permission: str
    ask: Callable[[Account, str], Question]
    do: Callable[[Account, Doing], str]
    about_one: bool = False


_acts: dict[str, Act] = {}


def register(act: Act) -> None:
    """Offer an act on every account's page."""
    _acts[act.name] = act


def on_top(account: Account, request: HttpRequest) -> Iterator[dict[str, str]]:
    """Give the address and the label of what the operator may do for the account as a whole."""
    for act in _acts.values():
        if not act.about_one and request.user.has_perm(act.permission):
            yield {"address": _address(account, act.name), "label": act.label}


def link(account: Account, name: str, request: HttpRequest, about: str) -> SafeString | str:
    """Give the link to an act about one thing of the account; nothing for those who may not."""
    act = _acts[name]
    if not request.user.has_perm(act.permission):
        return ""
    return format_html(
        '<a class="act" href="{}?{}">{}</a>',
        _address(account, name),
        urlencode({"about": about}),
        act.label,
    )


def view(request: HttpRequest, account: Account, name: str, context: dict[str, Any]) -> HttpResponse:
    """Ask, and once confirmed do it; then go back to the account's page and say how it went.

    Raises Http404 for an act that there is not, PermissionDenied for those who may not.
    """
    act = _acts.get(name)
    if act is None:
        raise Http404
    if not request.user.has_perm(act.permission):
        raise PermissionDenied
    if request.method == "POST":
        _do(request, account, act)
        return HttpResponseRedirect(_way_back(account))
    return _ask(request, account, act, context)


def _ask(request: HttpRequest, account: Account, act: Act, context: dict[str, Any]) -> HttpResponse:
    about = request.GET.get("about", "")
    try:
        question = act.ask(account, about)
    except PortalError as error:
        messages.error(request, told(error))
        return HttpResponseRedirect(_page(account))
    asked = {
        **context,
        "title": question.title,
        "account": account,
        "question": question,
        "about": about,
        "key": new_key(),
    }
    return TemplateResponse(request, "admin/accounts/account/act.html", asked)


def _do(request: HttpRequest, account: Account, act: Act) -> None:
    doing = Doing(
        about=request.POST.get("about", ""),
        actor=journal.actor_of(request),
        key=key_given(request),
        quote=quote_given(request) or None,
    )
    try:
        done = act.do(account, doing)
    except PortalError as error:
        journal.note(request, account, f"{act.label}: {told(error)}")
        messages.error(request, told(error))
    else:
        journal.note(request, account, done)
        messages.success(request, done)


def told(error: PortalError) -> str:
    """Give an error as an operator reads it: the subscriber's sentence, and the code to look it up by."""
    return f"{error.message} ({error.code})"


def new_key() -> str:
    """Give a key for one question: however often its form is sent, what it asks about is done once."""
    return f"operator-{uuid.uuid4().hex}"


def key_given(request: HttpRequest, name: str = "key") -> str:
    """Give the key that a confirmation came with, a new one where it brought none."""
    return _given(request, name, _KEY) or new_key()


def quote_given(request: HttpRequest, name: str = "quote") -> str:
    """Give the quote that a confirmation came with, an empty one where it brought none."""
    return _given(request, name, _QUOTE)


def _given(request: HttpRequest, name: str, shape: re.Pattern[str]) -> str:
    value = request.POST.get(name, "")
    return value if shape.fullmatch(value) else ""


def _page(account: Account) -> str:
    return reverse("admin:accounts_account_change", args=[account.pk])


def _way_back(account: Account) -> str:
    """Give the account's page, or the list where the account is gone."""
    if Account.objects.filter(pk=account.pk).exists():
        return _page(account)
    return reverse("admin:accounts_account_changelist")


def _address(account: Account, name: str) -> str:
    return reverse("admin:accounts_account_act", args=[account.pk, name])


def _ask_sign_out(account: Account, about: str) -> Question:
    return Question(
        title="Sign out everywhere?",
        lines=[
            f"Every session of {account.email} ends at once. They sign in again with a code sent by mail.",
            "Their activity tells them that support did this.",
        ],
        button="Sign out everywhere",
    )


def _sign_out(account: Account, doing: Doing) -> str:
    return f"Sessions ended: {sign_in.end_sessions_for(account, actor=doing.actor)}."


register(
    Act(
        name="sign-out-everywhere",
        label="Sign out everywhere",
        permission="accounts.sign_out_account",
        ask=_ask_sign_out,
        do=_sign_out,
    )
)
