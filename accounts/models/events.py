"""The activity of an account, which its subscriber can read. Rows are added and never changed."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.utils import timezone

from accounts.models.users import Account

MAX_TEXT_LENGTH = 500
MAX_REASON_LENGTH = 300


class AppendOnlyViolation(Exception):
    """Code tried to change or delete a row of an append-only table: a programming error."""


class AccountEventQuerySet(models.QuerySet["AccountEvent"]):
    """A queryset that refuses updates and deletes."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Raise `AppendOnlyViolation`."""
        raise AppendOnlyViolation("An account's events are never changed.")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise `AppendOnlyViolation`."""
        raise AppendOnlyViolation("An account's events are never changed.")

    def delete(self) -> NoReturn:
        """Raise `AppendOnlyViolation`."""
        raise AppendOnlyViolation("An account's events are never deleted.")


class AccountEvent(models.Model):
    """An entry of the account's activity, in words for the subscriber. Only erasing the account deletes it.

    `actor` is `you`, `support:<user name>` or `system`. `at` is when it happened, which for billing is billing time.
    `reason` is why an operator did it, which only operators read.
    """

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    kind = models.CharField(max_length=60)
    text = models.CharField(max_length=MAX_TEXT_LENGTH)
    actor = models.CharField(max_length=170)
    reason = models.CharField(max_length=MAX_REASON_LENGTH, blank=True, db_default="")
    recorded_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[AccountEvent]] = AccountEventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["account", "-at", "-id"], name="account_event_newest"),
            # The filters of the operators' list.
            models.Index(fields=["kind", "id"], name="account_event_kind"),
            models.Index(fields=["at"], name="account_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the event. Raises `AppendOnlyViolation` if it is already stored."""
        if not self._state.adding:
            raise AppendOnlyViolation("An account's events are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise `AppendOnlyViolation`."""
        raise AppendOnlyViolation("An account's events are never deleted.")
