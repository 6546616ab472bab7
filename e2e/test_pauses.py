"""Pausing instead of canceling, undoing a pause, and resuming automatically.

Ava's test comes last, since it moves the clock by two months.
"""

import re
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from e2e.support.accessibility import open_settled, read_until

REMOVED = "Scheduled Pause has been removed successfully."
DATE = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}")
# The prices of the subscriptions that are resumed automatically.
RESUMED = ["$6.29 USD", "$7.19 USD"]
# It is exactly 30 times 24 hours; a daylight saving change may move a date across midnight.
THIRTY_DAYS = [timedelta(days=days) for days in (29, 30, 31)]


def subscription_card(page, name):
    """Return the card of a subscription on the account home."""
    return page.get_by_role("article", name=name)


def first_match(pattern, text):
    """Return the first match of a pattern in a text."""
    found = re.search(pattern, text)
    assert found is not None, text
    return found.group()


def shown_dates(locator):
    """Return the dates in an element, in order; wait until there are two at least, a pause's start and end."""
    shown = read_until(locator.page, lambda: DATE.findall(locator.inner_text()), lambda dates: len(dates) >= 2)
    return [datetime.strptime(text, "%B %d, %Y") for text in shown]


@pytest.mark.shows("rule-3", "dashboard-2")
def test_dan_resumes_now_and_is_charged_the_estimated_amount(visitor):
    page = visitor.sign_in("dan")
    paused = subscription_card(page, "Gospel TV")
    expect(paused).to_contain_text("Paused")
    expect(paused).to_contain_text("Resumes automatically")
    paused.get_by_role("button", name="Resume now").click()

    dialog = page.get_by_role("dialog")
    pay = dialog.get_by_role("button", name=re.compile(r"Resume and pay"))
    expect(pay).to_contain_text(re.compile(r"\$[\d.]+"))
    expect(pay).to_be_enabled()
    amount = first_match(r"\$[\d.]+", pay.inner_text())
    pay.click()

    expect(dialog).to_be_hidden()
    expect(subscription_card(page, "Gospel TV")).to_contain_text("Active")
    page.goto("/billingHistory")
    newest = page.get_by_role("row").nth(1)
    expect(newest).to_contain_text(f"{amount} USD")
    expect(newest).to_contain_text("PAID")
    visitor.demo.wait_for_mail("dan@example.com", "Gospel TV is active again")


@pytest.mark.shows("paused-5")
def test_ella_undoes_her_scheduled_pause(visitor):
    page = visitor.sign_in("ella")
    scheduled = subscription_card(page, "Faith & Family")
    expect(scheduled).to_contain_text("Pause scheduled")
    starts, resumes = shown_dates(scheduled)[:2]
    assert resumes - starts in THIRTY_DAYS

    scheduled.get_by_role("button", name="Undo pause").click()

    expect(page.get_by_role("status").filter(has_text=REMOVED)).to_be_visible()
    expect(scheduled).to_contain_text("Active")
    expect(scheduled).to_contain_text("Next bill")


@pytest.mark.shows("shell-7")
def test_finn_sees_that_his_payment_failed(visitor):
    page = visitor.sign_in("finn")
    expect(page.get_by_text("Payment Failed")).to_be_visible()
    expect(
        page.get_by_text(
            "We couldn't process your payment. Please update your payment details to avoid any "
            "interruptions to your subscription."
        )
    ).to_be_visible()
    page.goto("/billingHistory")
    expect(page.get_by_role("row").nth(1)).to_contain_text("PAYMENT DUE")


@pytest.mark.shows("history-3")
def test_ivy_sees_that_she_has_no_subscriptions_and_no_invoices(visitor):
    page = visitor.sign_in("ivy")
    expect(page.get_by_text("No subscriptions yet")).to_be_visible()
    page.goto("/billingHistory")
    expect(
        page.get_by_text(
            "Your billing history is currently empty. You haven't made any purchases yet. "
            "Start exploring our streaming plans!"
        )
    ).to_be_visible()


def test_hugo_still_has_his_invoices_after_his_subscriptions_ended(visitor):
    page = visitor.sign_in("hugo")
    expect(page.get_by_text("Your subscriptions have ended")).to_be_visible()
    page.get_by_role("link", name="See your billing history").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("PAID")


@pytest.mark.shows("history-8")
def test_ava_downloads_the_statement_of_last_year(visitor):
    page = visitor.sign_in("ava")
    open_settled(page, "/billingHistory")
    page.get_by_role("combobox", name="Year").select_option(index=2)
    statement = re.compile(r"Download \d{4} statement")
    expect(page.get_by_role("button", name=statement)).to_be_visible()
    invoices = shown_invoices(page)
    name, text = download_pdf(page, statement)
    assert name == f"statement-{page.get_by_role('combobox', name='Year').input_value()}.pdf"
    assert [number for number, _ in invoices if number not in text] == []
    paid = sum(Decimal(total.strip("$ USD")) for _, total in invoices)
    assert f"${paid}" in text


@pytest.fixture
def ava(visitor):
    """Return Ava's page, signed in with the code from her mail."""
    return visitor.sign_in_by_code("ava")


@pytest.mark.shows("pause-4", "paused-5")
def test_ava_pauses_undoes_it_pauses_all_and_is_resumed_automatically(visitor, ava):
    page = ava
    demo = visitor.demo

    # The account home shows two subscriptions, the bundle's savings and the total.
    expect(page.get_by_role("article")).to_have_count(2)
    expect(page.get_by_text("Bundle Savings")).to_be_visible()
    expect(page.locator("dl").get_by_text("$13.48")).to_be_visible()

    # One of them is paused for 30 days; the summary shows both dates.
    subscription_card(page, "Gospel TV").get_by_role("link", name="Pause").click()
    page.get_by_role("button", name="PAUSE MY SUBSCRIPTION").click()
    page.wait_for_url("**/pause-summary")
    summary = page.get_by_role("table", name="Your Subscriptions")
    expect(summary).to_contain_text("Your pause takes effect on")
    pauses, resumes = shown_dates(summary)[:2]
    assert resumes - pauses in THIRTY_DAYS

    # She undoes it.
    summary.get_by_role("button", name="Cancel Pause").click()
    page.wait_for_url("**/dashboard")
    expect(page.get_by_role("status").filter(has_text=REMOVED)).to_be_visible()
    expect(subscription_card(page, "Gospel TV")).to_contain_text("Active")

    # Then she pauses both.
    page.goto("/pause-offer")
    page.get_by_role("button", name="PAUSE MY SUBSCRIPTION").click()
    page.wait_for_url("**/pause-summary")
    expect(page.get_by_role("button", name="Cancel Pause")).to_have_count(2)

    # The term ends: both are paused, and nothing was billed.
    invoices = newest_invoices(page)
    days = (pauses - datetime.now()).days + 3
    demo.travel_to_last_nights(days)
    page.goto("/dashboard")
    for name in ("Faith & Family", "Gospel TV"):
        expect(subscription_card(page, name)).to_contain_text("Paused")
    assert read_until(page, lambda: newest_invoices(page), lambda found: found == invoices) == invoices

    # Thirty days later both are resumed automatically; each is billed once, and she gets one mail.
    demo.travel_to_last_nights(30)
    page.goto("/dashboard")
    for name in ("Faith & Family", "Gospel TV"):
        expect(subscription_card(page, name)).to_contain_text("Active")
    demo.wait_for_mail("ava@example.com", "Faith & Family and Gospel TV are active again")
    after = read_until(page, lambda: newest_invoices(page), lambda found: sorted_totals(found[:2]) == RESUMED)
    assert after[2:] == invoices[: len(after) - 2]
    assert sorted_totals(after[:2]) == RESUMED

    # The newest invoice is a PDF with its number and its total.
    number, total = after[0]
    name, text = download_pdf(page, f"Download invoice {number}")
    assert name == "invoice.pdf"
    assert number in text
    assert total.removesuffix(" USD") in text
    demo.assert_mirror_matches()


def download_pdf(page, button):
    """Download a PDF by its button; return the name it is saved by, and its text."""
    with page.expect_download() as downloading:
        page.get_by_role("button", name=button).click()
    download = downloading.value
    return download.suggested_filename, "\n".join(sheet.extract_text() for sheet in PdfReader(download.path()).pages)


def sorted_totals(invoices):
    """Return the totals of invoices, sorted."""
    return sorted(total for _, total in invoices)


def newest_invoices(page):
    """Return the number and total of each invoice on the first page of the billing history."""
    open_settled(page, "/billingHistory")
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    return shown_invoices(page)


def shown_invoices(page):
    """Return the number and total of each invoice in the table."""
    rows = page.get_by_role("row").all()[1:]
    return [
        (
            row.get_by_role("button").inner_text().split()[-1],
            first_match(r"\$[\d.,]+ USD", row.inner_text()),
        )
        for row in rows
    ]
