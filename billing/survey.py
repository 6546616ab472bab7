"""The survey of a cancellation: its questions, and the answers that they have until operators edit them.

The answers are those of docs/specification.md, cancel-9 to cancel-11.
"""

from dataclasses import dataclass

REASONS = (
    "Content is not interesting",
    "Found a better service",
    "Too expensive",
    "Technical Issues",
    "No longer needed",
)
SATISFACTION_LEVELS = ("Very satisfied", "Satisfied", "Neutral", "Dissatisfied", "Very dissatisfied")
DAILY_USAGES = ("Daily", "Several times a week", "Once a week", "A few times a month", "Rarely")

REASON, SATISFACTION, USAGE = "reason", "satisfaction", "usage"
DEFAULT_ANSWERS = {REASON: REASONS, SATISFACTION: SATISFACTION_LEVELS, USAGE: DAILY_USAGES}
LONGEST_ANSWER = 60

# The offers to stay.
PAUSE, FREE_MONTH = "pause", "free_month"
OFFERS = (PAUSE, FREE_MONTH)


@dataclass(frozen=True)
class Survey:
    """A subscriber's answers, and the offer that was shown; empty where unanswered or nothing was offered."""

    reason: str = ""
    satisfaction: str = ""
    usage: str = ""
    offer: str = ""

    @property
    def is_answered(self) -> bool:
        """Return whether any of the three questions was answered."""
        return bool(self.reason or self.satisfaction or self.usage)


EMPTY_SURVEY = Survey()


@dataclass(frozen=True)
class Screen:
    """The screen that a request came from: the code of its brand, and the survey sent with it."""

    brand: str = ""
    survey: Survey = EMPTY_SURVEY


NO_SCREEN = Screen()
