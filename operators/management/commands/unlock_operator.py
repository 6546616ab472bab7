"""`manage.py unlock_operator`: lift an operator's lockout."""

from accounts.models import User
from operators import lockout, second_factor
from operators.management.operator_command import OperatorCommand


class Command(OperatorCommand):
    """Deletes an operator's failed passwords and codes."""

    help = "Let an operator try again at once who was locked out."

    def handle_operator(self, user: User) -> None:
        """Delete them, and print from how many addresses and browsers they came."""
        deleted = lockout.unlock_operator(user.get_username())
        second_factor.reset_throttling(user)
        self.stdout.write(f"{user} may try again. Failures were counted for {deleted} addresses and browsers.")
