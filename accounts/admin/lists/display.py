"""How values are written on pages of the admin: times on the site's clock, and states as pills."""

from __future__ import annotations

from datetime import datetime

from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

NO_VALUE = "-"
# The tones of a pill; a state without one is neutral.
GOOD, WARN, BAD, INFO = "good", "warn", "bad", "info"


def format_instant(at: datetime | None) -> str:
    """Return a time as `Mar 10, 2026, 8:00 AM` on the page's clock, a dash for None."""
    return NO_VALUE if at is None else formats.date_format(timezone.localtime(at), "DATETIME_FORMAT")


def format_day(at: datetime | None) -> str:
    """Return a time's day as `Mar 10, 2026` on the page's clock, a dash for None."""
    return NO_VALUE if at is None else formats.date_format(timezone.localtime(at), "DATE_FORMAT")


def state_pill(text: str, tone: str = "") -> SafeString:
    """Return a state in words, colored by its tone."""
    return format_html('<span class="pill{}">{}</span>', f" pill--{tone}" if tone else "", text)
