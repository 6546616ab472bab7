"""Workers keep their connection to the mail server, and open another one when it is gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from accounts import tasks
from accounts.mail import smtp_connection
from accounts.mail.queue import queue_mail
from accounts.models import OutgoingMail
from faults.support.mail_server import MailServer
from faults.support.tcp_relay import TcpRelay

pytestmark = pytest.mark.django_db


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    """Run a mail server."""
    server = MailServer()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def relay(mail_server: MailServer, settings: Settings) -> Iterator[TcpRelay]:
    """Send mail to the mail server through a relay that counts connections."""
    relay = TcpRelay(mail_server.port)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", relay.port
    yield relay
    relay.close()


def send_receipts(*addresses: str) -> list[str]:
    """Queue and send a receipt to each address; return the mails' states."""
    context: dict[str, object] = {"title": "Kept", "lines": ["It was kept."], "facts": []}
    for address in addresses:
        queued = queue_mail(kind="receipt", to=address, context=context)
        assert queued is not None
        tasks.send_mail(queued.pk)
    return list(OutgoingMail.objects.filter(to__in=addresses).order_by("pk").values_list("state", flat=True))


def test_one_connection_takes_several_mails(relay: TcpRelay, mail_server: MailServer) -> None:
    assert send_receipts("ann@example.com", "bea@example.com", "cid@example.com") == ["sent"] * 3
    assert (relay.connections, len(mail_server.messages)) == (1, 3)


def test_a_connection_that_the_server_closed_is_replaced(
    relay: TcpRelay, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp_connection, "PROBE_AFTER_SECONDS", 0.0)
    send_receipts("ann@example.com")
    relay.hang_up()
    relay.restore()
    assert send_receipts("bea@example.com") == ["sent"]
    assert (relay.connections, len(mail_server.messages)) == (2, 2)


def test_a_connection_ends_after_so_many_mails(
    relay: TcpRelay, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp_connection, "MAX_MAILS", 2)
    assert send_receipts("ann@example.com", "bea@example.com", "cid@example.com") == ["sent"] * 3
    assert (relay.connections, len(mail_server.messages)) == (2, 3)


def test_a_mail_that_was_refused_ends_the_connection(relay: TcpRelay, mail_server: MailServer) -> None:
    mail_server.refusals["RCPT"] = "451 busy"
    assert send_receipts("ann@example.com") == ["pending"]
    mail_server.refusals.clear()
    assert send_receipts("bea@example.com") == ["sent"]
    assert relay.connections == 2
