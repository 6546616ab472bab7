"""What operators set a bundle to take off: a row here, a coupon at the provider, and every bundle follows."""

from decimal import Decimal

from django.db import transaction

from billing import clock
from billing.errors import BillingError, BillingUnavailable
from billing.gateway import coupons
from billing.gateway.errors import GatewayError
from billing.models import BundleRate
from billing.services import alignment, documents, sync


class RateNotPublished(BillingError):
    """The provider did not take the coupon of a rate."""

    code = "rate_not_published"
    status = 409
    message = "The billing provider did not take this rate. Nothing was changed."


def set_rate(*, size: int, percentage: Decimal) -> BundleRate:
    """Let a bundle of `size` take `percentage` per cent off each of its subscriptions, from their next bills on.

    The coupon that grants it is made at the provider where there is none yet; a coupon that is in use is never
    altered. Raises RateNotPublished and BillingUnavailable, changing nothing.
    """
    held = BundleRate.objects.filter(size=size, percentage=percentage).first()
    if held is not None:
        return held
    coupon_id = f"BUNDLE-{size}-{_words(percentage)}"
    try:
        made = coupons.ensure_bundle_coupon(coupon_id, percentage=percentage)
    except coupons.OtherCoupon as error:
        raise RateNotPublished from error
    except GatewayError as error:
        raise BillingUnavailable from error
    with transaction.atomic():
        sync.apply([made], now=clock.now())
        rate, _ = BundleRate.objects.update_or_create(
            size=size, defaults={"percentage": percentage, "coupon_id": coupon_id}
        )
        changed()
    return rate


def changed() -> None:
    """Have every document built anew and every bundle's coupons put right, in the background."""
    documents.content_changed()
    alignment.want_all()


def _words(percentage: Decimal) -> str:
    """Return a percentage as part of an id: `12.5` gives `12_5`."""
    return f"{percentage.normalize():f}".replace(".", "_")
