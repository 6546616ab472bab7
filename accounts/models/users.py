"""Users: operators, and subscribers with their accounts."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models.site import Brand
from core.email_addresses import usable_address

# The user names of subscribers, random after this.
SUBSCRIBER_PREFIX = "subscriber-"


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox has no types
    """An operator, who has a password, or a subscriber, who has an `Account`."""

    class Meta(AbstractUser.Meta):
        # The few operators among all subscribers, and the few who may not sign in.
        indexes = [
            models.Index(fields=["id"], condition=Q(is_active=False), name="user_inactive"),
            models.Index(
                fields=["username"], condition=~Q(username__startswith=SUBSCRIBER_PREFIX), name="user_operators"
            ),
        ]

    def clean(self) -> None:
        """Refuse an operator's name that would hide them among the subscribers. Raises ValidationError."""
        super().clean()
        if self.username.startswith(SUBSCRIBER_PREFIX):
            raise ValidationError(
                {"username": f"Names that begin with “{SUBSCRIBER_PREFIX}” are those of subscribers."}
            )


class AccountManager(models.Manager["Account"]):
    """Creates accounts."""

    @transaction.atomic
    def open_account(self, *, email: str, first_name: str = "", last_name: str = "") -> Account:
        """Create an account with its user; an address that the portal does not accept is stored as empty."""
        # The user name is random, so that the address is stored in the account alone.
        user = User(username=f"{SUBSCRIBER_PREFIX}{uuid.uuid4().hex}")
        user.set_unusable_password()
        user.save()
        return self.create(
            user=user, email=usable_address(email), first_name=first_name[:100], last_name=last_name[:100]
        )


class Account(models.Model):
    """A subscriber's email address and profile.

    Accounts can share an address, because customers of the billing provider can (decision 28). An empty one signs
    nobody in and gets no mail. A birthday is a month and a day, or 0 in both if it is not set. `brand` is where the
    subscriber last signed in, and mails carry its name and colors.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="account")
    email = models.EmailField("email address", blank=True, db_index=True)
    first_name = models.CharField(max_length=100, blank=True)
    last_name = models.CharField(max_length=100, blank=True)
    birth_month = models.PositiveSmallIntegerField(default=0)
    birth_day = models.PositiveSmallIntegerField(default=0)
    brand = models.ForeignKey(
        Brand,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The brand of the last sign-in. Emails use its name, colors, and links.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[AccountManager] = AccountManager()

    class Meta:
        ordering = ["email"]
        permissions = [
            ("export_account", "Can export accounts"),
            ("sign_out_account", "Can sign an account out everywhere"),
        ]
        # For the operators' search and the counts of their front page.
        indexes = [
            models.Index(Lower("first_name"), name="account_first_name"),
            models.Index(Lower("last_name"), name="account_last_name"),
            models.Index(fields=["-created_at"], name="account_newest"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(email=Lower("email")), name="account_email_is_lower_case"),
            models.CheckConstraint(
                condition=Q(birth_month=0, birth_day=0) | Q(birth_month__range=(1, 12), birth_day__range=(1, 31)),
                name="account_birthday_is_whole_or_unset",
            ),
        ]

    def __str__(self) -> str:
        return self.email or f"account {self.pk} without an address"

    @property
    def name(self) -> str:
        """The full name, empty if neither part is known."""
        return f"{self.first_name} {self.last_name}".strip()
