"""The name and the summary of each kind of email, as the specification words them."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.brands import site
from preferences.models import Preference

# The newsletter is this brand's on every host.
NEWS_LETTER_BRAND = "faith-family"


@dataclass(frozen=True, slots=True)
class PreferenceText:
    """The name and the summary of a kind of email."""

    name: str
    summary: str


_TEXTS = {
    Preference.NEWS_LETTER: PreferenceText("Newsletter", "A weekly newsletter of new episodes and movie titles."),
    Preference.STREAMING: PreferenceText(
        "What's Streaming", "A monthly newsletter with season announcements and early access."
    ),
    Preference.PROMOTIONS: PreferenceText("Promotions", "Marketing and promotional emails."),
    Preference.BRANDING: PreferenceText("Our Other Brands", "Emails about our company's other brands' platforms."),
}


def preference_text(preference: Preference) -> PreferenceText:
    """Return the text of a kind of email; the newsletter's name begins with its brand's."""
    text = _TEXTS[preference]
    if preference is not Preference.NEWS_LETTER:
        return text
    brand = site.brand_for_code(NEWS_LETTER_BRAND).name
    return PreferenceText(f"{brand} {text.name}".strip(), text.summary)
