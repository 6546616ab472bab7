"""What a change of payment methods has added, replaced and collected, by the steps of its command."""

from billing.models import Command
from billing.models.steps import StepOperation, step_results


def collected_cents(command: Command) -> int:
    """Return what a command collected, in cents."""
    return sum(step_results(command.steps, StepOperation.COLLECT, StepOperation.COLLECT_AUTHORIZED))


def added_source_id(command: Command) -> str | None:
    """Return the id of the source that a command added; None if it added none."""
    added = step_results(command.steps, StepOperation.ADD_SOURCE)
    return str(added[0]) if added else None


def kept_source_id(command: Command) -> str | None:
    """Return the id of the source that an addition ended with: the new one or the one it duplicates; else None."""
    kept = step_results(command.steps, StepOperation.KEEP_ONE)
    return str(kept[0]) if kept else added_source_id(command)


def replaced_source_id(command: Command) -> str | None:
    """Return the id of the source that a command replaces, which is removed last; None if it replaces none."""
    removals = [
        str(step.arguments["source"]) for step in command.steps if step.operation == StepOperation.REMOVE_SOURCE
    ]
    return removals[-1] if removals and added_source_id(command) else None


def has_touched_source(command: Command, source_id: str) -> bool:
    """Return whether a done step of a command concerned a source or had it as its result."""
    return any(source_id in (step.arguments.get("source"), step.result) for step in command.steps if step.is_done)


def invoice_ids_to_collect(command: Command, *, done: bool = False) -> list[str]:
    """Return the numbers of the invoices that a command collects; with `done`, of those that it has tried."""
    steps = [step for step in command.steps if step.is_done or not done]
    return [
        *(step.arguments["invoice"] for step in steps if step.operation == StepOperation.COLLECT),
        *(
            number
            for step in steps
            if step.operation == StepOperation.COLLECT_AUTHORIZED
            for number in step.arguments["due"]
        ),
    ]


def charged_invoice_ids(command: Command) -> list[str]:
    """Return the numbers of the invoices that a command has made or collected."""
    made = [step.invoice_id for step in command.steps if step.invoice_id]
    collected = invoice_ids_to_collect(command, done=True) if collected_cents(command) else []
    return list(dict.fromkeys([*made, *collected]))
