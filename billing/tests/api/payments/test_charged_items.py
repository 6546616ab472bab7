"""A plan that customer service has started with a fee: the fee is on the first bill and nowhere after it."""

from __future__ import annotations

import pytest

from billing.tests.api.browser import Browser, read_bills
from billing.tests.api.mirror_factory import FAITH
from billing.tests.api.synced_provider import SyncedProvider

pytestmark = pytest.mark.django_db


@pytest.mark.shows("rule-21")
def test_a_fee_is_in_the_history_and_in_no_price_or_later_bill(shop: SyncedProvider) -> None:
    sdk = shop.client
    sdk.Item.create({"id": "setup", "name": "Setup fee", "type": "charge", "item_family_id": "streaming"})
    fee = {"id": "setup", "name": "Setup fee", "item_id": "setup", "price": 500, "currency_code": "USD"}
    sdk.ItemPrice.create(fee)
    shop.customer("ava")
    items = [{"item_price_id": f"{FAITH}-USD-Monthly"}, {"item_price_id": "setup"}]
    started = sdk.Subscription.create_with_items("ava", {"subscription_items": items}).subscription
    account = shop.import_customer("ava")
    [plan] = Browser(account).get("/api/account").json()["plans"]
    assert (plan["amount"], plan["isChangeable"]) == (699, True)
    [bill] = read_bills(account)
    assert bill["amount"] == 699
    [row] = Browser(account).get("/api/invoice/list").json()
    assert (row["total"], [item["name"] for item in row["items"]]) == (1199, ["Faith & Family", "Setup fee"])
    shop.pass_term_end("ava", str(started.id))
    assert shop.invoices("ava")[0]["total"] == 699
