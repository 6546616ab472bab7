"""Names of browsers, from the User-Agent header, as the app's profile screen shows them."""

from __future__ import annotations

import re

UNRECOGNIZED_BROWSER = "Unrecognized browser"

# The first match counts: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari.
_BROWSERS = {
    "Edge": re.compile(r"\bEdg(e|A|iOS)?/"),
    "Opera": re.compile(r"\bOPR/|\bOpera"),
    "Samsung Internet": re.compile(r"\bSamsungBrowser/"),
    "Firefox": re.compile(r"\bFirefox/|\bFxiOS/"),
    "Chrome": re.compile(r"\bChrome/|\bCriOS/|\bHeadlessChrome/"),
    "Safari": re.compile(r"\bSafari/"),
}
_SYSTEMS = {
    "iPhone": re.compile("iPhone|iPod"),
    "iPad": re.compile("iPad"),
    "Android": re.compile("Android"),
    "Windows": re.compile("Windows"),
    "ChromeOS": re.compile("CrOS"),
    "Mac": re.compile("Mac OS X|Macintosh"),
    "Linux": re.compile("Linux"),
}


def browser_name(agent: str) -> str:
    """Return `Chrome on Windows`, as far as the header tells, or `UNRECOGNIZED_BROWSER`."""
    names = [_first_match(agent, _BROWSERS), _first_match(agent, _SYSTEMS)]
    return " on ".join(name for name in names if name) or UNRECOGNIZED_BROWSER


def _first_match(agent: str, patterns: dict[str, re.Pattern[str]]) -> str:
    return next((name for name, pattern in patterns.items() if pattern.search(agent)), "")
