"""What happened to an account, told to its owner. Rows are added and never changed."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.utils import timezone

from accounts.models.people import Account


class AppendOnly(Exception):
    """Somebody tried to change or delete what may only be added to. It is a mistake in the program."""


class AccountEventQuerySet(models.QuerySet["AccountEvent"]):
    """Reads and adds; everything else is refused."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Raise `AppendOnly`."""
        raise AppendOnly("An account's events are never changed.")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise `AppendOnly`."""
        raise AppendOnly("An account's events are never changed.")

    def delete(self) -> NoReturn:
        """Raise `AppendOnly`."""
        raise AppendOnly("An account's events are never deleted.")


class AccountEvent(models.Model):
    """One thing that happened, in words for the subscriber. It goes only when the whole account is erased.

    `actor` is `you`, `support:<user name>` or `system`; `at` is what the clock of the thing itself said.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    kind = models.CharField(max_length=60)
    text = models.CharField(max_length=500)
    actor = models.CharField(max_length=170)
    recorded_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[AccountEvent]] = AccountEventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["account", "-at", "-id"], name="account_event_newest")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the event. Raises `AppendOnly` when it is already stored."""
        if not self._state.adding:
            raise AppendOnly("An account's events are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise `AppendOnly`."""
        raise AppendOnly("An account's events are never deleted.")
