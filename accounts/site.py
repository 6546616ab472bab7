"""The site's settings, its brands and services, as operators set them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from accounts.models import Brand, SiteSettings, StreamingService


@dataclass(frozen=True, slots=True)
class Site:
    """What the app needs to draw itself; the first three start the provider's script."""

    site_name: str
    publishable_key: str
    chargebee_js_url: str
    support_widget_url: str
    clock_offset: int
    settings: SiteSettings
    brand: Brand
    services: list[StreamingService]

    @property
    def support_widget(self) -> dict[str, str] | None:
        """The support widget's script; None where the installation has none."""
        return {"script_url": self.support_widget_url} if self.support_widget_url else None


_offsets: list[Callable[[], timedelta]] = []


def follow_clock(offset: Callable[[], timedelta]) -> None:
    """Have the app tell days by a clock that is this far ahead of the real time, in place of any before it."""
    _offsets[:] = [offset]


def _clock_offset() -> int:
    return sum(int(offset().total_seconds()) for offset in _offsets)


def site_for_host(host: str) -> Site:
    """Give the site as it is on a host name."""
    return Site(
        site_name=settings.CHARGEBEE_SITE,
        publishable_key=settings.CHARGEBEE_PUBLISHABLE_KEY,
        chargebee_js_url=settings.CHARGEBEE_JS_URL,
        support_widget_url=settings.SUPPORT_WIDGET_URL,
        clock_offset=_clock_offset(),
        settings=site_settings(),
        brand=brand_for_host(host),
        services=streaming_services(),
    )


class _Held:
    """What operators set, each part read when it is first asked for."""

    @cached_property
    def settings(self) -> SiteSettings:
        return SiteSettings.objects.get_or_create(pk=1)[0]

    @cached_property
    def default_brand(self) -> Brand:
        return Brand.objects.filter(is_default=True).first() or _nameless("")


_held: ContextVar[_Held | None] = ContextVar("held", default=None)


@contextmanager
def read_once() -> Iterator[None]:
    """Have settings and default brand read once for all that a block does, as a night's mails have many dates in them.

    What operators change meanwhile counts from the next block on. Threads that are given this context share it.
    """
    token = _held.set(_Held())
    try:
        yield
    finally:
        _held.reset(token)


def site_settings() -> SiteSettings:
    """Give the one row of settings, made with its defaults on first use."""
    return (_held.get() or _Held()).settings


def brand_for_host(host: str) -> Brand:
    """Give the brand of a host name, in any case and with or without a port; the default brand for any other.

    Where no brand is the default yet, a nameless one without links is given, so that the portal still draws.
    """
    name = _without_port(host).casefold()
    brands = list(Brand.objects.all())
    claimed = next((one for one in brands if name in one.host_names), None)
    return claimed or next((one for one in brands if one.is_default), None) or _nameless("")


def brand(code: str) -> Brand:
    """Give the brand of a code, compared without case; for an unknown code one with empty links (rule 14)."""
    return Brand.objects.filter(code__iexact=code).first() or _nameless(code)


def address_of(brand: Brand) -> str:
    """Give where a brand's subscribers open the portal: at a host name of its own, if the portal answers to one."""
    if brand.is_default or urlsplit(settings.BASE_URL).hostname in brand.host_names:
        return settings.BASE_URL
    served = (host for host in brand.host_names if validate_host(host, settings.ALLOWED_HOSTS))
    host = next(served, None)
    return settings.BASE_URL if host is None else address_at(host)


def address_at(host: str) -> str:
    """Give the portal's address at a host name; scheme and port are those at which it is opened."""
    base = urlsplit(settings.BASE_URL)
    return base._replace(netloc=f"{host}:{base.port}" if base.port else host).geturl()


def default_brand() -> Brand:
    """Give the brand that stands for the whole portal, in mails to who has none."""
    return (_held.get() or _Held()).default_brand


def streaming_services() -> list[StreamingService]:
    """Give the streaming services in the order operators put them."""
    return list(StreamingService.objects.all())


def _nameless(code: str) -> Brand:
    return Brand(code=code, name="")


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
