"""The catalog: the provider's items and prices, and the plans that operators have arranged them as."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import models

from billing.models.mirror_row import MirroredResource
from billing.terms import DEFAULT_CURRENCY, BillingTerms


class Item(MirroredResource):
    """An item that the provider sells: a plan, an add-on or a charge."""

    @property
    def name(self) -> str:
        """The name that subscribers read on the provider's invoices."""
        return self.text("external_name") or self.text("name") or self.provider_id


class ItemPrice(MirroredResource):
    """What an item costs in one currency and per one period: `cents("price")`."""

    item_id = models.CharField(max_length=100, db_index=True, help_text="The provider's id of its item.")

    @property
    def terms(self) -> BillingTerms:
        """Its currency and period."""
        return BillingTerms(
            currency=self.text("currency_code") or DEFAULT_CURRENCY,
            period=self.cents("period") or 1,
            period_unit=self.text("period_unit"),
        )

    @property
    def name(self) -> str:
        """The name that subscribers read on the provider's invoices."""
        return self.text("external_name") or self.text("name") or self.provider_id

    @property
    def is_on_sale(self) -> bool:
        """Whether the provider sells it at one fixed price; a tiered price is not for sale here."""
        return not self.deleted and self.text("status") == "active" and "price" in self.payload


class PlanManager(models.Manager["Plan"]):
    """Finds the plans of prices."""

    def by_price(self, prices: Mapping[str, ItemPrice | None]) -> dict[str, Plan]:
        """Return the plan of each price, given the mirrored prices by id. Two queries at most.

        An item that nobody has arranged is a plan outside the catalog, under the provider's name. A price that is not
        mirrored yet stands for its item.
        """
        item_ids = {price_id: price.item_id if price else price_id for price_id, price in prices.items()}
        arranged = self.in_bulk(set(item_ids.values()))
        missing = set(item_ids.values()) - arranged.keys()
        items = {item.provider_id: item for item in Item.objects.filter(provider_id__in=missing)} if missing else {}
        return {
            price_id: arranged.get(item_id) or _plan_outside_catalog(item_id, items.get(item_id) or prices[price_id])
            for price_id, item_id in item_ids.items()
        }


def _plan_outside_catalog(item_id: str, named_by: Item | ItemPrice | None) -> Plan:
    return Plan(id=item_id, name=named_by.name if named_by else item_id, on_sale=False)


class Plan(models.Model):
    """What a subscriber selects: an item of the provider, as operators have arranged it.

    A plan without a service is outside the catalog: its item is subscribed to, but nobody has arranged it.
    """

    id = models.CharField("item", max_length=100, primary_key=True, help_text="The provider's id of the item.")
    service = models.CharField(max_length=40, help_text="The streaming service that it subscribes to, by code.")
    name = models.CharField(max_length=80, help_text="The name on screens and in emails.")
    position = models.PositiveSmallIntegerField(default=0, help_text="Lists show plans in this order.")
    on_sale = models.BooleanField(default=True, help_text="If off, nobody can add it. Those who have it keep it.")

    objects = PlanManager()

    class Meta:
        ordering = ("position", "id")

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"

    @property
    def is_arranged(self) -> bool:
        """Whether operators have arranged it."""
        return bool(self.service)

    @property
    def sort_key(self) -> tuple[bool, int, str, str]:
        """Its place in lists: the catalog in its order, then what is outside it by name."""
        return (not self.is_arranged, self.position, self.name if not self.is_arranged else "", self.id)
