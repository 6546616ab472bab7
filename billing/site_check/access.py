"""Checks of the keys and of what the site is: versions, kind, request limit."""

from collections.abc import Iterator

from django.conf import settings

from billing.gateway.site.site_reads import LIVE_KEY, TEST_KEY, is_test_site
from billing.site_check.findings import SETTINGS, Finding, Topic
from billing.site_check.site_reader import SiteReader

TOPIC = Topic("Site and keys")
KEYS = f"{SETTINGS} > API Keys and Webhooks > API Keys"
CATALOG_VERSION, SCHEMA_TYPE = "v2", "items"


def check_access(site: SiteReader) -> Iterator[Finding]:
    """Check the site's versions, and that both keys are of its kind."""
    configuration = site.configuration
    yield TOPIC.judge_value(
        "Product Catalog 2.0",
        f"{configuration.catalog_version or 'unknown'} at {configuration.domain or settings.CHARGEBEE_SITE}",
        is_right=configuration.catalog_version == CATALOG_VERSION,
        todo="Ask Chargebee's support to upgrade the site, or use another site.",
    )
    yield TOPIC.judge_value(
        "answers with items and item prices",
        configuration.schema_type or "unknown",
        is_right=configuration.schema_type in (SCHEMA_TYPE, ""),
        todo="The site still answers with plans and addons: ask Chargebee's support to finish the upgrade.",
    )
    # The SDK has called /api/v2, and the site has answered.
    yield TOPIC.ok_finding("API version 2", "v2")
    yield from _check_keys(site)
    yield _check_pace()
    yield TOPIC.unreadable_finding("a full-access key, restricted to the portal's addresses", place=KEYS)


def _check_keys(site: SiteReader) -> Iterator[Finding]:
    keys = {
        "CHARGEBEE_API_KEY": settings.CHARGEBEE_API_KEY,
        "CHARGEBEE_PUBLISHABLE_KEY": settings.CHARGEBEE_PUBLISHABLE_KEY,
    }
    kinds = {name: _key_kind(key) for name, key in keys.items()}
    yield TOPIC.judge_value(
        "both keys of one site: test_… or live_…",
        ", ".join(f"{name} is a {kind} key" for name, kind in kinds.items()),
        is_right=len(set(kinds.values())) == 1 and "unknown" not in kinds.values(),
        todo=f"Copy both keys from {KEYS} of the same site.",
    )
    is_test = is_test_site(site.configuration)
    if settings.PRODUCTION and is_test:
        yield TOPIC.open_finding(
            "a live site in production", "a test site", "For a rehearsal only: no money moves on it."
        )
    elif not settings.PRODUCTION and not is_test:
        yield TOPIC.open_finding(
            "a test site outside production", "a live site", "Use a test site: what the portal does here is charged."
        )


def _key_kind(key: str) -> str:
    return {LIVE_KEY: "live", TEST_KEY: "test"}.get(key[:5], "unknown")


def _check_pace() -> Finding:
    pace = settings.CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE
    needed = "jobs keep below the site's request limit"
    if settings.CHARGEBEE_ENDPOINT:
        return TOPIC.ok_finding(
            needed, f"another address than Chargebee's; jobs make {pace or 'any number of'} requests a minute"
        )
    if not pace:
        return TOPIC.wrong_finding(
            needed, "no limit", "Set CHARGEBEE_BACKGROUND_REQUESTS_PER_MINUTE to two thirds of the site's limit."
        )
    return TOPIC.unreadable_finding(
        needed,
        found=f"{pace} a minute; the API does not say the site's limit",
        place="the site's plan: test sites and Starter allow 150 requests a minute, and about two thirds are for jobs",
    )
