"""The survey that comes with a cancellation: its questions' literal options (specification, section 9)."""

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

# What may have been offered instead.
PAUSE, FREE_MONTH = "pause", "free_month"
OFFERS = (PAUSE, FREE_MONTH)


@dataclass(frozen=True)
class Survey:
    """What a subscriber answered, and the offer that was on the screen; empty is unanswered, or no offer."""

    reason: str = ""
    satisfaction: str = ""
    usage: str = ""
    offer: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether any of the three questions was answered."""
        return bool(self.reason or self.satisfaction or self.usage)


NOTHING_SAID = Survey()


@dataclass(frozen=True)
class Screen:
    """Where something was asked for: the code of the brand that was shown, and what was said there."""

    brand: str = ""
    survey: Survey = NOTHING_SAID


NO_SCREEN = Screen()
