"""Turning a row of the outbox into a message: templates, the brand's colours, headers."""

from __future__ import annotations

import re
from email.utils import formataddr, parseaddr
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from accounts import optional_mail, site
from accounts.models import Brand, OutgoingMail


def compose(mail: OutgoingMail, context: dict[str, Any]) -> EmailMultiAlternatives:
    """Render the mail's templates into a message with a text and an HTML part.

    Its links lead to where the brand's subscribers open the portal. The Message-ID belongs to the row, so that a
    receiving server may drop the second copy of a mail that had to be sent twice.
    """
    brand = mail.brand or site.default_brand()
    portal_url = site.address_of(brand)
    way_out = optional_mail.way_out(mail)
    values = {
        **_with_links_at(portal_url, context),
        "brand": brand,
        "colours": brand.colours,
        "portal_url": portal_url,
        "unsubscribe_url": way_out,
    }
    subject = " ".join(render_to_string(f"mail/{mail.kind}.subject.txt", values).split())
    message = EmailMultiAlternatives(
        subject=subject,
        body=_without_gaps(render_to_string(f"mail/{mail.kind}.txt", values)),
        from_email=_sender(brand),
        to=[mail.to],
        headers={
            "Message-ID": f"<{mail.message_id}@{_domain()}>",
            "Auto-Submitted": "auto-generated",  # RFC 3834: no out-of-office reply, please
            **optional_mail.headers(way_out),
        },
    )
    message.attach_alternative(render_to_string(f"mail/{mail.kind}.html", values), "text/html")
    return message


def _with_links_at(portal_url: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return what the templates take with its paths made addresses of the portal's."""
    action, links = context.get("action_url"), context.get("undo_links") or ()
    return {
        **context,
        "action_url": urljoin(portal_url, action) if action else "",
        "undo_links": [[label, urljoin(portal_url, path)] for label, path in links],
    }


def _without_gaps(text: str) -> str:
    """Give a text without the empty lines of the parts that it has not."""
    return re.sub(r"\n{3,}", "\n\n", text.strip()) + "\n"


def _sender(brand: Brand) -> str:
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return formataddr((brand.name or name, address))


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
