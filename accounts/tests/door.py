"""A subscriber at the door: asks for codes, reads the mail, tries codes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from django.core import mail
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts import outbox, tasks
from accounts.models import LoginChallenge, OutgoingMail

CODE = re.compile(r"\b[0-9]{6}\b")


@dataclass
class Door:
    """One browser in front of sign-in."""

    api: APIClient = field(default_factory=APIClient)

    def ask(self, email: str = "ava@example.com", **extra: Any) -> Any:
        """Ask for a code."""
        return self.api.post("/api/auth/send-otp", {"email": email, **extra})

    def read_code(self) -> str:
        """Let the outbox be sent and read the code in the newest mail."""
        post()
        found: list[str] = CODE.findall(str(mail.outbox[-1].body))
        return found[0]

    def attempt(self, otp: str, email: str = "ava@example.com", **extra: Any) -> Any:
        """Try a code."""
        return self.api.post("/api/auth/verify-otp", {"email": email, "otp": otp, **extra})

    def sign_in(self, email: str = "ava@example.com") -> str:
        """Go through all of it and carry the token from now on."""
        challenge = self.ask(email).json()["challengeId"]
        token: str = self.attempt(self.read_code(), email, challengeId=challenge).json()["token"]
        self.carry(token)
        return token

    def carry(self, token: str) -> None:
        """Send this token with every request."""
        self.api.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")


def post() -> None:
    """Send what is due in the outbox, as the sweep and the worker do."""
    for mail_id in outbox.due():
        tasks.send_mail(mail_id)


def other_than(code: str) -> str:
    """Give a well-formed code that is not this one."""
    return f"{(int(code) + 1) % 1_000_000:06d}"


def challenge_of(answer: Any) -> LoginChallenge:
    """Give the row that an answer of send-otp names."""
    return LoginChallenge.objects.get(pk=answer.json()["challengeId"])


def only_mail() -> OutgoingMail:
    """Give the one row of the outbox."""
    return OutgoingMail.objects.get()


def shape(queries: CaptureQueriesContext) -> list[str]:
    """Give the statements without their values: what is asked of the database, not with what."""
    return [
        re.sub(r"'[^']*'|NULL|\b[0-9]+\b|\bs[0-9]+_x[0-9]+\b", "?", query["sql"])
        for query in queries.captured_queries
    ]
