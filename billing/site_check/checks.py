"""All checks of the provider's site, in the order of the table. They only read."""

from collections.abc import Callable, Iterator

from billing.gateway.errors import NotSent, Refused
from billing.site_check.access import KEYS, check_access
from billing.site_check.assumptions import check_assumptions
from billing.site_check.catalog import check_catalog
from billing.site_check.coupons import check_coupons
from billing.site_check.features import check_features
from billing.site_check.findings import Finding, Topic
from billing.site_check.payments import check_payments
from billing.site_check.site_reader import SiteReader
from billing.site_check.time_zone import check_time_zone
from billing.site_check.webhooks import check_webhooks

Check = Callable[[SiteReader], Iterator[Finding]]
CHECKS: dict[str, Check] = {
    "Site and keys": check_access,
    "Catalog": check_catalog,
    "Coupons": check_coupons,
    "Webhook": check_webhooks,
    "Time zone": check_time_zone,
    "Payments": check_payments,
    "Features": check_features,
    "Assumptions": check_assumptions,
}
# The provider's codes for a key that may not read something.
FORBIDDEN_CODES = ("api_authorization_failed", "request_blocked")


def check_site(site: SiteReader) -> Iterator[Finding]:
    """Yield what each check finds. Raises NotSent when the provider cannot be reached or refuses the key."""
    for name, check in CHECKS.items():
        try:
            yield from check(site)
        except Refused as error:
            yield Topic(name).unreadable_finding(
                "answers about this", place="Chargebee's pages", found=f"refused: {error}"
            )
        except NotSent as error:
            if str(error) not in FORBIDDEN_CODES:
                raise
            yield Topic(name).wrong_finding(
                "a key that may read this", f"refused: {error}", f"Create a full-access key at {KEYS}."
            )
