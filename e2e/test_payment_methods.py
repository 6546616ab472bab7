"""Payment methods: cards in the provider's fields, PayPal, the default, deletion, and paying after a failed payment.

Every test ends with a search of all that the portal received, stored, logged and mailed: it has no card data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from e2e.support.card_data_search import CardDataSearch
from e2e.support.demo_portal import DemoPortal, Visitor

VISA = "4111111111111111"
MASTERCARD = "5555555555554444"
AMEX = "378282246310005"
JCB = "3530111333300000"
FRICTIONLESS, CHALLENGED, ALWAYS_ASKED = "4000000000002701", "4000000000002503", "4000002760003184"
PAY = re.compile(r"^Pay \$[0-9.]+ now$")
REFUSED_WHEN_ADDED = "4119862760338320"
DECLINES = "4005519200000004"
CODE = "061"
AMEX_CODE = "0617"
NOT_DELETABLE = "Your default payment method can’t be deleted because you have an active plan."  # noqa: RUF001


@pytest.fixture(autouse=True)
def search(demo: DemoPortal, page: Page) -> Iterator[CardDataSearch]:
    """Yield a search for card data; after the test, assert that there is none."""
    searching = CardDataSearch(portal=demo.url, folder=demo.folder, context=page.context)
    yield searching
    searching.assert_no_card_data(codes=[CODE, AMEX_CODE])


def hosted_input(page: Page, label: str):
    """Return the input inside one of the provider's fields."""
    return page.get_by_role("group", name=label).frame_locator("iframe").locator("input")


def type_card(page: Page, number: str, *, code: str = CODE, expiry: str = "08 / 34") -> None:
    """Type a card into the provider's fields."""
    hosted_input(page, "Card number").press_sequentially(number)
    hosted_input(page, "Expiry date").press_sequentially(expiry)
    hosted_input(page, "Security code").press_sequentially(code)


def fill_cardholder(page: Page, name: str, state: str = "Ohio", zip_code: str = "43004") -> None:
    """Fill in the cardholder's name and address."""
    page.get_by_label("Name on card").fill(name)
    page.get_by_label("State").fill(state)
    page.get_by_label("Zip code").fill(zip_code)


def open_add_form(page: Page, kind: str) -> None:
    """Open the form for a new card or PayPal account, starting at the list."""
    page.goto("/manage-payment-method")
    page.get_by_role("link", name="ADD NEW PAYMENT METHOD").click()
    page.get_by_role("radio", name=kind).check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def add_card(page: Page, number: str, *, code: str = CODE, name: str = "Grace Van Dyke") -> None:
    """Add a card, starting at the list."""
    open_add_form(page, "Card")
    fill_cardholder(page, name)
    type_card(page, number, code=code)
    page.get_by_role("button", name="Add card").click()


def bank_page(page: Page):
    """Return the page of the card's bank, in its frame above ours."""
    return page.frame_locator('iframe[title="Bank authentication"]')


def method_row(page: Page, name: str):
    """Return a row of the list."""
    return page.get_by_role("listitem").filter(has=page.get_by_role("radio", name=name))


def use_card_that_asks(page: Page, name: str) -> None:
    """Add a card whose bank asks for every payment, and make it the default."""
    add_card(page, ALWAYS_ASKED, name=name)
    bank_page(page).get_by_role("button", name="Confirm").click()
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    page.get_by_role("radio", name="Visa ending in 3184").check()
    expect(method_row(page, "Visa ending in 3184")).to_contain_text("Default")


def pay_as_the_bank_confirms(page: Page) -> None:
    """Pay the declined charge of a change, which the card's bank confirms."""
    expect(page.get_by_role("heading", name="Confirm Payment")).to_be_visible()
    page.get_by_role("button", name=PAY).click()
    bank_page(page).get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/dashboard")


def decide_at_paypal(page: Page, decision: str, email: str) -> None:
    """Click PayPal's button, and then a button in its window."""
    with page.expect_popup() as window:
        page.frame_locator("iframe[title=PayPal]").get_by_role("button", name="PayPal").click()
    window.value.get_by_label("PayPal e-mail address").fill(email)
    window.value.get_by_role("button", name=decision).click()


@pytest.mark.shows("payment-1", "payment-2", "payment-6", "payment-10", "payment-20")
def test_jo_adds_cards_of_several_brands_sets_a_default_and_deletes_one(visitor: Visitor) -> None:
    page = visitor.sign_in("jo")
    for number, brand, code in (
        (MASTERCARD, "Mastercard ending in 4444", CODE),
        (AMEX, "Amex ending in 0005", AMEX_CODE),
        (JCB, "JCB ending in 0000", CODE),
        (VISA, "Visa ending in 1111", CODE),
    ):
        add_card(page, number, code=code)
        expect(page.get_by_role("heading", name="Card Information Added")).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text(number[-4:])
        expect(page.get_by_role("main")).to_contain_text("Grace Van Dyke")
        page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
        expect(page.get_by_role("radio", name=brand).last).to_be_visible()

    page.get_by_role("radio", name="JCB ending in 0000").check()
    expect(method_row(page, "JCB ending in 0000")).to_contain_text("Default")
    expect(page.get_by_role("radio", name="PayPal")).not_to_be_checked()

    page.get_by_role("button", name="Delete Amex ending in 0005").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Are you sure you want to delete your payment method?")
    expect(dialog).to_contain_text("does not affect your active subscription")
    dialog.get_by_role("button", name="YES, REMOVE").click()
    expect(page.get_by_role("radio", name="Amex ending in 0005")).to_have_count(0)
    expect(page.get_by_role("heading").and_(page.locator(":focus"))).to_have_count(1)

    page.reload()
    expect(page.get_by_role("radio", name="JCB ending in 0000")).to_be_checked()
    visitor.demo.wait_for_mail("jo@example.com", "JCB")
    visitor.demo.assert_mirror_matches()


def test_a_refused_card_keeps_the_form_filled_in_and_another_card_is_accepted(visitor: Visitor) -> None:
    page = visitor.sign_in("ivy")
    page.goto("/manage-payment-method")
    add_card(page, REFUSED_WHEN_ADDED, name="Ivy Moss")
    expect(page.get_by_role("main")).to_contain_text("Your bank declined this card. Nothing was added or charged.")
    expect(page.get_by_label("Name on card")).to_have_value("Ivy Moss")

    hosted_input(page, "Card number").fill("")
    hosted_input(page, "Card number").press_sequentially(DECLINES)
    page.get_by_role("button", name="Add card").click()
    expect(page.get_by_role("heading", name="Card Information Added")).to_be_visible()

    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    page.get_by_role("button", name="Delete Visa ending in 0004").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("you will need to add a new one to reactivate a subscription")
    dialog.get_by_role("button", name="YES, REMOVE").click()
    expect(page.get_by_role("listitem").filter(has=page.get_by_role("radio"))).to_have_count(0)
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("payment-10")
def test_the_form_says_what_is_missing_and_focuses_it(visitor: Visitor) -> None:
    page = visitor.sign_in("ben")
    page.goto("/add-payment-method")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Choose payment method to continue").first).to_be_visible()

    page.get_by_role("radio", name="Card").check()
    page.get_by_role("button", name="Continue").click()
    name = page.get_by_label("Name on card")
    expect(name).to_have_value("Benjamin Carter")
    name.fill("")
    page.get_by_role("button", name="Add card").click()
    expect(name).to_be_focused()
    hosted_input(page, "Card number").press_sequentially("4111111111111112")
    expect(page.get_by_role("alert").filter(has_text=re.compile("card number", re.IGNORECASE))).to_be_visible()
    visitor.demo.assert_mirror_matches()


def test_ava_corrects_her_card_and_then_replaces_its_number(visitor: Visitor) -> None:
    page = visitor.sign_in("ava")
    page.goto("/manage-payment-method")
    unavailable = page.get_by_role("button", name="Delete Visa ending in 1111")
    expect(unavailable).to_be_disabled()
    expect(page.get_by_text(NOT_DELETABLE).first).to_be_visible()

    page.get_by_role("link", name="Edit Visa ending in 1111").click()
    fill_cardholder(page, "Ava May Thompson", "Utah", "84101")
    page.reload()
    fill_cardholder(page, "Ava May Thompson", "Utah", "84101")
    page.get_by_role("button", name="Save card").click()
    expect(page.get_by_role("main")).to_contain_text("Ava May Thompson")
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()

    page.get_by_role("link", name="Edit Visa ending in 1111").click()
    expect(page.get_by_label("Name on card")).to_have_value("Ava May Thompson")
    expect(page.get_by_label("Zip code")).to_have_value("84101")
    type_card(page, AMEX, code=AMEX_CODE)
    page.get_by_role("button", name="Save card").click()
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    expect(page.get_by_role("radio", name="Amex ending in 0005")).to_be_checked()
    expect(page.get_by_role("radio", name="Visa ending in 1111")).to_have_count(0)
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("payment-20")
def test_carla_cancels_at_paypal_fails_there_and_then_adds_it(visitor: Visitor) -> None:
    page = visitor.sign_in("carla")
    open_add_form(page, "PayPal")
    expect(page.get_by_role("heading", name="Add Payment Method")).to_be_visible()
    decide_at_paypal(page, "Cancel and return", "carla@paypal.example")
    expect(page.get_by_role("main")).to_contain_text("Nothing was added or charged.")
    page.get_by_role("button", name="Try again").click()

    decide_at_paypal(page, "Let the payment fail", "carla@paypal.example")
    expect(page.get_by_role("alert")).to_have_text("PayPal could not take a payment from this account")
    page.get_by_role("button", name="Try again").click()

    decide_at_paypal(page, "Agree and continue", "carla@paypal.example")
    expect(page.get_by_role("heading", name="Successfully Added PayPal Account")).to_be_visible()
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    expect(method_row(page, "PayPal")).to_contain_text("carla@paypal.example")

    page.get_by_role("link", name="Edit PayPal (carla@paypal.example)").click()
    expect(page.get_by_role("heading", name="Update Payment Method")).to_be_visible()
    decide_at_paypal(page, "Agree and continue", "carla.new@paypal.example")
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    expect(method_row(page, "PayPal")).to_contain_text("carla.new@paypal.example")
    expect(page.get_by_role("radio", name="PayPal")).to_have_count(1)
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("rule-20")
def test_dan_resumes_and_upgrades_with_charges_that_his_bank_confirms(visitor: Visitor) -> None:
    page = visitor.sign_in("dan")
    use_card_that_asks(page, "Dan Brooks")

    page.goto("/dashboard")
    page.get_by_role("button", name="Resume now").click()
    resuming = page.get_by_role("dialog")
    resuming.get_by_role("button", name=re.compile("Resume and pay")).click()
    resuming.get_by_role("button", name="Confirm with your bank").click()
    pay_as_the_bank_confirms(page)
    expect(page.get_by_role("article", name="Gospel TV").first).to_contain_text("Active")

    page.goto("/manage-subscription/upgrade")
    page.get_by_role("checkbox", name="Gospel TV").uncheck()
    expect(page.get_by_text("for the remaining days of your monthly subscription")).to_be_visible()
    page.get_by_role("button", name="SAVE CHANGES").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^YES, UPGRADE")).click()
    failed = page.get_by_role("dialog", name="Payment Failed")
    failed.get_by_role("button", name="Confirm with your bank").click()
    pay_as_the_bank_confirms(page)
    expect(page.get_by_role("article", name="Faith & Family").first).to_contain_text("/ year")
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("shell-8", "shell-9")
def test_finn_replaces_his_card_from_the_banner_and_pays_what_is_due(visitor: Visitor) -> None:
    page = visitor.sign_in("finn")
    page.get_by_role("link", name="UPDATE PAYMENT DETAILS").click()
    page.wait_for_url("**/update-card-payment-method?**")
    expect(page.get_by_role("main")).to_contain_text("$6.99")

    # The bank declines again: the new card is saved, and the amount is still due.
    fill_cardholder(page, "Finn Larsen")
    type_card(page, DECLINES)
    page.get_by_role("button", name="Save card").click()
    page.get_by_role("dialog").get_by_role("button", name="YES, PAY $6.99").click()
    expect(page.get_by_role("main")).to_contain_text("$6.99 is still due.")

    page.get_by_role("link", name="UPDATE PAYMENT DETAILS").click()
    type_card(page, MASTERCARD)
    page.get_by_role("button", name="Save card").click()
    page.get_by_role("dialog").get_by_role("button", name="YES, PAY $6.99").click()
    expect(page.get_by_role("main")).to_contain_text("$6.99 was charged.")
    expect(page.get_by_text("Payment Failed")).to_have_count(0)

    page.goto("/billingHistory")
    expect(page.get_by_role("row").nth(1)).to_contain_text("PAID")
    expect(page.get_by_role("row").nth(1)).to_contain_text("4444")
    receipt = visitor.demo.wait_for_mail("finn@example.com", "Mastercard ending in 4444")
    body = receipt.get_body(("plain",))
    assert body is not None
    assert "$6.99" in body.get_content()
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("reliability-33")
def test_the_portal_works_while_the_providers_script_is_blocked(visitor: Visitor) -> None:
    page = visitor.sign_in("dan")
    page.route("**/v2/chargebee.js", lambda route: route.abort())
    page.goto("/add-card-payment-method")
    again = page.get_by_role("button", name=re.compile("try again", re.IGNORECASE))
    expect(again).to_be_visible()
    page.get_by_role("link", name="Manage Your Account").click()
    expect(page.get_by_role("article").first).to_be_visible()

    page.goto("/add-card-payment-method")
    expect(again).to_be_visible()
    page.unroute("**/v2/chargebee.js")
    again.click()
    expect(hosted_input(page, "Card number")).to_be_visible()


def test_gia_pays_what_is_due_with_paypal(visitor: Visitor) -> None:
    page = visitor.sign_in("gia")
    kids = page.get_by_role("article", name="Kids")
    kids.get_by_role("button", name="Keep my subscription").click()
    expect(kids).to_contain_text("Active")
    add_card(page, DECLINES, name="Gia Rossi")
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    page.get_by_role("radio", name="Visa ending in 0004").check()
    expect(method_row(page, "Visa ending in 0004")).to_contain_text("Default")

    visitor.demo.travel_to_last_nights(15)
    page.goto("/dashboard")
    expect(page.get_by_text("Payment Failed")).to_be_visible()
    expect(page.get_by_role("link", name="UPDATE PAYMENT DETAILS")).to_have_attribute(
        "href", re.compile(r"^/update-card-payment-method\?")
    )
    page.goto("/manage-payment-method")
    page.get_by_role("radio", name="PayPal").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("due will be charged now")
    dialog.get_by_role("button", name=re.compile(r"YES, PAY \$7\.99")).click()
    expect(page.get_by_role("main")).to_contain_text("$7.99 was charged.")
    expect(page.get_by_role("radio", name="PayPal")).to_be_checked()

    page.goto("/billingHistory")
    newest = page.get_by_role("row").nth(1)
    expect(newest).to_contain_text("PAID")
    expect(newest).to_contain_text("@")
    expect(page.get_by_text("Payment Failed")).to_have_count(0)
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("rule-20")
def test_ella_adds_cards_and_pays_a_renewal_that_her_bank_confirms(visitor: Visitor) -> None:
    page = visitor.sign_in("ella")
    add_card(page, FRICTIONLESS, name="Ella Novak")
    expect(page.get_by_role("heading", name="Card Information Added")).to_be_visible()

    add_card(page, CHALLENGED, name="Ella Novak")
    for choice, message in (
        ("Fail the check", "Your bank couldn’t confirm that it’s you."),  # noqa: RUF001
        ("Cancel", "You left your bank’s confirmation before finishing."),  # noqa: RUF001
        ("Let the time run out", "Your bank’s confirmation took too long."),  # noqa: RUF001
    ):
        bank_page(page).get_by_role("button", name=choice).click()
        expect(page.get_by_role("main")).to_contain_text(f"{message} Nothing was added or charged.")
        expect(page.get_by_label("Name on card")).to_have_value("Ella Novak")
        page.get_by_role("button", name="Add card").click()
    expect(page.get_by_role("main")).to_contain_text("Checking with your bank.")
    bank_page(page).get_by_role("button", name="Confirm").click()

    expect(page.get_by_role("heading", name="Card Information Added")).to_be_visible()
    page.get_by_role("link", name="BACK TO MANAGE PAYMENT METHOD").click()
    for ending in ("2701", "2503"):
        expect(page.get_by_role("radio", name=f"Visa ending in {ending}")).to_have_count(1)

    # The renewal is declined until Ella confirms it.
    use_card_that_asks(page, "Ella Novak")
    visitor.demo.travel_to_last_nights(31)
    page.goto("/manage-payment-method")
    page.get_by_role("button", name=PAY).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("YES, PAY")).click()
    expect(page.get_by_role("main")).to_contain_text("The payment didn’t go through.")  # noqa: RUF001

    page.get_by_role("link", name="Confirm the payment with your bank").click()
    expect(page.get_by_role("heading", name="Confirm Payment")).to_be_visible()
    page.get_by_role("button", name=PAY).click()
    bank_page(page).get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("main")).to_contain_text("You left your bank’s confirmation")  # noqa: RUF001
    page.get_by_role("button", name=PAY).click()
    bank_page(page).get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/manage-payment-method")
    expect(page.get_by_text("You’re all paid up.")).to_be_visible()  # noqa: RUF001
    expect(page.get_by_role("radio", name="Visa ending in 3184")).to_be_checked()
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("rule-20")
def test_hugo_starts_two_services_with_charges_that_his_bank_confirms(visitor: Visitor) -> None:
    page = visitor.sign_in("hugo")
    use_card_that_asks(page, "Hugo Berg")

    page.goto("/manage-subscription")
    for service in ("Gospel TV", "Kids"):
        page.get_by_role("checkbox", name=service).check()
    page.get_by_role("button", name="SAVE CHANGES").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Yes, add Gospel TV and Kids and pay")).click()
    failed = page.get_by_role("dialog", name="Payment Failed")
    failed.get_by_role("button", name="Confirm with your bank").click()

    main = page.get_by_role("main")
    expect(page.get_by_role("heading", name="Confirm Payment")).to_be_visible()
    expect(main).to_contain_text("is 2 payments. Your bank may ask you to confirm each.")
    page.get_by_role("button", name=PAY).click()
    bank_page(page).get_by_role("button", name="Fail the check").click()
    expect(main).to_contain_text("Nothing was charged.")
    page.reload()
    page.get_by_role("button", name=PAY).click()
    expect(main).to_contain_text("Payment 1 of 2.")
    bank_page(page).get_by_role("button", name="Confirm").click()
    expect(main).to_contain_text("Payment 2 of 2.")
    bank_page(page).get_by_role("button", name="Cancel").click()
    expect(main).to_contain_text("You left your bank’s confirmation")  # noqa: RUF001
    # What the bank has confirmed is kept: it asks about the second payment only.
    page.get_by_role("button", name=PAY).click()
    expect(main).to_contain_text("Payment 2 of 2.")
    bank_page(page).get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/dashboard")
    for service in ("Gospel TV", "Kids"):
        expect(page.get_by_role("article", name=service).first).to_contain_text("Active")
    visitor.demo.assert_mirror_matches()
