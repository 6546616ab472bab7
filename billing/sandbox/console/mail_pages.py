"""The inbox: what the portal wrote, for people who have no mail server."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from billing.sandbox import settings
from billing.sandbox.console import chrome, mailbox

_LISTED = 100
_MISSING = "There is no such mail; it may have been cleared away."


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """The newest mail, narrowed by `?to=`."""
    recipient = request.GET.get("to", "").strip()
    found = mailbox.messages(settings.SANDBOX_MAIL_DIR, recipient=recipient, limit=_LISTED + 1)
    context = {
        "messages": found[:_LISTED],
        "more": len(found) > _LISTED,
        "recipient": recipient,
        "here": request.get_full_path(),
    }
    return chrome.show(request, "inbox.html", context, tab="inbox")


@require_safe
def message(request: HttpRequest, key: str) -> HttpResponse:
    """One mail with its text, its HTML in a frame, and its sign-in code in large figures."""
    try:
        found = mailbox.message(settings.SANDBOX_MAIL_DIR, key)
    except mailbox.MessageNotFound:
        return chrome.not_found(request, _MISSING, tab="inbox")
    return chrome.show(request, "message.html", {"message": found}, tab="inbox")


@require_safe
def message_body(request: HttpRequest, key: str) -> HttpResponse:
    """The HTML part alone, for the frame of the message's page."""
    try:
        found = mailbox.message(settings.SANDBOX_MAIL_DIR, key)
    except mailbox.MessageNotFound:
        return chrome.not_found(request, _MISSING, tab="inbox")
    return chrome.mail_body(found.html)
