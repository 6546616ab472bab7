"""`manage.py unlock_operator`: let an operator try again who was wrong too often."""

from accounts.models import User
from operators import lockout, second_factor
from operators.management.about_operator import OperatorCommand


class Command(OperatorCommand):
    """Forgets an operator's failed passwords and codes."""

    help = "Let an operator try again at once who was locked out."

    def act(self, user: User) -> None:
        """Forget them, and say from how many places they came."""
        forgotten = lockout.unlock(user.get_username())
        second_factor.wait_no_longer(user)
        self.stdout.write(
            f"{user} may try again. Failures were counted for {forgotten} addresses and browsers."
        )
