"""Changing plans: the amounts shown are charged, and a scheduled change can be undone.

The tests compare the screen, the API and the provider's invoices. Ben's test comes last, since it moves the clock.
"""

import base64
import json
import re
import urllib.parse
import urllib.request
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from e2e.support.accessibility import read_until

MONEY = re.compile(r"-?\$([\d,]+)\.(\d\d)")


def first_amount_cents(text):
    """Return the first amount in a text, in cents."""
    found = MONEY.search(text)
    assert found is not None, text
    return int(found.group(1).replace(",", "")) * 100 + int(found.group(2))


def ask_provider(demo, path):
    """Return the provider's answer to a GET."""
    request = urllib.request.Request(f"{demo.sandbox_url}/api/v2/{path}")
    request.add_header("Authorization", "Basic " + base64.b64encode(b"test_sandbox_key:").decode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def list_at_provider(demo, kind, customer):
    """Return the customer's invoices or subscriptions at the provider."""
    filters = urllib.parse.urlencode({"customer_id[is]": customer, "limit": 100})
    return [entry[kind] for entry in ask_provider(demo, f"{kind}s?{filters}")["list"]]


def provider_invoices(demo, customer):
    """Return the customer's invoices at the provider, newest first."""
    held = list_at_provider(demo, "invoice", customer)
    return sorted(held, key=lambda invoice: (invoice["date"], int(invoice["id"])), reverse=True)


def next_bill_total(demo, customer):
    """Return the total that the provider would bill for the customer's renewing subscriptions."""
    renewing = [
        subscription["id"]
        for subscription in list_at_provider(demo, "subscription", customer)
        if subscription["status"] == "active"
    ]
    estimates = [
        ask_provider(demo, f"subscriptions/{subscription_id}/renewal_estimate")["estimate"]
        for subscription_id in renewing
    ]
    return sum(estimate["invoice_estimate"]["total"] for estimate in estimates)


def call_api(page, path):
    """Return the API's answer to a GET with the page's token."""
    token = page.evaluate("() => Object.values(localStorage)[0]")
    answer = page.request.get(f"/api{path}", headers={"Authorization": f"Bearer {token.strip(chr(34))}"})
    assert answer.ok, answer.text()
    return answer.json()


def total_row(page, label):
    """Return the first table row with this label."""
    return page.get_by_role("row").filter(has_text=label).first


def open_plan_choice(page):
    page.goto("/manage-subscription")
    expect(page.get_by_role("button", name="SAVE CHANGES")).to_be_visible()


def save_choice(page):
    """Click SAVE CHANGES; return the confirmation dialog once it shows its amounts."""
    page.get_by_role("button", name="SAVE CHANGES").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Due today")).to_be_visible()
    return dialog


def confirm_change(page, dialog):
    """Confirm the change; return the amount due today that the dialog showed, in cents."""
    shown = dialog.get_by_text("Due today").locator("xpath=ancestor::*[contains(., '$')][1]")
    expect(shown).to_contain_text(MONEY)
    # The amounts are final once they can be confirmed.
    expect(dialog.get_by_role("button").last).to_be_enabled()
    due = first_amount_cents(shown.inner_text())
    dialog.get_by_role("button").last.click()
    page.wait_for_url("**/summary**")
    return due


def assert_total_matches(page, label):
    """Assert that the screen shows the API's total; return the API's plans."""
    open_plan_choice(page)
    plans = call_api(page, "/account/manage-plans")
    expect(total_row(page, label)).to_contain_text(f"${plans['total'] / 100:.2f}")
    return plans


def test_jo_goes_from_three_services_to_two_and_then_to_one(visitor):
    page, demo = visitor.sign_in("jo"), visitor.demo
    before = len(provider_invoices(demo, "jo"))

    for plan in ("Gospel TV", "Kids"):
        open_plan_choice(page)
        page.get_by_role("checkbox", name=plan).uncheck()
        dialog = save_choice(page)
        expect(dialog.get_by_text("Warning")).to_be_visible()
        assert confirm_change(page, dialog) == 0
        assert assert_total_matches(page, "Total Monthly Costs")["total"] == next_bill_total(demo, "jo")

    assert len(provider_invoices(demo, "jo")) == before
    open_plan_choice(page)
    expect(page.get_by_role("checkbox", name="Gospel TV")).not_to_be_checked()
    ends = "Your access to Gospel TV will end at the end of your billing cycle"
    expect(page.get_by_text(ends).first).to_be_visible()
    demo.assert_mirror_matches()


def test_ava_adds_a_service_undoes_a_removal_and_upgrades_one_then_the_rest(visitor):
    page, demo = visitor.sign_in("ava"), visitor.demo

    # She adds Kids at the rate of a bundle of three, which the other two also get.
    open_plan_choice(page)
    page.get_by_role("checkbox", name="Kids").check()
    due = confirm_change(page, save_choice(page))
    assert due == provider_invoices(demo, "ava")[0]["total"] == 764
    assert assert_total_matches(page, "Total Monthly Costs")["total"] == 594 + 679 + 764

    # She removes Gospel TV, and undoes that on the summary.
    page.get_by_role("checkbox", name="Gospel TV").uncheck()
    assert confirm_change(page, save_choice(page)) == 0
    page.get_by_role("button", name="Keep my subscription").click()
    expect(page.get_by_role("button", name="Keep my subscription")).to_have_count(0)
    assert assert_total_matches(page, "Total Monthly Costs")["total"] == 594 + 679 + 764

    # She switches Faith & Family alone to yearly billing: there are two totals, which are not added.
    page.goto("/manage-subscription/upgrade")
    for name in ("Gospel TV", "Kids"):
        page.get_by_role("checkbox", name=name).uncheck()
    expect(page.get_by_text("for the remaining days of your monthly subscription")).to_be_visible()
    assert confirm_change(page, save_choice(page)) == provider_invoices(demo, "ava")[0]["amount_paid"]
    plans = call_api(page, "/account/manage-plans")
    assert (plans["periodUnit"], plans["total"]) == ("year", 5949)
    assert plans["otherTotal"]["total"] == 679 + 764
    open_plan_choice(page)
    expect(total_row(page, "Total Yearly Costs")).to_contain_text("$59.49")
    expect(total_row(page, "Total Monthly Costs")).to_contain_text("$14.43")

    # She switches the rest.
    page.goto("/manage-subscription/upgrade")
    already = len(provider_invoices(demo, "ava"))
    due = confirm_change(page, save_choice(page))
    new_invoices = provider_invoices(demo, "ava")[: len(provider_invoices(demo, "ava")) - already]
    assert len(new_invoices) == 2
    assert due == sum(invoice["amount_paid"] for invoice in new_invoices)
    assert assert_total_matches(page, "Total Yearly Costs")["total"] == 5949 + 6799 + 7649
    demo.assert_mirror_matches()


def test_carla_switches_immediately_and_pays_nothing_during_her_trial(visitor):
    page, demo = visitor.sign_in("carla"), visitor.demo
    trial_end = call_api(page, "/account")["plans"][0]["nextBillingAt"]

    page.goto("/manage-subscription/downgrade")
    assert confirm_change(page, save_choice(page)) == 0

    expect(page).to_have_url(re.compile("action=downgrade_with_trial"))
    plan = call_api(page, "/account")["plans"][0]
    assert (plan["status"], plan["periodUnit"], plan["nextBillingAt"]) == ("IN_TRIAL", "month", trial_end)
    assert provider_invoices(demo, "carla") == []


def test_finn_is_declined_and_nothing_changes(visitor):
    page, demo = visitor.sign_in("finn"), visitor.demo
    before = (call_api(page, "/account")["plans"], provider_invoices(demo, "finn"))

    page.goto("/manage-subscription/upgrade")
    dialog = save_choice(page)
    dialog.get_by_role("button").last.click()

    failed = page.get_by_role("dialog", name="Payment Failed")
    expect(failed).to_be_visible()
    failed.get_by_role("button", name="Not now").click()
    expect(page.get_by_role("checkbox", name="Faith & Family")).to_be_checked()
    assert (call_api(page, "/account")["plans"], provider_invoices(demo, "finn")) == before


def test_ivy_has_nothing_to_change_and_is_led_to_the_services(visitor):
    page = visitor.sign_in("ivy")
    page.goto("/manage-subscription/upgrade")
    expect(page.get_by_text("No subscriptions")).to_be_visible()
    page.get_by_role("link", name="Add a service").click()
    page.wait_for_url("**/manage-subscription")


def assert_at_bottom_center(page, message):
    """Assert that a message is shown at the bottom center of the window."""
    window = page.viewport_size

    def is_there(place):
        off_center = abs(place["x"] + place["width"] / 2 - window["width"] / 2)
        return off_center <= 1 and 0 <= window["height"] - place["y"] - place["height"] <= 32

    place = read_until(page, message.bounding_box, is_there)
    assert is_there(place), place


@pytest.mark.shows("shell-17")
def test_dan_is_refused_an_unknown_code_and_gia_has_no_bill_to_use_one_on(visitor):
    page = visitor.sign_in("dan")
    page.goto("/coupon")
    page.get_by_role("button", name="APPLY").click()
    expect(page.get_by_text("Please enter the coupon code to update").first).to_be_visible()
    assert_at_bottom_center(page, page.get_by_role("status").filter(has_text="Please enter").locator("> *"))
    page.get_by_label("Code").fill("NO-SUCH-CODE")
    page.get_by_role("button", name="APPLY").click()
    expect(page.get_by_text("We don't know this code").first).to_be_visible()
    visitor.sign_in("gia")
    page.goto("/coupon")
    expect(page.get_by_text("No bill to use a code on")).to_be_visible()
    expect(page.get_by_role("button", name="APPLY")).to_have_count(0)


@pytest.mark.shows("coupon-1")
def test_ella_can_redeem_a_code_only_once(visitor):
    page = visitor.sign_in("ella")
    page.goto("/coupon")
    page.get_by_label("Code").fill("SAVE20")
    page.get_by_role("button", name="APPLY").click()
    page.wait_for_url("**/summary**")
    plans = call_api(page, "/account/manage-plans")
    assert plans["couponDiscount"] == 162  # a fifth of Kids at the bundle's rate
    assert_total_matches(page, "Total Monthly Costs")

    page.goto("/coupon")
    page.get_by_label("Code").fill("SAVE20")
    page.get_by_role("button", name="APPLY").click()
    expect(page.get_by_text("You've already used this code.").first).to_be_visible()


def test_dan_can_claim_his_free_month_only_once(visitor):
    page = visitor.sign_in("dan")
    before = call_api(page, "/account/manage-plans")["total"]

    page.get_by_role("button", name="Claim my free month").click()
    page.get_by_role("button", name="YES, CLAIM MY FREE MONTH").click()

    expect(page.get_by_role("heading", name="Your next month is free")).to_be_visible()
    plans = call_api(page, "/account/manage-plans")
    assert (plans["couponDiscount"], plans["total"]) == (before, 0)
    assert plans["existingPlans"][0]["hasFreeMonth"]
    page.reload()
    expect(page.get_by_role("article", name="Faith & Family")).to_be_visible()
    expect(page.get_by_role("button", name="Claim my free month")).to_have_count(0)


def test_ben_undoes_a_downgrade_repeats_it_and_pays_monthly_after_his_year(visitor):
    page, demo = visitor.sign_in("ben"), visitor.demo
    already = len(provider_invoices(demo, "ben"))

    for _ in range(2):
        page.goto("/manage-subscription/downgrade")
        expect(page.get_by_text("in annual cost")).to_be_visible()
        assert confirm_change(page, save_choice(page)) == 0
        expect(page).to_have_url(re.compile("action=downgrade"))
        assert call_api(page, "/account")["plans"][0]["hasScheduledChange"]
        page.get_by_role("button", name="Undo change").click()
        expect(page.get_by_role("button", name="Undo change")).to_have_count(0)
        assert not call_api(page, "/account")["plans"][0]["hasScheduledChange"]
    page.goto("/manage-subscription/downgrade")
    confirm_change(page, save_choice(page))

    # Only the nightly jobs around the end of his year matter.
    year_ends = datetime.fromisoformat(call_api(page, "/account")["plans"][0]["nextBillingAt"])
    demo.travel_to_last_nights((year_ends - datetime.now(UTC)).days + 3)

    invoices = provider_invoices(demo, "ben")
    monthly = invoices[: len(invoices) - already]
    assert monthly
    assert {invoice["total"] for invoice in monthly} == {699}
    assert assert_total_matches(page, "Total Monthly Costs")["total"] == 699
    demo.assert_mirror_matches()
