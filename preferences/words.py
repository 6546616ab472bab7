"""What each kind of email is called and what is in it (specification, section 2)."""

from __future__ import annotations

from dataclasses import dataclass

from accounts import site
from preferences.models import Preference

# The newsletter is this brand's, on whatever host one is.
NEWS_LETTER_BRAND = "faith-family"


@dataclass(frozen=True, slots=True)
class Words:
    """A kind's name and summary."""

    name: str
    summary: str


_WORDS = {
    Preference.NEWS_LETTER: Words("Newsletter", "A weekly newsletter of new episodes and movie titles."),
    Preference.STREAMING: Words(
        "What's Streaming", "A monthly newsletter with season announcements and early access."
    ),
    Preference.PROMOTIONS: Words("Promotions", "Marketing and promotional emails."),
    Preference.BRANDING: Words("Our Other Brands", "Emails about our company's other brands' platforms."),
}


def words_of(preference: Preference) -> Words:
    """Give the words of one kind; the newsletter bears its brand's name as operators spell it."""
    found = _WORDS[preference]
    if preference is not Preference.NEWS_LETTER:
        return found
    brand = site.brand(NEWS_LETTER_BRAND).name
    return Words(f"{brand} {found.name}".strip(), found.summary)
