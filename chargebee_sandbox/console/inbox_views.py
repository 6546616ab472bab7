"""The console's inbox: the portal's mail, for people without a mail server."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from chargebee_sandbox import settings
from chargebee_sandbox.console import layout, mailbox

_MAX_LISTED_MESSAGES = 100
_NOT_FOUND_TEXT = "There is no such mail; it may have been cleared away."


@require_safe
def inbox_page(request: HttpRequest) -> HttpResponse:
    """Show the newest mail, filtered by `?to=`."""
    recipient = request.GET.get("to", "").strip()
    messages = mailbox.list_messages(settings.SANDBOX_MAIL_DIR, recipient=recipient, limit=_MAX_LISTED_MESSAGES + 1)
    context = {
        "messages": messages[:_MAX_LISTED_MESSAGES],
        "more": len(messages) > _MAX_LISTED_MESSAGES,
        "recipient": recipient,
        "here": request.get_full_path(),
    }
    return layout.render_page(request, "inbox.html", context, tab="inbox")


@require_safe
def message_page(request: HttpRequest, key: str) -> HttpResponse:
    """Show a mail with its text, its HTML in a frame, and its sign-in code in large type."""
    try:
        message = mailbox.read_message(settings.SANDBOX_MAIL_DIR, key)
    except mailbox.MessageNotFound:
        return layout.not_found_page(request, _NOT_FOUND_TEXT, tab="inbox")
    return layout.render_page(request, "message.html", {"message": message}, tab="inbox")


@require_safe
def message_body(request: HttpRequest, key: str) -> HttpResponse:
    """Serve the HTML part alone, for the frame of the message's page."""
    try:
        message = mailbox.read_message(settings.SANDBOX_MAIL_DIR, key)
    except mailbox.MessageNotFound:
        return layout.not_found_page(request, _NOT_FOUND_TEXT, tab="inbox")
    return layout.mail_body(message.html)
