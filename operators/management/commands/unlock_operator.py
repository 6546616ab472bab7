"""`manage.py unlock_operator`: let an operator try again who was wrong too often."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operators import lockout, second_factor
from operators.people import UnknownOperator, operator_named


class Command(BaseCommand):
    """Forgets an operator's failed passwords and codes."""

    help = "Let an operator try again at once who was locked out."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the operator's user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do so. Raises CommandError when nobody is named so."""
        try:
            user = operator_named(options["username"])
        except UnknownOperator as error:
            raise CommandError(str(error)) from error
        forgotten = lockout.unlock(user.get_username())
        second_factor.wait_no_longer(user)
        self.stdout.write(
            f"{user} may try again. Failures were counted for {forgotten} addresses and browsers."
        )
