"""Reads of the provider's site, each made once however many checks need it."""

from functools import cached_property

from billing.gateway.records import find_records
from billing.gateway.site import site_reads
from billing.gateway.site.site_reads import SiteConfiguration, WebhookEndpoint
from billing.gateway.snapshots import Raw, Snapshot


class SiteReader:
    """The site, read as checks ask for its parts. Every attribute raises NotSent, and Refused."""

    @cached_property
    def configuration(self) -> SiteConfiguration:
        """What the site tells about itself."""
        return site_reads.read_configuration()

    @cached_property
    def webhook_endpoints(self) -> list[WebhookEndpoint]:
        """The webhook endpoints."""
        return site_reads.find_webhook_endpoints()

    @cached_property
    def items(self) -> dict[str, Raw]:
        """All items by id."""
        return {str(item["id"]): item for item in site_reads.find_items()}

    @cached_property
    def item_prices(self) -> dict[str, Raw]:
        """All item prices by id."""
        return {str(price["id"]): price for price in site_reads.find_item_prices()}

    @cached_property
    def coupons(self) -> dict[str, Snapshot]:
        """All coupons by id."""
        return {coupon.id: coupon for coupon in find_records("coupon")}

    @cached_property
    def customers(self) -> list[Raw]:
        """The newest hundred customers."""
        return site_reads.read_newest_records("customer")

    @cached_property
    def subscriptions(self) -> list[Raw]:
        """The newest hundred subscriptions."""
        return site_reads.read_newest_records("subscription")

    @cached_property
    def invoices(self) -> list[Raw]:
        """The newest hundred invoices."""
        return site_reads.read_newest_records("invoice")

    @cached_property
    def credit_notes(self) -> list[Raw]:
        """The newest hundred credit notes."""
        return site_reads.read_newest_records("credit_note")

    @cached_property
    def payment_sources(self) -> list[Raw]:
        """The newest hundred payment sources."""
        return site_reads.read_newest_records("payment_source")

    @cached_property
    def events(self) -> list[Raw]:
        """The newest hundred events."""
        return site_reads.read_newest_records("event")

    @cached_property
    def time_machine(self) -> str:
        """The state of the time machine."""
        return site_reads.read_time_machine_status()
