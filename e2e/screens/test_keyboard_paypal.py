"""The first purchase with PayPal and the keyboard alone: from the mailed code to a started service."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from e2e.support.keyboard import (
    begin_first_purchase,
    button_named,
    expect_new_screen,
    tab_to,
    tab_to_and_press,
    tab_within_frame,
)


@pytest.mark.shows("dashboard-21", "payment-20")
def test_a_visitor_can_sign_in_and_start_kids_with_paypal(visitor):
    page = visitor.page
    begin_first_purchase(page, visitor.demo)

    # The link is the first control of the form, before the fields that it makes needless.
    other_kind = page.get_by_role("link", name="Pay with PayPal instead")
    expect(other_kind).to_be_visible()
    tab_to(other_kind)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Name on card")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect_new_screen(page, "/add-paypal-payment-method?*")
    expect(page.get_by_role("region", name="Your order")).to_contain_text("$8.99 / month")

    pay = page.frame_locator("iframe[title=PayPal]").get_by_role("button", name="PayPal")
    expect(pay).to_be_visible()
    tab_within_frame(pay)
    expect(pay).to_have_css("outline-style", "solid")
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    paypal = opened.value
    address = paypal.get_by_label("PayPal e-mail address")
    expect(address).to_be_visible()
    tab_to(address)
    paypal.keyboard.press("ControlOrMeta+A")
    paypal.keyboard.type("ivy@paypal.example")
    tab_to_and_press(button_named(paypal, "Agree and continue"))

    expect_new_screen(page, "/add-payment-method-success?*")
    expect(page.get_by_role("main")).to_contain_text("ivy@paypal.example")
    tab_to_and_press(page.get_by_role("link", name="Continue to start Kids"))
    page.wait_for_url("**/manage-subscription?*")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="No, cancel")).to_be_focused()
    expect(dialog).to_contain_text("charged to PayPal")
    tab_to_and_press(dialog.get_by_role("button", name=re.compile(r"Yes, add Kids and pay \$8\.99")))
    expect_new_screen(page, "/summary?*")
    expect(page.get_by_role("main")).to_contain_text("You added Kids.")
    visitor.demo.assert_mirror_matches()
