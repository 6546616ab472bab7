"""The base of management commands for one operator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User


class OperatorCommand(BaseCommand, ABC):
    """A command that takes an operator's user name."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument for the user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command for the operator. Raises CommandError if there is none with this name."""
        name = options["username"]
        user = User.objects.filter(username=name, is_staff=True).first()
        if user is None:
            raise CommandError(f"There is no operator named {name}.")
        self.handle_operator(user)

    @abstractmethod
    def handle_operator(self, user: User) -> None:
        """Run the command for this operator."""
