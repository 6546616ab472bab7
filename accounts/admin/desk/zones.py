"""The clock of an account's admin page: the site's, or the one where the caller is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import QueryDict

from accounts.admin.desk.timeline import ZONE
from accounts.brands import site

# Where most callers are, from east to west.
USUAL_ZONES = (
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Phoenix",
    "America/Los_Angeles",
    "America/Anchorage",
    "Pacific/Honolulu",
)
_AREAS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


@dataclass(frozen=True)
class ZoneOption:
    """A time zone that can be chosen."""

    name: str
    label: str
    is_chosen: bool


class ZoneChoice:
    """The time zone that a page's parameters choose; the site's if they choose none or an unknown one."""

    def __init__(self, parameters: QueryDict) -> None:
        self.site_zone = site.site_settings().time_zone
        asked = parameters.get(ZONE, "")
        self.name = asked if asked in (*USUAL_ZONES, *_all_zones()) else self.site_zone
        # A page that changes its clock keeps what it shows.
        self.kept = [(name, value) for name, value in parameters.items() if name != ZONE]

    @property
    def current(self) -> ZoneInfo:
        """The chosen zone."""
        return ZoneInfo(self.name)

    @property
    def label(self) -> str:
        """The name of the chosen zone."""
        return zone_label(self.name)

    @property
    def site_label(self) -> str:
        """The name of the site's zone."""
        return zone_label(self.site_zone)

    @property
    def is_site_zone(self) -> bool:
        """Whether the page has the site's clock, on which bills are made."""
        return self.name == self.site_zone

    @property
    def groups(self) -> Iterator[tuple[str, list[ZoneOption]]]:
        """The zones to choose from, the site's first."""
        yield "The site", [self._option(self.site_zone)]
        yield "United States", [self._option(name) for name in USUAL_ZONES if name != self.site_zone]
        others = (name for name in _all_zones() if name not in USUAL_ZONES and name != self.site_zone)
        yield "Elsewhere", [self._option(name) for name in others]

    def _option(self, name: str) -> ZoneOption:
        return ZoneOption(name, zone_label(name), name == self.name)


def zone_label(name: str) -> str:
    """Return a zone's name without underscores."""
    return name.replace("_", " ")


@cache
def _all_zones() -> tuple[str, ...]:
    named = (name for name in available_timezones() if name.partition("/")[0] in _AREAS)
    return (*sorted(named), "UTC")
