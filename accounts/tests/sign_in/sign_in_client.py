"""A client that signs in as a subscriber does: it requests a code, reads the mail and submits the code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from django.core import mail
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts import tasks
from accounts.mail import outbox
from accounts.models import LoginChallenge, OutgoingMail

CODE_PATTERN = re.compile(r"\b[0-9]{6}\b")


@dataclass
class SignInClient:
    """A browser that signs in."""

    api: APIClient = field(default_factory=APIClient)

    def request_code(self, email: str = "ava@example.com", **extra: Any) -> Any:
        """Request a code."""
        return self.api.post("/api/auth/send-otp", {"email": email, **extra})

    def read_code(self) -> str:
        """Send the due mails and return the code of the newest one."""
        send_due_mail()
        codes: list[str] = CODE_PATTERN.findall(str(mail.outbox[-1].body))
        return codes[0]

    def submit_code(self, otp: str, email: str = "ava@example.com", **extra: Any) -> Any:
        """Submit a code."""
        return self.api.post("/api/auth/verify-otp", {"email": email, "otp": otp, **extra})

    def sign_in(self, email: str = "ava@example.com") -> str:
        """Sign in, send the token with every further request, and return it."""
        challenge = self.request_code(email).json()["challengeId"]
        token: str = self.submit_code(self.read_code(), email, challengeId=challenge).json()["token"]
        self.carry_token(token)
        return token

    def carry_token(self, token: str) -> None:
        """Send this token with every request."""
        self.api.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")


def send_due_mail() -> None:
    """Send the due mails of the outbox, as the sweep and the worker do."""
    for mail_id in outbox.due_mail_ids():
        tasks.send_mail(mail_id)


def different_code(code: str) -> str:
    """Return a well-formed code that is not this one."""
    return f"{(int(code) + 1) % 1_000_000:06d}"


def challenge_from_answer(answer: Any) -> LoginChallenge:
    """Return the challenge that a response of send-otp names."""
    return LoginChallenge.objects.get(pk=answer.json()["challengeId"])


def only_queued_mail() -> OutgoingMail:
    """Return the only row of the outbox."""
    return OutgoingMail.objects.get()


def query_shapes(queries: CaptureQueriesContext) -> list[str]:
    """Return the SQL statements without their values."""
    return [
        re.sub(r"'[^']*'|NULL|\b[0-9]+\b|\bs[0-9]+_x[0-9]+\b", "?", query["sql"]) for query in queries.captured_queries
    ]
