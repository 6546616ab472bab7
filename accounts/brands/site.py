"""The site's settings, brands and streaming services, as operators configure them."""

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
class SupportWidget:
    """The URL of the support widget's script."""

    script_url: str


@dataclass(frozen=True, slots=True)
class Site:
    """What the app needs to render its first page; the first three fields start Chargebee.js."""

    site_name: str
    publishable_key: str
    chargebee_js_url: str
    paypal_offered: bool
    support_widget: SupportWidget | None
    clock_offset: int
    settings: SiteSettings
    brand: Brand
    services: list[StreamingService]


_clock_offsets: list[Callable[[], timedelta]] = []


def register_clock_offset(offset: Callable[[], timedelta]) -> None:
    """Set how far the clock that the app shows dates by is ahead of real time."""
    _clock_offsets[:] = [offset]


def _clock_offset_seconds() -> int:
    return sum(int(offset().total_seconds()) for offset in _clock_offsets)


def site_for_host(host: str) -> Site:
    """Return the site as it is served on a host name."""
    return Site(
        site_name=settings.CHARGEBEE_SITE,
        publishable_key=settings.CHARGEBEE_PUBLISHABLE_KEY,
        chargebee_js_url=settings.CHARGEBEE_JS_URL,
        paypal_offered=settings.CHARGEBEE_PAYPAL_GATEWAY != "none",
        support_widget=SupportWidget(settings.SUPPORT_WIDGET_URL) if settings.SUPPORT_WIDGET_URL else None,
        clock_offset=_clock_offset_seconds(),
        settings=site_settings(),
        brand=brand_for_host(host),
        services=streaming_services(),
    )


class _SiteCache:
    """Settings and default brand, each read on first access."""

    @cached_property
    def settings(self) -> SiteSettings:
        return SiteSettings.objects.get_or_create(pk=1)[0]

    @cached_property
    def default_brand(self) -> Brand:
        return Brand.objects.filter(is_default=True).first() or _unnamed_brand("")


_site_cache: ContextVar[_SiteCache | None] = ContextVar("held", default=None)


@contextmanager
def cache_site_settings() -> Iterator[None]:
    """Read the settings and the default brand at most once within the block, which may format many dates.

    What operators change meanwhile takes effect after the block. Threads that run in this context share the cache.
    """
    token = _site_cache.set(_SiteCache())
    try:
        yield
    finally:
        _site_cache.reset(token)


def site_settings() -> SiteSettings:
    """Return the settings; the row is created with its defaults on first use."""
    return (_site_cache.get() or _SiteCache()).settings


def brand_for_host(host: str) -> Brand:
    """Return the brand with this host name, or the default brand. The host may have a port; case does not matter.

    Without a default brand, return one without name and links, so that the portal still renders.
    """
    name = _strip_port(host).casefold()
    brands = list(Brand.objects.all())
    matching = next((brand for brand in brands if name in brand.host_names), None)
    return matching or next((brand for brand in brands if brand.is_default), None) or _unnamed_brand("")


def brand_for_code(code: str) -> Brand:
    """Return the brand with this code in any case, or one without links (docs/rules.md, rule 14)."""
    return Brand.objects.filter(code__iexact=code).first() or _unnamed_brand(code)


def portal_url_for_brand(brand: Brand) -> str:
    """Return the portal's base URL on one of the brand's own host names, if the portal serves one of them."""
    if brand.is_default or urlsplit(settings.BASE_URL).hostname in brand.host_names:
        return settings.BASE_URL
    served_hosts = (host for host in brand.host_names if validate_host(host, settings.ALLOWED_HOSTS))
    host = next(served_hosts, None)
    return settings.BASE_URL if host is None else portal_url_at_host(host)


def portal_url_at_host(host: str) -> str:
    """Return the portal's base URL on a host name, with the scheme and port of `BASE_URL`."""
    base = urlsplit(settings.BASE_URL)
    return base._replace(netloc=f"{host}:{base.port}" if base.port else host).geturl()


def default_brand() -> Brand:
    """Return the brand for the portal as a whole, such as for mails to accounts without a brand."""
    return (_site_cache.get() or _SiteCache()).default_brand


def streaming_services() -> list[StreamingService]:
    """Return the streaming services in the order that operators set."""
    return list(StreamingService.objects.all())


def _unnamed_brand(code: str) -> Brand:
    return Brand(code=code, name="")


def _strip_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
