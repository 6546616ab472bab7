"""Samples of every mail, which operators preview in the admin.

The code that writes a mail registers its sample here and builds it with the function that writes the real mail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

# The date in the samples.
SAMPLE_TIME = datetime(2026, 12, 10, 15, 30, tzinfo=UTC)

ContextFactory = Callable[[], dict[str, object]]


@dataclass(frozen=True, slots=True)
class MailSample:
    """A sample mail. `name` stands in the preview's URL; `kind` names the templates that `context` fills."""

    name: str
    title: str
    kind: str
    context: ContextFactory


_samples: dict[str, MailSample] = {}


def register_sample(sample: MailSample) -> None:
    """Add a sample to the previews, replacing one of the same name."""
    _samples[sample.name] = sample


def registered_samples() -> list[MailSample]:
    """Return every sample in order of registration."""
    return list(_samples.values())


def find_sample(name: str) -> MailSample | None:
    """Return the sample with this name, or None."""
    return _samples.get(name)
