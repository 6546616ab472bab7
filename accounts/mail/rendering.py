"""Renders a row of the outbox as an email message with its brand's logo and colors."""

from __future__ import annotations

import re
from email.utils import formataddr, parseaddr
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from accounts.brands import site
from accounts.brands.mail_logo import CONTENT_ID, find_mail_logo
from accounts.mail import preferences
from accounts.models import Brand, OutgoingMail
from core.text import on_one_line

LOGO_URL = f"cid:{CONTENT_ID}"
# `December 20, 2026`.
_LONG_DATE = re.compile(r"\b([A-Z][a-z]+) (\d{1,2}), (\d{4})\b")


class _MailWithLogo(EmailMultiAlternatives):
    """A message whose HTML shows the picture that is attached to it (RFC 2387)."""

    mixed_subtype = "related"


def compose_message(mail: OutgoingMail, context: dict[str, Any]) -> EmailMultiAlternatives:
    """Render the mail's templates as a message with a text and an HTML part.

    Links point to the brand's host. The Message-ID is stored with the row, so that a receiving server can drop the
    duplicate of a mail that had to be sent twice.
    """
    brand = mail.brand or site.default_brand()
    portal_url = site.portal_url_for_brand(brand)
    unsubscribe_url = preferences.unsubscribe_url(mail)
    logo = find_mail_logo(brand)
    template_context = {
        "first_name": mail.account.first_name if mail.account else "",
        **_resolve_links(portal_url, context),
        "brand": brand,
        "logo_url": LOGO_URL if logo else "",
        "colours": brand.colours,
        "portal_url": portal_url,
        "unsubscribe_url": unsubscribe_url,
    }
    subject = on_one_line(render_to_string(f"mail/{mail.kind}.subject.txt", template_context))
    message = _MailWithLogo(
        subject=subject,
        body=_collapse_blank_lines(render_to_string(f"mail/{mail.kind}.txt", template_context)),
        from_email=_sender_address(brand),
        to=[mail.to],
        headers={
            "Message-ID": f"<{mail.message_id}@{_sender_domain()}>",
            "Auto-Submitted": "auto-generated",  # RFC 3834: prevents out-of-office replies
            **preferences.unsubscribe_headers(unsubscribe_url),
        },
    )
    html = _keep_dates_whole(render_to_string(f"mail/{mail.kind}.html", template_context))
    message.attach_alternative(html, "text/html")
    if logo is not None:
        message.attach(logo.as_attachment())
    return message


def _resolve_links(portal_url: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the context with the portal's paths made absolute URLs."""
    action, links = context.get("action_url"), context.get("undo_links") or ()
    return {
        **context,
        "action_url": urljoin(portal_url, action) if action else "",
        "undo_links": [[label, urljoin(portal_url, path)] for label, path in links],
    }


def _keep_dates_whole(html: str) -> str:
    """Return HTML whose dates do not wrap."""
    return _LONG_DATE.sub(r"\1&nbsp;\2,&nbsp;\3", html)


def _collapse_blank_lines(text: str) -> str:
    """Remove the blank lines that a template's empty sections leave."""
    return re.sub(r"\n{3,}", "\n\n", text.strip()) + "\n"


def _sender_address(brand: Brand) -> str:
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return formataddr((on_one_line(brand.name) or name, address))


def _sender_domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
