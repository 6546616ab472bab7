"""`manage.py reset_second_factor`: let an operator enrol, the first time or after losing the phone."""

from django.conf import settings

from accounts.models import User
from operators import second_factor
from operators.management.about_operator import OperatorCommand


class Command(OperatorCommand):
    """Takes an operator's second factor away and prints the code that lets them in, once, to enrol a new one."""

    help = "Take an operator's second factor away and print a code to enrol with. It works once, for a day."

    def act(self, user: User) -> None:
        """Print the code, which can be kept by itself, and where to sign in with it."""
        self.stdout.write(second_factor.start_anew(user))
        self.stderr.write(f"Sign in with it at {settings.BASE_URL}/admin/, once, within a day.")
