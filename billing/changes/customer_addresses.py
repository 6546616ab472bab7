"""Correct a subscriber's email address at the provider, as operators do (docs/rules.md, rule 18)."""

from dataclasses import dataclass
from datetime import datetime

from billing.commands.command_kind import CommandKind
from billing.commands.confirmation import Change, NoChange, Preview
from billing.commands.intents import require_customer
from billing.models import Command
from billing.models.commands import CORRECT_ADDRESS
from billing.models.steps import Step, StepOperation, account_step
from core.email_addresses import InvalidAddress, normalize_email
from core.errors import InvalidInput


@dataclass(frozen=True)
class CorrectAddress(Change):
    """The change of the customer's email address: the write of the customer tells both addresses by mail."""

    address: str

    def preview(self, now: datetime) -> None:
        """Check the address. Raises NotFound, InvalidInput, and NoChange if the customer has it already."""
        if self.normalized_address == require_customer(self.account).email:
            raise NoChange

    def plan_steps(self, command: Command, preview: Preview | None) -> list[Step]:
        """Return the step."""
        customer = require_customer(self.account).provider_id
        return [account_step(StepOperation.CHANGE_ADDRESS, customer=customer, email=self.normalized_address)]

    @property
    def normalized_address(self) -> str:
        """The address as the portal compares it. Raises InvalidInput."""
        try:
            return normalize_email(self.address)
        except InvalidAddress as error:
            raise InvalidInput(fields={"address": [str(error)]}) from error


CORRECT = CommandKind(CORRECT_ADDRESS)
