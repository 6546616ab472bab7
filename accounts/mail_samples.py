"""Samples of every mail, for operators to look at before a subscriber does.

Accounts knows only its own mails: whoever writes others registers a sample of each here, made by the very function that
words it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from accounts import new_sign_in
from accounts.network import Origin

# The day that the samples tell of.
TODAY = datetime(2026, 12, 10, 15, 30, tzinfo=UTC)

Context = Callable[[], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Sample:
    """A mail: its name in the address of its preview, its title for operators, its templates and its content."""

    name: str
    title: str
    kind: str
    context: Context


_samples: dict[str, Sample] = {}


def register(sample: Sample) -> None:
    """Have a mail shown among the previews; a second one of the same name takes the first one's place."""
    _samples[sample.name] = sample


def samples() -> list[Sample]:
    """Give every sample, in the order in which they were registered."""
    return list(_samples.values())


def find(name: str) -> Sample | None:
    """Give the sample of a name, or None."""
    return _samples.get(name)


def _new_sign_in() -> dict[str, object]:
    origin = Origin(address="203.0.113.7", agent="Firefox 145 on Windows")
    return new_sign_in.letter(origin, new_sign_in.BROWSER, TODAY)


register(Sample("sign-in-code", "Sign-in code", "login_code", lambda: {"code": "482913", "minutes": 10}))
register(Sample("new-sign-in", "New sign-in", "receipt", _new_sign_in))
