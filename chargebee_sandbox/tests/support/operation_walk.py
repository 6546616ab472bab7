"""A walk through every operation of the sandbox, which brings every kind of answer and event."""

from __future__ import annotations

import time
from typing import Any

from chargebee_sandbox.tests.support.hosted_fields import Payer
from chargebee_sandbox.tests.support.http_caller import HttpCaller

GENESIS = 1_773_144_000  # 10 March 2026, noon
DAY = 86_400
MONTHLY, YEARLY = "faith-monthly", "faith-yearly"
GOOD_CARD = "4111111111111111"
DECLINING_CARD = "4005519200000004"
SPARE_CARD = "378282246310005"


def walk_every_operation(caller: HttpCaller) -> None:
    """Start afresh, call every operation, and read everything back."""
    caller.call_operation("time_machine.start_afresh", "delorean", genesis_time=GENESIS)
    _create_items(caller)
    _create_coupons(caller)
    _create_customers(caller)
    _add_payment_sources(caller)
    alice = _create_subscriptions(caller)
    _pause_and_resume(caller, alice)
    _cancel_and_undo(caller, alice)
    _change_subscription(caller)
    _schedule_ramps(caller)
    _give_promotional_credits(caller)
    _live_through_a_month(caller)
    _refund_and_credit(caller)
    _merge_customers(caller)
    _use_the_rest(caller)
    _read_everything(caller)
    _change_webhook_endpoint(caller)
    caller.call_operation("customer.create", id="dora", email="dora@example.com")
    caller.call_operation("customer.delete", "dora", delete_payment_method=True)


def _create_items(caller: HttpCaller) -> None:
    caller.call_operation("item_family.create", id="streaming", name="Streaming", description="All there is to watch")
    caller.call_operation(
        "item.create",
        id="faith",
        name="Faith",
        type="plan",
        item_family_id="streaming",
        external_name="Faith",
    )
    caller.call_operation("item.create", id="old", name="Old", type="plan", item_family_id="streaming")
    shared = {"item_id": "faith", "pricing_model": "flat_fee", "currency_code": "USD", "period": 1}
    caller.call_operation("item_price.create", id=MONTHLY, name="Monthly", price=699, period_unit="month", **shared)
    caller.call_operation("item_price.create", id=YEARLY, name="Yearly", price=6999, period_unit="year", **shared)
    caller.call_operation(
        "item_price.create",
        id="old-monthly",
        name="Old",
        price=1,
        period_unit="month",
        **{**shared, "item_id": "old"},
    )
    caller.call_operation("item_price.update", "old-monthly", status="archived")
    caller.call_operation("item.update", "old", status="archived")


def _create_coupons(caller: HttpCaller) -> None:
    coupon = {"name": "Ten off", "discount_type": "percentage", "discount_percentage": 10}
    plans = [{"constraint": "all", "item_type": "plan"}]
    caller.call_operation(
        "coupon.create_for_items",
        id="TEN",
        apply_on="each_specified_item",
        duration_type="forever",
        item_constraints=plans,
        **coupon,
    )
    caller.call_operation(
        "coupon.create_for_items",
        id="LATE",
        apply_on="invoice_amount",
        duration_type="one_time",
        valid_till=GENESIS + 2 * DAY,
        **coupon,
    )
    monthly_only = {"item_type": "plan", "item_price_periods": '["month"]'}
    caller.call_operation(
        "coupon.create_for_items",
        id="MONTHLY",
        apply_on="invoice_amount",
        duration_type="one_time",
        item_constraints=[{"constraint": "criteria", "item_type": "plan"}],
        item_constraint_criteria=[monthly_only],
        **coupon,
    )
    caller.call_operation("coupon.update_for_items", "MONTHLY", name="Ten off a month", discount_percentage=12)
    caller.call_operation("coupon_set.create", id="ONCE", name="Once", coupon_id="TEN")
    caller.call_operation("coupon_set.add_coupon_codes", "ONCE", code=["ONCE-1", "ONCE-2"])


def _create_customers(caller: HttpCaller) -> None:
    for handle in ("alice", "bob", "carol"):
        address = {
            "first_name": handle,
            "line1": "1 Main Street",
            "city": "Boston",
            "state_code": "MA",
            "zip": "02108",
        }
        caller.call_operation(
            "customer.create",
            id=handle,
            email=f"{handle}@example.com",
            billing_address={**address, "country": "US"},
        )
        _add_card(caller, handle, GOOD_CARD)
    caller.call_operation("customer.update", "alice", first_name="Alice", last_name="Arnold", phone="617")
    spare = _add_card(caller, "alice", SPARE_CARD)
    caller.call_operation("payment_source.delete", spare)
    caller.call_operation(
        "payment_source.create_using_permanent_token",
        customer_id="carol",
        type="paypal_express_checkout",
        reference_id="B-123",
        replace_primary_payment_source=True,
    )


def _add_payment_sources(caller: HttpCaller) -> None:
    """Alice adds a card by its token, has it changed and made her backup; Bob agrees to PayPal and removes it."""
    payer = Payer(str(caller.http.base_url).split("/api/")[0])
    by_token = caller.call_operation(
        "payment_source.create_using_token",
        customer_id="alice",
        token_id=payer.create_token("5555555555554444"),
    )["payment_source"]["id"]
    payer.create_token()
    caller.call_operation("payment_source.update_card", by_token, card={"first_name": "Al", "expiry_year": 2031})
    caller.call_operation("customer.assign_payment_role", "alice", payment_source_id=by_token, role="backup")
    intent = caller.call_operation(
        "payment_intent.create",
        customer_id="bob",
        amount=500,
        currency_code="USD",
        payment_method_type="paypal_express_checkout",
    )["payment_intent"]["id"]
    caller.call_operation("payment_intent.update", intent, amount=0)
    for decision in ("fail", "cancel", "agree"):
        payer.decide_paypal(payer.begin_paypal(intent), decision)
        caller.call_operation("payment_intent.retrieve", intent)
    paypal = caller.call_operation(
        "payment_source.create_using_payment_intent", customer_id="bob", payment_intent={"id": intent}
    )["payment_source"]["id"]
    caller.call_operation("payment_source.delete", paypal)
    caller.call_operation("payment_intent.create", amount=100, currency_code="USD", reference_id="never used")


def _create_subscriptions(caller: HttpCaller) -> str:
    monthly = [{"item_price_id": MONTHLY, "quantity": 1}]
    caller.call_operation("estimate.create_sub_item_estimate", subscription_items=monthly, coupon_ids=["TEN"])
    begun = caller.call_operation(
        "subscription.create_with_items",
        "alice",
        subscription_items=monthly,
        coupon_ids=["TEN"],
        auto_collection="on",
    )
    caller.call_operation("subscription.create_with_items", "bob", id="bobs", subscription_items=monthly)
    caller.call_operation("subscription.create_with_items", "carol", id="carols", subscription_items=monthly)
    trial = [{"item_price_id": YEARLY}]
    caller.call_operation(
        "subscription.create_with_items", "bob", subscription_items=trial, trial_end=GENESIS + 9 * DAY
    )
    caller.call_operation(
        "subscription.create_with_items", "bob", subscription_items=trial, start_date=GENESIS + 5 * DAY
    )
    return str(begun["subscription"]["id"])


def _pause_and_resume(caller: HttpCaller, alice: str) -> None:
    ahead = {"resume_date": GENESIS + 90 * DAY}
    caller.call_operation("estimate.pause_subscription", alice, pause_option="end_of_term", subscription=ahead)
    caller.call_operation("subscription.pause", alice, pause_option="end_of_term", **ahead)
    caller.call_operation("subscription.remove_scheduled_pause", alice)
    caller.call_operation("subscription.pause", alice, pause_option="immediately")
    caller.call_operation("estimate.resume_subscription", alice, resume_option="immediately")
    caller.call_operation("subscription.resume", alice, resume_option="specific_date", **ahead)
    caller.call_operation("subscription.remove_scheduled_resumption", alice)
    caller.call_operation("subscription.resume", alice, resume_option="immediately")
    caller.call_operation("estimate.renewal_estimate", alice)


def _cancel_and_undo(caller: HttpCaller, alice: str) -> None:
    caller.call_operation("subscription.cancel_for_items", alice, cancel_option="end_of_term")
    caller.call_operation("subscription.remove_scheduled_cancellation", alice)


def _change_subscription(caller: HttpCaller) -> None:
    """Carol moves to the year and has it estimated, back at the term's end, and gains and loses a coupon."""
    yearly, monthly = [{"item_price_id": YEARLY}], [{"item_price_id": MONTHLY}]
    caller.call_operation(
        "estimate.create_sub_item_for_customer_estimate",
        "carol",
        subscription_items=yearly,
        subscription={"trial_end": 0},
    )
    caller.call_operation(
        "estimate.update_subscription_for_items", subscription={"id": "carols"}, subscription_items=yearly
    )
    caller.call_operation("subscription.update_for_items", "carols", subscription_items=yearly, coupon_ids=["ONCE-1"])
    caller.call_operation("subscription.remove_coupons", "carols", coupon_ids=["ONCE-1"])
    caller.call_operation(
        "subscription.update_for_items", "carols", subscription_items=monthly, change_option="end_of_term"
    )
    caller.call_operation("subscription.retrieve_with_scheduled_changes", "carols")
    caller.call_operation("estimate.renewal_estimate", "carols")
    caller.call_operation("subscription.remove_scheduled_changes", "carols")
    cut = {"cancel_option": "immediately", "credit_option_for_current_term_charges": "prorate"}
    caller.call_operation("estimate.cancel_subscription_for_items", "carols", **cut)


def _schedule_ramps(caller: HttpCaller) -> None:
    """Hal's ramps: one is moved and applied, one is made a draft by an update, one is deleted."""
    caller.call_operation("customer.create", id="hal", email="hal@example.com")
    _add_card(caller, "hal", GOOD_CARD)
    items = [{"item_price_id": MONTHLY}]
    caller.call_operation("subscription.create_with_items", "hal", id="hals", subscription_items=items)
    cheaper = {"items_to_update": [{"item_price_id": MONTHLY, "unit_price": 500}], "description": "Cheaper"}
    gift = {"coupons_to_add": [{"coupon_id": "TEN"}]}
    first = caller.call_operation("ramp.create_for_subscription", "hals", effective_from=GENESIS + 5 * DAY, **cheaper)[
        "ramp"
    ]["id"]
    caller.call_operation("ramp.update", first, effective_from=GENESIS + 10 * DAY, **cheaper)
    more = caller.call_operation("ramp.create_for_subscription", "hals", effective_from=GENESIS + 20 * DAY, **gift)
    caller.call_operation("ramp.delete", more["ramp"]["id"])
    caller.call_operation("subscription.create_with_items", "hal", id="hals-other", subscription_items=items)
    caller.call_operation("ramp.create_for_subscription", "hals-other", effective_from=GENESIS + 9 * DAY, **gift)
    caller.call_operation("subscription.update_for_items", "hals-other", coupon_ids=["TEN"])
    drafts = caller.list_entries("ramp.list", subscription_id={"is": "hals-other"}, status={"is": "draft"})
    caller.call_operation("ramp.retrieve", drafts[0]["ramp"]["id"])


def _give_promotional_credits(caller: HttpCaller) -> None:
    """Bob is given promotional credits, of which some are taken back; his renewal uses the rest."""
    about = {"customer_id": "bob", "description": "For your patience"}
    caller.call_operation("promotional_credit.add", **about, amount=300, credit_type="loyalty_credits", reference="r1")
    caller.call_operation("promotional_credit.deduct", **about, amount=100)
    caller.call_operation("promotional_credit.set", **about, amount=250)


def _live_through_a_month(caller: HttpCaller) -> None:
    """Terms renew, a trial ends, a future one starts, bob's new card declines, and his old one pays by hand."""
    good = caller.call_operation("customer.retrieve", "bob")["customer"]["primary_payment_source_id"]
    for profile in ({"payment_source_id": good, "auto_collection": "on"}, {}):
        caller.call_operation("subscription.override_billing_profile", "bobs", **profile)
    caller.call_operation(
        "payment_source.create_card",
        customer_id="bob",
        card={"number": DECLINING_CARD, "expiry_month": 8, "expiry_year": 2032, "cvv": "123"},
        replace_primary_payment_source=True,
    )
    # An hour later than noon: the retry falls due at noon plus the seconds that the walk has taken.
    _travel_to(caller, GENESIS + 35 * DAY + 3_600)
    due = caller.call_operation("invoice.list", status={"is": "payment_due"}, subscription_id={"is": "bobs"})["list"][0]
    caller.call_operation("invoice.collect_payment", due["invoice"]["id"], payment_source_id=good, amount=1)
    rest = [{"invoice_id": due["invoice"]["id"], "allocation_amount": due["invoice"]["amount_due"] - 1}]
    caller.call_operation("customer.collect_payment", "bob", payment_source_id=good, invoice_allocations=rest)
    # The credit for the rest of the term pays a part of the next subscription.
    cut = {"cancel_option": "immediately", "credit_option_for_current_term_charges": "prorate"}
    caller.call_operation("subscription.cancel_for_items", "bobs", **cut)
    monthly = [{"item_price_id": MONTHLY, "quantity": 1}]
    order = {"subscription_items": monthly, "payment_source_id": good}
    caller.call_operation("subscription.create_with_items", "bob", id="bobs-again", **order)


def _refund_and_credit(caller: HttpCaller) -> None:
    """An invoice of Gus is refunded, credited and paid back by cheque in parts; a void credit is refundable again."""
    caller.call_operation("customer.create", id="gus", email="gus@example.com")
    _add_card(caller, "gus", GOOD_CARD)
    items = [{"item_price_id": YEARLY, "quantity": 1}]
    paid = caller.call_operation("subscription.create_with_items", "gus", subscription_items=items)["invoice"]
    reason = {"reason_code": "service_unsatisfactory"}
    caller.call_operation(
        "invoice.refund", paid["id"], refund_amount=100, credit_note=reason, customer_notes="Sorry", comment="Outage"
    )
    offline = {"amount": 50, "payment_method": "check", "reference_number": "7", "date": paid["date"]}
    caller.call_operation("invoice.record_refund", paid["id"], transaction=offline, credit_note=reason)
    order = {"reference_invoice_id": paid["id"], "total": 200, "type": "refundable", **reason}
    credit = caller.call_operation("credit_note.create", **order)["credit_note"]
    caller.call_operation("credit_note.refund", credit["id"], refund_amount=80, refund_reason_code="Outage")
    caller.call_operation("credit_note.record_refund", credit["id"], transaction={**offline, "date": credit["date"]})
    mistaken = caller.call_operation("credit_note.create", **order)["credit_note"]
    caller.call_operation("credit_note.void_credit_note", mistaken["id"], comment="A mistake")


def _merge_customers(caller: HttpCaller) -> None:
    for handle in ("eric", "fred"):
        caller.call_operation("customer.create", id=handle, email=f"{handle}@example.com")
        _add_card(caller, handle, GOOD_CARD)
        items = [{"item_price_id": MONTHLY, "quantity": 1}]
        caller.call_operation("subscription.create_with_items", handle, subscription_items=items)
    caller.call_operation("customer.merge", from_customer_id="eric", to_customer_id="fred")
    caller.call_operation("customer.delete", "fred")


def _use_the_rest(caller: HttpCaller) -> None:
    """Operations that the portal does not use: charges that wait, documents, a void, and a term that ends later."""
    good = caller.call_operation("customer.retrieve", "alice")["customer"]["primary_payment_source_id"]
    caller.call_operation("card.retrieve", good)
    caller.call_operation(
        "customer.update_billing_info", "alice", billing_address={"line1": "2 Main Street"}, vat_number="DE123456789"
    )
    token = {"customer_id": "alice", "type": "card", "tmp_token": "tok_visa"}
    caller.call_operation("payment_source.create_using_temp_token", **token)
    items = [{"item_price_id": MONTHLY}]
    order = {"subscription_items": items, "invoice_immediately": False, "payment_source_id": good}
    caller.call_operation("subscription.create_with_items", "alice", id="waiting", **order)
    yearly = {"subscription_items": [{"item_price_id": YEARLY}], "invoice_immediately": False}
    caller.call_operation("estimate.update_subscription_for_items", subscription={"id": "waiting"}, **yearly)
    caller.call_operation("unbilled_charge.list")
    caller.call_operation("estimate.upcoming_invoices_estimate", "alice")
    caller.call_operation("subscription.list_discounts", "waiting")
    caller.call_operation("subscription.change_term_end", "waiting", term_ends_at=GENESIS + 80 * DAY)
    cut = {"cancel_option": "immediately", "unbilled_charges_option": "delete"}
    caller.call_operation("subscription.cancel_for_items", "waiting", **cut)
    caller.call_operation("subscription.update_for_items", "waiting", auto_collection="off", reactivate=False)
    void = caller.call_operation("subscription.reactivate", "waiting")["invoice"]["id"]
    caller.call_operation("invoice.void_invoice", void)
    caller.call_operation("invoice.pdf", void, disposition_type="inline")
    note = caller.call_operation("credit_note.list")["list"][0]["credit_note"]["id"]
    caller.call_operation("credit_note.pdf", note)
    caller.call_operation("coupon_set.list")
    caller.call_operation("attached_item.list", "faith")
    # Features that the site has not enabled.
    caller.call_disabled_operation("subscription.charge_future_renewals", "waiting")
    caller.call_disabled_operation("invoice.download_einvoice", void)
    renewed = {"cancel_option": "immediately", "credit_option_for_current_term_charges": "full"}
    again = caller.call_operation("subscription.create_with_items", "alice", subscription_items=items)["subscription"]
    caller.call_operation(
        "subscription.cancel_for_items", again["id"], **renewed, refundable_credits_handling="schedule_refund"
    )


def _read_everything(caller: HttpCaller) -> None:
    caller.call_operation("time_machine.retrieve", "delorean")
    for kind in (
        "item_family",
        "item",
        "item_price",
        "coupon",
        "coupon_code",
        "customer",
        "payment_source",
        "promotional_credit",
        "subscription",
    ):
        _read_all(caller, kind)
    for kind in ("invoice", "credit_note", "transaction", "event"):
        _read_all(caller, kind)
    caller.call_operation("coupon_set.retrieve", "ONCE")


def _change_webhook_endpoint(caller: HttpCaller) -> None:
    caller.call_operation("configuration.list")
    created = caller.call_operation(
        "webhook_endpoint.create", name="Portal", url="https://portal.example.com/hook", disabled=True
    )["webhook_endpoint"]
    changes = {"enabled_events": ["customer_created"], "basic_auth_username": "portal", "api_version": "v2"}
    caller.call_operation("webhook_endpoint.update", created["id"], **changes)
    caller.call_operation("webhook_endpoint.retrieve", created["id"])
    caller.call_operation("webhook_endpoint.list")
    caller.call_operation("webhook_endpoint.delete", created["id"])


def _read_all(caller: HttpCaller, kind: str) -> None:
    entries = caller.list_entries(f"{kind}.list")
    first: dict[str, Any] = entries[0][kind]
    caller.call_operation(f"{kind}.retrieve", first.get("id") or first["code"])


def _add_card(caller: HttpCaller, customer: str, number: str) -> str:
    card = {"number": number, "expiry_month": 8, "expiry_year": 2032, "cvv": "123", "billing_zip": "02108"}
    added = caller.call_operation("payment_source.create_card", customer_id=customer, card=card)
    return str(added["payment_source"]["id"])


def _travel_to(caller: HttpCaller, instant: int) -> None:
    caller.call_operation("time_machine.travel_forward", "delorean", destination_time=instant)
    for _look in range(600):
        machine = caller.call_operation("time_machine.retrieve", "delorean")["time_machine"]
        if machine["time_travel_status"] == "succeeded":
            return
        time.sleep(0.05)
    raise TimeoutError("the time machine did not arrive")
