"""Limits: who did what how often."""

from django.db import models


class LimitCounter(models.Model):
    """What a limit is kept by: when `key`, its name and its subject, came up lately.

    In the database and not in the cache, so that limits hold across processes and with the cache down.
    """

    key = models.CharField(max_length=320, primary_key=True)
    uses = models.JSONField(
        default=list, db_default=[], help_text="When, in seconds since 1970, the oldest first."
    )
    count = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        # The name that it had when sign-in alone was limited; a release that is being replaced knows it by that.
        db_table = "accounts_signinlimit"

    def __str__(self) -> str:
        return self.key
