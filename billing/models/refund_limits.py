"""What each group of operators may give back, in cents of any currency."""

from django.contrib.auth.models import Group
from django.db import models


class RefundLimit(models.Model):
    """The most that an operator of a group may refund or credit at once, and within 24 hours. Without one: nothing."""

    group = models.OneToOneField(Group, on_delete=models.CASCADE, related_name="refund_limit")
    per_act = models.PositiveIntegerField(help_text="The most that one refund or credit may give, in cents.")
    per_day = models.PositiveIntegerField(help_text="The most that an operator may give in 24 hours, in cents.")

    def __str__(self) -> str:
        return f"refund limit of {self.group}"
