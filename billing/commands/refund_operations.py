"""The functions of `OPERATIONS` for refunds and credits: a step's record at the provider has its reference."""

from collections.abc import Sequence
from typing import Any

from billing.gateway.refunds import find_note, find_promotional_credit
from billing.gateway.snapshots import Snapshot


def is_noted(snapshots: Sequence[Snapshot], *, reference: str, **_: Any) -> bool:
    """Whether there is a credit note with the step's reference."""
    return find_note(snapshots, reference) is not None


def note_number(snapshots: Sequence[Snapshot], *, reference: str, **_: Any) -> str:
    """Return the number of the step's credit note."""
    note = find_note(snapshots, reference)
    return note.id if note else ""


def is_credited(snapshots: Sequence[Snapshot], *, reference: str, **_: Any) -> bool:
    """Whether the promotional credits have an entry with the step's reference."""
    return find_promotional_credit(snapshots, reference) is not None
