"""Who may sign in: the principal and, for a subscriber, the account."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.addresses import normalise_email
from accounts.models.site import Brand


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox has no types
    """The principal of a request: an operator, who has a password, or a subscriber, who has an `Account`."""


class AccountManager(models.Manager["Account"]):
    """Opens and finds accounts by address."""

    def open(self, *, email: str, first_name: str = "", last_name: str = "") -> Account:
        """Give the account of this address, made with these names if there is none yet.

        Safe to call twice and at once. Raises `accounts.addresses.InvalidAddress`.
        """
        address = normalise_email(email)
        found = self.of_address(address)
        return found or self._insert(address, first_name, last_name)

    def of_address(self, email: str) -> Account | None:
        """Give the account of an address in its normalised spelling, if the portal knows it."""
        return self.select_related("user").filter(email=email).first()

    def _insert(self, address: str, first_name: str, last_name: str) -> Account:
        try:
            with transaction.atomic():
                # The principal's name is opaque: the address lives in one place only, the account.
                user = User(username=f"subscriber-{uuid.uuid4().hex}")
                user.set_unusable_password()
                user.save()
                return self.create(
                    user=user, email=address, first_name=first_name[:100], last_name=last_name[:100]
                )
        except IntegrityError:
            return self.select_related("user").get(email=address)


class Account(models.Model):
    """A subscriber, as the portal knows them: the address that was proved, and the profile.

    A birthday is a month and a day; 0 in both is unset (specification, section 3). `brand` is the one that the account
    last signed in at: its mails are that brand's.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="account")
    email = models.EmailField("email address", unique=True)
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
        help_text="The one last signed in at; mails are in its name, colours and links.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[AccountManager] = AccountManager()

    class Meta:
        ordering = ["email"]
        permissions = [
            ("export_account", "Can export accounts"),
            ("sign_out_account", "Can sign an account out everywhere"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(email=Lower("email")), name="account_email_is_lower_case"),
            models.CheckConstraint(
                condition=Q(birth_month=0, birth_day=0)
                | Q(birth_month__range=(1, 12), birth_day__range=(1, 31)),
                name="account_birthday_is_whole_or_unset",
            ),
        ]

    def __str__(self) -> str:
        return self.email

    @property
    def name(self) -> str:
        """The full name, or nothing while neither part is known."""
        return f"{self.first_name} {self.last_name}".strip()
