"""The bundle rates that operators set: a row here and a coupon at the provider; every bundle is then aligned."""

from decimal import Decimal

from django.db import transaction

from billing import clock
from billing.changes.discounts import bundle_coupons
from billing.errors import BillingError, BillingUnavailable
from billing.gateway import coupons
from billing.gateway.errors import GatewayError
from billing.mirror import account_import, documents
from billing.models import BundleRate


class RateNotPublished(BillingError):
    """The provider has another coupon under the id of this rate's coupon."""

    code = "rate_not_published"
    status = 409
    message = "Chargebee didn't accept this rate. Nothing was changed."


def set_bundle_rate(*, size: int, percentage: Decimal) -> BundleRate:
    """Set the percentage that each subscription of a bundle of `size` gets off from its next bill on; return the row.

    Creates the coupon at the provider if it does not exist; an existing coupon is never changed. Raises
    RateNotPublished and BillingUnavailable; nothing was changed then.
    """
    existing = BundleRate.objects.filter(size=size, percentage=percentage).first()
    if existing is not None:
        return existing
    coupon_id = f"BUNDLE-{size}-{_percentage_slug(percentage)}"
    try:
        coupon = coupons.ensure_bundle_coupon(coupon_id, percentage=percentage)
    except coupons.CouponConflict as error:
        raise RateNotPublished from error
    except GatewayError as error:
        raise BillingUnavailable from error
    with transaction.atomic():
        account_import.apply_snapshots([coupon], now=clock.billing_now())
        rate, _ = BundleRate.objects.update_or_create(
            size=size, defaults={"percentage": percentage, "coupon_id": coupon_id}
        )
        refresh_bundles()
    return rate


def refresh_bundles() -> None:
    """Rebuild all documents and align all bundles, in the background."""
    documents.mark_all_documents_stale()
    bundle_coupons.request_alignment()


def _percentage_slug(percentage: Decimal) -> str:
    """Return a percentage as part of an id: `12.5` gives `12_5`."""
    return f"{percentage.normalize():f}".replace(".", "_")
