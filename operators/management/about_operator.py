"""What commands about one operator have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User


class OperatorCommand(BaseCommand, ABC):
    """A command that is given an operator's user name."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the operator's user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Act on the operator. Raises CommandError when nobody is named so."""
        name = options["username"]
        user = User.objects.filter(username=name, is_staff=True).first()
        if user is None:
            raise CommandError(f"There is no operator named {name}.")
        self.act(user)

    @abstractmethod
    def act(self, user: User) -> None:
        """Do what the command is for."""
