"""What each group of operators may give back, and what each operator has given lately, in cents of any currency."""

from django.contrib.auth.models import Group
from django.db import models

from accounts.models import User
from billing.models.commands import Command


class RefundLimit(models.Model):
    """The most that an operator of a group may refund or credit at once, and within 24 hours. Without one: nothing."""

    group = models.OneToOneField(Group, on_delete=models.CASCADE, related_name="refund_limit")
    per_act = models.PositiveIntegerField(help_text="The most that one refund or credit may give, in cents.")
    per_day = models.PositiveIntegerField(help_text="The most that an operator may give in 24 hours, in cents.")

    def __str__(self) -> str:
        return f"refund limit of {self.group}"


class RefundGrant(models.Model):
    """A refund or credit that counts toward its operator's limit, until 24 hours have passed.

    It outlives its command, which is deleted when the account is erased.
    """

    operator = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    command = models.OneToOneField(Command, on_delete=models.SET_NULL, null=True, related_name="+")
    amount = models.PositiveIntegerField(help_text="In cents.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["operator", "created_at"], name="refund_grant_by_operator")]

    def __str__(self) -> str:
        return f"{self.amount} by {self.operator}"
