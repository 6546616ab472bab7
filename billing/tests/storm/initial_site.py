"""The provider's site and the subscriptions with which a sequence begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import SiteSettings
from billing import clock
from billing.models import BundleRate
from billing.tests.support.coupon_codes import sell_codes
from billing.tests.support.live_provider import Provider

# Bundle size -> percentage of its coupon.
RATES = {2: 10, 3: 15}


@dataclass(frozen=True)
class InitialPlan:
    """A plan that the subscriber begins with, with a trial of so many days, and a contract over so many bills."""

    plan: str
    unit: str = "Monthly"
    trial_days: int = 0
    contract_bills: int = 0

    def start_subscription(self, provider: Provider, customer: str, coupons: Sequence[str]) -> None:
        """Start the subscription at the provider."""
        trial_end = int((clock.billing_now() + timedelta(days=self.trial_days)).timestamp())
        trial = {"trial_end": trial_end} if self.trial_days else {}
        contract = {"billing_cycles": self.contract_bills, "contract_term": {"action_at_term_end": "evergreen"}}
        more = {**trial, **(contract if self.contract_bills else {})}
        provider.subscribe(customer, self.plan, unit=self.unit, coupon_ids=list(coupons), **more)


def reset_site(provider: Provider, genesis: datetime, site: Mapping[str, str | float] | None = None) -> None:
    """Reset the site, set what its merchant has chosen, and create plans, bundle rates, codes and the free month."""
    provider.sandbox.start_afresh(genesis)
    if site:
        provider.sandbox.configure_site(**site)
    provider.open_shop()
    sell_codes(provider)
    for size, percentage in RATES.items():
        BundleRate.objects.create(size=size, percentage=percentage, coupon_id=f"BUNDLE-{size}")
    SiteSettings.objects.update_or_create(pk=1, defaults={"free_month_on": True})
    provider.follow_clock()
