"""`manage.py reset_second_factor`: let an operator enroll an app, the first time or after losing the phone."""

from django.conf import settings

from accounts.models import User
from operators import second_factor
from operators.management.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Resets an operator's second factor and prints the first code to enroll with."""

    help = "Take an operator's second factor away and print a code to enrol with. It works once, for a day."

    def handle_operator(self, user: User) -> None:
        """Print the code to stdout and the instructions to stderr."""
        self.stdout.write(second_factor.reset_second_factor(user))
        self.stderr.write(f"Sign in with it at {settings.BASE_URL}/admin/, once, within a day.")
