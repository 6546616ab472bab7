"""Turning a row of the outbox into a message: templates, the brand's colours, headers."""

from __future__ import annotations

from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from accounts import optional_mail, site
from accounts.models import OutgoingMail


def compose(mail: OutgoingMail, context: dict[str, object]) -> EmailMultiAlternatives:
    """Render the mail's templates into a message with a text and an HTML part.

    The Message-ID belongs to the row, so that a receiving server may drop the second copy of a mail that had
    to be sent twice.
    """
    brand = mail.brand or site.default_brand()
    way_out = optional_mail.way_out(mail)
    values = {
        **context,
        "brand": brand,
        "colours": brand.colours,
        "portal_url": settings.BASE_URL,
        "unsubscribe_url": way_out,
    }
    subject = " ".join(render_to_string(f"mail/{mail.kind}.subject.txt", values).split())
    message = EmailMultiAlternatives(
        subject=subject,
        body=render_to_string(f"mail/{mail.kind}.txt", values).strip() + "\n",
        to=[mail.to],
        headers={
            "Message-ID": f"<{mail.message_id}@{_domain()}>",
            "Auto-Submitted": "auto-generated",  # RFC 3834: no out-of-office reply, please
            **optional_mail.headers(way_out),
        },
    )
    message.attach_alternative(render_to_string(f"mail/{mail.kind}.html", values), "text/html")
    return message


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
