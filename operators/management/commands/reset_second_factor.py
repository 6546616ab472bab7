"""`manage.py reset_second_factor`: let an operator enrol, the first time or after losing the phone."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from operators import second_factor
from operators.people import UnknownOperator, operator_named


class Command(BaseCommand):
    """Takes an operator's second factor away and prints the code that lets them in, once, to enrol a new one."""

    help = "Take an operator's second factor away and print a code to enrol with. It works once, for a day."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the operator's user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do so. Raises CommandError when nobody is named so."""
        try:
            user = operator_named(options["username"])
        except UnknownOperator as error:
            raise CommandError(str(error)) from error
        self.stdout.write(second_factor.start_anew(user))
        self.stderr.write(f"Sign in with it at {settings.BASE_URL}/admin/, once, within a day.")
