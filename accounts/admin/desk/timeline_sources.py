"""What accounts add to the timeline of an account's admin page: emails as they were sent, and sign-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.desk import account_actions
from accounts.admin.desk.account_page import row_address
from accounts.admin.desk.timeline import Entry, EntryKind, Fold, Link, TimelineSource, register_source
from accounts.admin.lists.display import BAD, GOOD, INFO, format_instant, state_pill
from accounts.models import Account, OutgoingMail, SignInEvent
from accounts.sign_in.browser_name import browser_name

MailState = OutgoingMail.State
_MAIL_TITLES = {"login_code": "Sign-in code", "sign_in_closed": "Warning: somebody is guessing sign-in codes"}
_MAIL_STATES = {MailState.PENDING: INFO, MailState.SENT: GOOD, MailState.DROPPED: "", MailState.FAILED: BAD}
_SIGN_IN_TONES = {
    SignInEvent.Kind.SENT: INFO,
    SignInEvent.Kind.OK: GOOD,
    SignInEvent.Kind.FAILED: BAD,
    SignInEvent.Kind.LIMITED: BAD,
}


def mail_title(mail: OutgoingMail) -> str:
    """Return what a mail is about."""
    title = (mail.sent_as or mail.context).get("title")
    return str(title or _MAIL_TITLES.get(mail.kind) or mail.kind.replace("_", " ").capitalize())


def mail_state(mail: OutgoingMail) -> object:
    """Return where a mail is on its way, as a pill."""
    return state_pill(mail.get_state_display().capitalize(), _MAIL_STATES[MailState(mail.state)])


def mail_fold(mail: OutgoingMail, label: str = "Read the email") -> Fold | None:
    """Return a mail's words, as they were sent or will be; None if the row does not keep them."""
    words: Mapping[str, Any] = mail.sent_as or mail.context
    if not words.get("lines") and not words.get("facts"):
        return None
    facts = [(str(name), str(value)) for name, value in words.get("facts") or ()]
    return Fold(
        label, [str(words.get("title") or ""), *map(str, words.get("lines") or ())], facts, words.get("undo_text") or ""
    )


def mail_links(account: Account, mail: OutgoingMail, request: HttpRequest) -> list[Link]:
    """Return the actions on a mail that the operator may perform, and the link to its page."""
    actions = account_actions.action_links(
        account, request, subject=account_actions.MAIL, row=mail, subject_id=str(mail.pk)
    )
    return [
        *(Link(action.address, action.label, is_action=True) for action in actions),
        Link(row_address(mail), "Details"),
    ]


def mail_line(mail: OutgoingMail) -> str:
    """Return when a mail was sent and to whom, or why it was not."""
    if mail.state == MailState.SENT:
        return f"Sent to {mail.to} on {format_instant(mail.sent_at)}"
    if mail.state == MailState.PENDING:
        return f"To {mail.to}" + (f"; last error: {mail.last_error}" if mail.last_error else "")
    return mail.last_error or f"To {mail.to}"


def _mail_rows(account: Account, kind: EntryKind | None) -> QuerySet[OutgoingMail]:
    mails = OutgoingMail.objects.filter(account=account)
    # Among everything, a mail about an entry of the activity is read there.
    return mails if kind else mails.filter(event=None)


def _describe_mails(account: Account, mails: Sequence[OutgoingMail], request: HttpRequest) -> Mapping[Any, Entry]:
    return {
        mail.pk: Entry(
            what=f"Email: {mail_title(mail)}",
            state=mail_state(mail),
            lines=[mail_line(mail)],
            folds=[fold for fold in [mail_fold(mail)] if fold],
            links=mail_links(account, mail, request),
        )
        for mail in mails
    }


def _sign_in_rows(account: Account, kind: EntryKind | None) -> QuerySet[SignInEvent]:
    return SignInEvent.objects.filter(account=account)


def _describe_sign_ins(account: Account, attempts: Sequence[SignInEvent], request: HttpRequest) -> Mapping[Any, Entry]:
    return {
        attempt.pk: Entry(
            what="Sign-in",
            state=state_pill(attempt.get_kind_display().capitalize(), _SIGN_IN_TONES[SignInEvent.Kind(attempt.kind)]),
            lines=[f"{browser_name(attempt.agent)}, from {attempt.network or 'an unknown network'}"],
        )
        for attempt in attempts
    }


register_source(
    TimelineSource("mail", EntryKind.EMAILS, "accounts.view_outgoingmail", "created_at", _mail_rows, _describe_mails)
)
register_source(
    TimelineSource("sign-in", EntryKind.SIGN_INS, "accounts.view_signinevent", "at", _sign_in_rows, _describe_sign_ins)
)
