"""Places at which a test may have the process killed: between what is one for a subscriber and is not one for us.

Between the provider's answer and our commit, between a mail handed over and the note that it was, a process may die,
and what was begun must be finished, once. Nothing happens at these places unless `arm` was called, which the settings
of tests do and the portal's do not.
"""

from __future__ import annotations

from collections.abc import Callable

POINTS = (
    "command intended",  # its row is committed, nothing was asked
    "step begun",  # it is committed that it will be asked, it was not
    "step answered",  # the provider has answered, nothing of it is kept
    "step refused",  # the provider has refused, nothing of it is kept
    "step applied",  # its effects are committed, the next one is not begun
    "message due",  # its row is committed, it was not published
    "event claimed",  # a worker has it, nothing was read
    "event applied",  # what it names was read and is kept, and not that it was
    "job claimed",  # a worker has the slot, nothing was done
    "job worked",  # it is done, and not yet noted that it is
    "mail claimed",  # a worker has it, it was not sent
    "mail sent",  # the mail server took it, and it is not noted
    "invoice claimed",  # a worker has it, nothing was drawn
    "invoice stored",  # its file is there, and its row knows nothing of it
)

_act: Callable[[str], None] | None = None


def arm(act: Callable[[str], None]) -> None:
    """Have something done at each point from now on, given the point's name."""
    global _act  # noqa: PLW0603  (one for the process, as the points are)
    _act = act


def disarm() -> None:
    """Have nothing done at any point, as in production."""
    global _act  # noqa: PLW0603
    _act = None


def reached(point: str) -> None:
    """Say that the process is at a point, one of `POINTS`."""
    if _act is not None:
        _act(point)
