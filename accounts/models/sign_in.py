"""Sign-in by code: the challenges and the log."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models.outbox import OutgoingMail
from accounts.models.users import Account

MAX_TRIES = 5  # per challenge (docs/rules.md, rule 13)


class LoginChallenge(models.Model):
    """A request for a sign-in code. The row is the same whether or not an account has the address.

    `email` is normalized, `typed_email` as it was typed: the billing provider may compare addresses with their case.

    The code is created when its mail is sent, for the `account` that the address signs in to at that time, and stored
    as a salted hash of a peppered value. `code_hash` is empty until then, and stays empty if there is no account.

    `tries` counts the attempts that name the challenge, `blind_tries` those that do not. Only the browser that
    requested the code knows the challenge's id, so a stranger who knows the address cannot use up the owner's tries.

    `known_browser` is the id of the browser that requested it, if it has signed in to the address before. A challenge
    with `shares_code_of` has no mail: its code is the other's.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField()
    typed_email = models.EmailField(blank=True)
    account = models.ForeignKey(
        Account, on_delete=models.CASCADE, null=True, blank=True, related_name="login_challenges"
    )
    code_hash = models.CharField(max_length=128, blank=True)
    mail = models.OneToOneField(
        OutgoingMail, on_delete=models.SET_NULL, null=True, blank=True, related_name="challenge"
    )
    shares_code_of = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="shared_by"
    )
    known_browser = models.CharField(max_length=32, blank=True, default="", db_default="")
    network = models.CharField(max_length=45, blank=True)
    agent = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)
    blind_tries = models.PositiveSmallIntegerField(default=0)
    used_at = models.DateTimeField(null=True, blank=True)
    lapsed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["email", "-created_at"], name="login_challenge_newest")]
        constraints = [
            models.CheckConstraint(
                condition=Q(tries__lte=MAX_TRIES, blind_tries__lte=MAX_TRIES),
                name="login_challenge_has_five_tries",
            )
        ]

    def __str__(self) -> str:
        return f"code asked for by {self.email}"

    @property
    def code_holder(self) -> LoginChallenge:
        """Return the challenge whose code is the right one: another's, if it shares that."""
        return self.shares_code_of or self


class SignInEvent(models.Model):
    """An entry of the sign-in log, kept for 13 months (docs/rules.md, rule 17). It never holds a code or a token."""

    class Kind(models.TextChoices):
        """The outcome of an attempt."""

        SENT = "sent", "code sent"
        OK = "ok", "signed in"
        FAILED = "failed", "wrong or used code"
        LIMITED = "limited", "over a limit"

    at = models.DateTimeField(default=timezone.now, db_index=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    email = models.EmailField(db_index=True)
    account = models.ForeignKey(
        Account, on_delete=models.SET_NULL, null=True, blank=True, related_name="sign_in_events"
    )
    network = models.CharField("network address", max_length=45, blank=True)
    agent = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = "sign-in event"
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["network"], name="sign_in_event_network"),
            # The few that operators look for.
            models.Index(fields=["kind"], condition=Q(kind__in=("failed", "limited")), name="sign_in_event_refused"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.email}"
