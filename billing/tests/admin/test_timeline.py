"""The timeline of the account page: everything that happened, newest first, in words."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from accounts.models import Account, SignInEvent
from accounts.profile import events
from accounts.sign_in.guessing import count_failure
from accounts.sign_in.limits import FAILURES
from accounts.tests.sign_in.sign_in_client import SignInClient, different_code, send_due_mail
from billing.models import Command, Invoice, RefusedCode
from billing.tests.admin.account_desk import PLANTED, account_url, read_account_page
from billing.tests.api.mirror_factory import (
    NOW,
    apply_resources,
    make_invoice,
    make_resource,
    timestamp_at,
)

pytestmark = pytest.mark.django_db


def follow_timeline(browser: Client, account: Account, **chosen: str) -> list[tuple[str, str]]:
    """Return the kind and the first words of all entries of a timeline, page by page; "" as kind where it is chosen."""
    address, found = f"{account_url(account)}?{urlencode(chosen)}", []
    while address:
        timeline = browser.get(address).context["timeline"]
        found += [(str(entry.kind), str(entry.what)) for entry in timeline.entries]
        address = timeline.older
    return found


def test_the_timeline_pages_through_everything_once_newest_first(support: Client, alice: Account) -> None:
    for number in range(12):
        # All at one instant, as what one change leads to is.
        apply_resources(
            make_invoice(f"INV-{100 + number}", days=-1),
            make_resource(
                "transaction", f"txn_{number}", customer_id="alice", type="payment", status="success", amount=number,
                date=timestamp_at(-1),
            ),
        )  # fmt: skip
        events.record_event(alice, kind="paused", text=f"Event {number}", actor="you", at=NOW - timedelta(days=1))
        SignInEvent.objects.create(kind="ok", email=alice.email, account=alice, at=NOW - timedelta(days=1))
    everything = follow_timeline(support, alice)

    times = [entry.at for entry in support.get(account_url(alice)).context["timeline"].entries]
    assert times == sorted(times, reverse=True)
    assert sorted(what for _, what in everything if what.startswith("Event ")) == sorted(
        f"Event {number}" for number in range(12)
    )
    counts = Counter(kind for kind, _ in everything)
    assert counts == {"charges": 13, "payments": 12, "changes": 15, "emails": 1, "sign-ins": 13}
    for kind, count in counts.items():
        assert [shown for shown, _ in follow_timeline(support, alice, kind=kind)] == [kind] * count


def test_a_timeline_place_that_is_not_ours_shows_the_newest(support: Client, alice: Account) -> None:
    newest = support.get(account_url(alice)).context["timeline"].entries
    places = [
        "x",
        "2026-03-10T12:00:00+00:00~nothing~1",
        "2026-13-10T12:00:00+00:00~invoice~1",
        # Times that no database has.
        "0001-01-01T00:00:00+14:00~invoice~1",
        "9999-12-31T23:59:59-14:00~invoice~1",
    ]
    for place in places:
        shown = support.get(account_url(alice), {"before": place}).context["timeline"].entries
        assert [entry.what for entry in shown] == [entry.what for entry in newest]
    odd = {"before": "2026-03-11T12:00:00+00:00~change~no-uuid", "kind": "no kind"}
    assert support.get(account_url(alice), odd).status_code == 200


def test_a_warning_of_guessed_codes_is_called_so(support: Client, alice: Account) -> None:
    for _ in range(FAILURES.count - 1):
        count_failure(alice.email, known_browser="")
    stranger = SignInClient()
    challenge = stranger.request_code(alice.email).json()["challengeId"]
    wrong = different_code(stranger.read_code())
    assert stranger.submit_code(wrong, alice.email, challengeId=challenge).status_code == 400
    send_due_mail()
    assert mail.outbox[-1].subject == "Somebody is guessing your sign-in codes"
    told = follow_timeline(support, alice, kind="emails")
    assert told[0] == ("emails", "Email: Warning: somebody is guessing sign-in codes")


def test_a_charge_says_what_for_with_credits_and_leads_to_its_pdf_and_the_provider(
    support: Client, alice: Account, settings: Settings
) -> None:
    line = {"description": "Faith & Family", "amount": 699, "date_from": timestamp_at(-1), "date_to": timestamp_at(29)}
    dates = "for 09-Mar-2026 - 08-Apr-2026"
    rest = {**line, "description": f"Faith & Family - Prorated Credits {dates}", "amount": 429}
    whole = {**line, "description": f"Gospel TV - Credits {dates}", "amount": 799}
    apply_resources(
        make_invoice("INV-18", days=0.1, total=529, line_items=[line], credits_applied=100, amount_paid=429,
                     discounts=[{"entity_id": "SAVE20", "amount": 170}]),
        make_resource("credit_note", "CN-1", customer_id="alice", date=timestamp_at(0.2), status="refunded", total=429,
                      amount_refunded=429, reference_invoice_id="INV-18", reason_code="service_unsatisfactory",
                      line_items=[rest, whole], discounts=[{"entity_id": "SAVE20", "amount": 240}],
                      taxes=[{"name": "Tax", "amount": 25}, {"name": "City tax", "amount": 10}]),
    )  # fmt: skip
    html = unescape(read_account_page(support, alice))
    for text in (
        "Faith & Family, Mar 9, 2026 to Apr 8, 2026</dt><dd>$6.99",
        "Discount SAVE20</dt><dd>-$1.70",
        "Paid from the subscriber's credit</dt><dd>-$1.00",
        "Paid</dt><dd>$4.29",
        "Credit CN-1 for invoice INV-18",
        "Faith & Family - Prorated Credits, Mar 9, 2026 to Apr 8, 2026</dt><dd>$4.29",
        "Gospel TV - Credits, Mar 9, 2026 to Apr 8, 2026</dt><dd>$7.99",
        "Discount SAVE20</dt><dd>-$2.40",
        "Tax</dt><dd>$0.35",
        "Refunded</dt><dd>$4.29",
        "Reason: service unsatisfactory",
        f"/admin/billing/invoice/{Invoice.objects.get(provider_id='INV-18').pk}/pdf/",
    ):
        assert text in html
    settings.CHARGEBEE_ENDPOINT, settings.CHARGEBEE_SITE = "", "shows"
    html = read_account_page(support, alice)
    for address in ("d/customers/alice", "d/subscriptions/sub_1", "d/invoices/INV-18"):
        assert f'href="https://shows.chargebee.com/{address}"' in html


def make_transaction(handle: str, **fields: Any) -> dict[str, Any]:
    """Return a payment of Alice's first card, a day ago."""
    body = {"customer_id": "alice", "type": "payment", "status": "success", "amount": 699, "date": timestamp_at(-1)}
    card = {"payment_method": "card", "last4": "1111", "payment_source_id": "pm_1"}
    return make_resource("transaction", handle, **{**body, **card, **fields})


def test_a_payment_names_the_payment_method_as_everywhere(support: Client, alice: Account) -> None:
    paypal = {"email": "alice@pay.example"}
    apply_resources(
        make_resource(
            "payment_source", "pm_2", customer_id="alice", type="paypal_express_checkout", paypal=paypal, deleted=True
        ),
        make_transaction("by_card"),
        make_transaction("refund", type="refund"),
        make_transaction("by_paypal", payment_source_id="pm_2", payment_method="paypal_express_checkout", last4=""),
        make_transaction("by_unknown_card", payment_source_id="pm_3"),
    )
    shown = {
        "Payment by Visa ending in 1111",
        "Refund to Visa ending in 1111",
        "Payment by PayPal alice@pay.example",
        "Payment by Card ending in 1111",
    }
    assert {what for _, what in follow_timeline(support, alice, kind="payments")} == shown
    listed = unescape(support.get("/admin/billing/transaction/").content.decode())
    assert [words for words in shown if words not in listed] == []


def test_a_payment_names_the_invoices_that_it_paid(support: Client, alice: Account) -> None:
    def link_to(handle: str, status: str = "success") -> list[dict[str, Any]]:
        return [{"txn_id": handle, "txn_status": status, "txn_date": timestamp_at(-1)}]

    apply_resources(
        make_transaction("paid"),
        make_transaction("tried", status="failure"),
        make_transaction("returned", type="refund"),
        make_invoice("INV-18", linked_payments=[*link_to("tried", "failure"), *link_to("paid")]),
        make_invoice("INV-19", linked_payments=link_to("paid")),
        make_resource(
            "credit_note", "CN-1", customer_id="alice", date=timestamp_at(0), reference_invoice_id="INV-19",
            linked_refunds=link_to("returned"),
        ),
    )  # fmt: skip
    entries = support.get(account_url(alice), {"kind": "payments"}).context["timeline"].entries
    links = {
        number: f'<a href="/admin/billing/invoice/{pk}/change/">{number}</a>'
        for number, pk in Invoice.objects.values_list("provider_id", "pk")
    }
    assert sorted(line for entry in entries for line in entry.lines if line.startswith("For ")) == sorted(
        [
            f"For invoices {links['INV-18']}, {links['INV-19']}",
            f"For invoice {links['INV-18']}",
            f"For invoice {links['INV-19']}",
        ]
    )
    assert links["INV-18"] in read_account_page(support, alice)


def test_what_was_confirmed_is_shown_in_its_currency(support: Client, alice: Account) -> None:
    shown = {"invoices": {"INV-7": 1299}, "due_now": 1299, "due_currency": "EUR"}
    Command.objects.create(
        account=alice, key="euros", kind="collect_due", actor="you", state=Command.State.FAILED, steps=[], shown=shown
    )
    page = unescape(read_account_page(support, alice))
    assert "<dt>Invoice INV-7</dt><dd>12.99 EUR</dd>" in page
    assert "$12.99" not in page


def test_a_refused_code_is_in_the_timeline_with_the_reason(support: Client, alice: Account) -> None:
    RefusedCode.objects.create(account=alice, code="SAVE99", reason=RefusedCode.Reason.EXPIRED, at=NOW)
    assert ("changes", "Code SAVE99 refused: it has expired or is used up") in follow_timeline(support, alice)
    listed = support.get("/admin/billing/refusedcode/", {"q": "SAVE99"}).content.decode()
    assert str(alice) in listed
    assert "it has expired or is used up" in listed
    RefusedCode.objects.update(code=PLANTED)
    assert PLANTED not in read_account_page(support, alice)
