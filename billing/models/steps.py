"""The steps of a command: each is one call to the provider, stored as JSON in the command's row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from django.db import models
from django.db.models.expressions import Col


class StepState(StrEnum):
    """The state of a step."""

    WAITING = "waiting"
    SENT = "sent"  # the provider may have received it, and may have done it
    DONE = "done"
    SKIPPED = "skipped"  # not needed, or refused where that does not stop the command
    FAILED = "failed"


# Fields that are stored even if they have their default; every other field only if it differs from these values.
ALWAYS_STORED = ("operation", "subscription_id", "arguments", "state", "attempt", "result")
UNSET: tuple[Any, ...] = (None, [], "", False)


class StepOperation(StrEnum):
    """What a step does; `OPERATIONS` in `billing/commands/operations.py` has the implementation of each."""

    START_SUBSCRIPTION = "start"
    CHANGE_NOW = "change_now"
    CHANGE_AT_TERM_END = "change_at_term_end"
    REMOVE_SCHEDULED_CHANGE = "remove_scheduled_change"
    PAUSE = "pause"
    REMOVE_SCHEDULED_PAUSE = "remove_scheduled_pause"
    RESUME = "resume"
    CANCEL_AT_TERM_END = "cancel_at_term_end"
    CANCEL_NOW = "cancel_now"
    SET_PAUSE_ASIDE = "set_pause_aside"
    SET_CHANGE_ASIDE = "set_change_aside"
    KEEP = "keep"
    RESTORE_PAUSE = "restore_pause"
    RESTORE_CHANGE = "restore_change"
    SWAP_COUPONS = "swap_coupons"
    ADD_SOURCE = "add_source"
    DESCRIBE_CARD = "describe_card"
    UPDATE_CARD = "update_card"
    ASSIGN_ROLE = "take_role"
    COLLECT = "collect"
    COLLECT_AUTHORIZED = "collect_authorized"
    MAKE_PAYER_PRIMARY = "make_payer_primary"
    KEEP_ONE = "keep_one"
    REMOVE_DUPLICATE = "remove_twin"
    REASSIGN_SUBSCRIPTION = "take_subscription"
    REMOVE_SOURCE = "remove_source"
    CHANGE_ADDRESS = "change_address"
    REFUND_INVOICE = "refund_invoice"
    CREDIT_INVOICE = "credit_invoice"
    ADD_PROMOTIONAL_CREDIT = "add_promotional_credit"


@dataclass(frozen=True)
class ResultOf:
    """A placeholder among a step's arguments for the result of the step at `index` of the same command."""

    index: int


@dataclass(frozen=True)
class Step:
    """One call to the provider, with its state.

    `operation` is a `StepOperation`. `subscription_id` is the provider's, empty for a step of the account. `begun_at`
    is when the step was first sent since its command was opened or reopened (billing's time). `attempt` counts its
    idempotency keys, and `renewed_at` has the times of the new ones. `result` is for later steps and the response.
    `invoice_id` is the invoice that the step has made, if any. `is_in_doubt`: the provider may have received it, but
    does not show it done. `has_receipt`: a receipt of a part of the command includes it.
    """

    operation: str
    subscription_id: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    state: StepState = StepState.WAITING
    attempt: int = 0
    begun_at: datetime | None = None
    renewed_at: tuple[datetime, ...] = ()
    result: Any = None
    invoice_id: str = ""
    error_code: str = ""
    is_in_doubt: bool = False
    has_receipt: bool = False

    @property
    def is_done(self) -> bool:
        """Whether the provider has done the step."""
        return self.state == StepState.DONE

    @property
    def has_ended(self) -> bool:
        """Whether the step is done or skipped, so that the next one can run."""
        return self.state in (StepState.DONE, StepState.SKIPPED)

    def to_json(self) -> dict[str, Any]:
        """Return the step as it is stored, without the fields that have their default."""
        stored = {
            "operation": str(self.operation),
            "subscription_id": self.subscription_id,
            "arguments": {
                name: {"result_of": value.index} if isinstance(value, ResultOf) else value
                for name, value in self.arguments.items()
            },
            "state": str(self.state),
            "attempt": self.attempt,
            "begun_at": int(self.begun_at.timestamp()) if self.begun_at else None,
            "renewed_at": [int(at.timestamp()) for at in self.renewed_at],
            "result": self.result,
            "invoice_id": self.invoice_id,
            "error_code": self.error_code,
            "is_in_doubt": self.is_in_doubt,
            "has_receipt": self.has_receipt,
        }
        return {name: value for name, value in stored.items() if name in ALWAYS_STORED or value not in UNSET}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Step:
        """Return the step that `to_json` stored."""
        begun_at = stored.get("begun_at")
        return cls(
            operation=stored["operation"],
            subscription_id=stored.get("subscription_id", ""),
            arguments={
                name: ResultOf(value["result_of"]) if isinstance(value, dict) and "result_of" in value else value
                for name, value in stored.get("arguments", {}).items()
            },
            state=StepState(stored.get("state", StepState.WAITING)),
            attempt=stored.get("attempt", 0),
            begun_at=_from_timestamp(begun_at) if begun_at is not None else None,
            renewed_at=tuple(map(_from_timestamp, stored.get("renewed_at", ()))),
            result=stored.get("result"),
            invoice_id=stored.get("invoice_id", ""),
            error_code=stored.get("error_code", ""),
            is_in_doubt=stored.get("is_in_doubt", False),
            has_receipt=stored.get("has_receipt", False),
        )


class StepsField(models.JSONField):
    """A list of steps, stored as JSON. Only this field reads and writes their stored form."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return the steps; for a lookup inside the JSON, its raw value."""
        stored = super().from_db_value(value, expression, connection)
        return [Step.from_json(step) for step in stored] if isinstance(expression, Col) and stored else stored

    def get_prep_value(self, value: Any) -> Any:
        """Return the JSON of steps."""
        if isinstance(value, list | tuple):
            value = [step.to_json() if isinstance(step, Step) else step for step in value]
        return super().get_prep_value(value)


def subscription_step(operation: StepOperation, subscription_id: str, **arguments: Any) -> Step:
    """Return a waiting step of a subscription; its arguments must be JSON values."""
    return Step(operation, subscription_id, arguments)


def account_step(operation: StepOperation, **arguments: Any) -> Step:
    """Return a waiting step of the account; an argument may be the `ResultOf` an earlier step."""
    return Step(operation, arguments=arguments)


def resolve_arguments(steps: Sequence[Step], index: int) -> dict[str, Any]:
    """Return the arguments of the step at `index`, with the results of earlier steps in place of `ResultOf`."""
    return {
        name: steps[value.index].result if isinstance(value, ResultOf) else value
        for name, value in steps[index].arguments.items()
    }


def step_results(steps: Sequence[Step], *operations: str) -> list[Any]:
    """Return the results of the steps with these operations, in order; skipped steps have none."""
    return [step.result for step in steps if step.operation in operations and step.result is not None]


def _from_timestamp(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)
