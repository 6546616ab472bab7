"""Bills from the provider's estimates, on sites that the sandbox does not model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from billing.gateway import estimates
from billing.mirror.next_bills import bill_before_balances
from billing.queries.next_bills import Balances
from billing.tests.support.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.django_db


def answer_with_estimate(proxy: FaultyProxy, invoice: dict[str, Any]) -> None:
    """Let the provider answer with the estimate of this invoice."""
    body = json.dumps({"estimate": {"object": "estimate", "created_at": 1773144000, "invoice_estimate": invoice}})
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    proxy.answer_with(f"{head}\r\n{body}".encode())


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(("price_type", "due"), [("tax_inclusive", 999), ("tax_exclusive", 1159)])
def test_tax_that_is_in_the_price_is_not_added_to_it(faulty_proxy: FaultyProxy, price_type: str, due: int) -> None:
    line = {"amount": 999, "is_taxed": True, "tax_rate": 19.0, "entity_type": "plan_item_price"}
    period = {"date_from": 1773144000, "date_to": 1775822400}
    taxes = [{"name": "VAT", "amount": 160}]
    invoice = {"price_type": price_type, "line_items": [{**line, **period}], "taxes": taxes, "amount_due": due}
    answer_with_estimate(faulty_proxy, invoice)

    bill = bill_before_balances(estimates.estimate_scheduled_bill("any"))

    assert Balances().pay(bill) == (due, Balances())
