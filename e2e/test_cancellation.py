"""Canceling is as easy as pausing, shows every date, and can be undone while it is only scheduled."""

import re

import pytest
from playwright.sync_api import expect

from e2e.support.accessibility import axe_violations_in_all_looks, read_until

ALL_END = "All your subscriptions will be cancel at the end of current term"
DATE = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}")
LINK = re.compile(r"https?://\S+/(dashboard\?undo=\S+)")
PRINT_GIAS_SUBSCRIPTION = """
from billing.models import Subscription
print(Subscription.objects.get(customer__account__email="gia@example.com").provider_id)
"""
PHONE = {"width": 360, "height": 740}


def subscription_card(page, name):
    """Return the card of a subscription on the account home."""
    return page.get_by_role("article", name=name)


def cancel_terms(page):
    """Return the list of the cancellation's consequences on the cancel screen."""
    return page.get_by_role("list", name="What happens if you cancel")


def confirm_cancellation(page):
    """Confirm the cancellation, and wait for the account home."""
    page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)").click()
    page.wait_for_url("**/dashboard")


def status_message(page, words):
    """Return the status messages that contain these words."""
    return page.get_by_role("status").filter(has_text=words)


def first_date(locator):
    """Return the first date in an element, as text; wait until there is one."""
    dates = read_until(locator.page, lambda: DATE.findall(locator.inner_text()), bool)
    assert dates, locator.inner_text()
    return dates[0]


@pytest.mark.shows("pause-6")
def test_ava_cancels_one_of_two_subscriptions_and_undoes_it_with_the_link_in_the_mail(visitor):
    page = visitor.sign_in("ava")
    subscription_card(page, "Gospel TV").get_by_role("link", name="Pause").click()
    page.get_by_role("link", name="No thanks, continue to cancel").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("We are sad to see you go!")
    expect(page.get_by_role("table")).not_to_contain_text("Faith & Family")
    page.reload()
    expect(page.get_by_role("table")).not_to_contain_text("Faith & Family")
    expect(cancel_terms(page)).to_contain_text("keep Faith & Family. Your next bill is $6.99 on")
    ends = first_date(cancel_terms(page))
    page.get_by_label("Why are you leaving?").select_option("Too expensive")
    confirm_cancellation(page)

    expect(status_message(page, f"Your access to Gospel TV ends on {ends}.").first).to_be_visible()
    expect(subscription_card(page, "Gospel TV")).to_contain_text("Not renewing")
    mail = visitor.demo.wait_for_mail("ava@example.com", "Your cancellation of Gospel TV")
    found = LINK.search(mail.get_body(("plain",)).get_content())
    assert found is not None
    link = found.group(1)

    page.goto(link)
    dialog = page.get_by_role("dialog", name="Keep Gospel TV?")
    expect(dialog).to_contain_text(f"is set to end on {ends}")
    dialog.get_by_role("button", name="Keep Gospel TV").click()

    expect(status_message(page, "Your cancellation was undone. Gospel TV will renew as usual.")).to_be_visible()
    expect(subscription_card(page, "Gospel TV")).to_contain_text("Active")
    page.goto(link)
    expect(page.get_by_role("dialog", name="Nothing to undo")).to_be_visible()
    visitor.demo.assert_mirror_matches()


def test_dan_cancels_a_paused_subscription_immediately_and_can_restart_it_at_its_price(visitor):
    page = visitor.sign_in("dan")
    subscription_card(page, "Gospel TV").get_by_role("link", name="Cancel").click()
    expect(cancel_terms(page)).to_contain_text("Gospel TV is paused and ends immediately.")
    expect(page.get_by_text("Stay for a little longer?")).to_be_hidden()
    page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)").click()
    dialog = page.get_by_role("dialog", name="End Gospel TV now?")
    dialog.get_by_role("button", name="NO, CANCEL").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)").click()
    dialog.get_by_role("button", name="Yes, end Gospel TV now").click()
    page.wait_for_url("**/dashboard")

    expect(status_message(page, "Gospel TV has ended today.")).to_be_visible()
    expect(subscription_card(page, "Faith & Family")).to_contain_text("Active")
    ended = page.get_by_role("region", name="Ended subscriptions")
    expect(ended).to_contain_text("$7.99 / month")
    assert axe_violations_in_all_looks(page) == []
    ended.get_by_role("link", name="Start again with Gospel TV").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Yes, add Gospel TV and pay")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("checkbox", name="Gospel TV")).to_be_checked()
    visitor.demo.assert_mirror_matches()


def test_hugo_restarts_an_ended_subscription_at_the_price_shown(visitor):
    page = visitor.sign_in("hugo")
    ended = page.get_by_role("region", name="Ended subscriptions")
    expect(ended).to_contain_text("$6.99 / month")
    ended.get_by_role("link", name="Start again with Faith & Family").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("$6.99")
    dialog.get_by_role("button").last.click()
    page.wait_for_url("**/summary**")

    page.goto("/dashboard")
    expect(subscription_card(page, "Faith & Family")).to_contain_text("Active")
    page.goto("/billingHistory")
    expect(page.get_by_role("row").nth(1)).to_contain_text("$6.99 USD")
    visitor.demo.assert_mirror_matches()


@pytest.mark.shows("cancel-13", "cancel-14")
def test_ella_cancels_despite_a_scheduled_pause_and_everything_ends_with_its_term(visitor):
    page = visitor.sign_in("ella")
    page.get_by_role("link", name="Cancel Subscriptions").click()
    expect(cancel_terms(page)).to_contain_text(re.compile(r"Your access( to Faith & Family)? continues until"))
    confirm_cancellation(page)

    expect(status_message(page, ALL_END)).to_be_visible()
    for name in ("Faith & Family", "Kids"):
        expect(subscription_card(page, name)).to_contain_text("Access ends")
    page.goto("/cancelAll")
    expect(page.get_by_text("Nothing to cancel")).to_be_visible()
    visitor.demo.assert_mirror_matches()


def test_gia_undoes_a_cancellation_by_a_link_that_requires_a_sign_in(visitor):
    page, demo = visitor.page, visitor.demo
    page.goto(f"/dashboard?undo={demo.run_manage('shell', '-c', PRINT_GIAS_SUBSCRIPTION).strip().splitlines()[-1]}")
    page.get_by_label("Email address").fill("gia@example.com")
    page.get_by_role("button", name="Send code").click()
    page.get_by_label("Six-digit code").fill(demo.wait_for_code("gia@example.com"))

    dialog = page.get_by_role("dialog", name="Keep Kids?")
    dialog.get_by_role("button", name="Keep Kids").click()
    expect(status_message(page, "Your cancellation was undone. Kids will renew as usual.")).to_be_visible()
    expect(subscription_card(page, "Kids")).to_contain_text("Active")
    expect(page.get_by_role("region", name="Activity")).to_contain_text("Your cancellation of Kids was undone")
    demo.assert_mirror_matches()


@pytest.mark.shows("cancel-4")
def test_ben_sees_the_heading_for_long_term_subscribers(visitor):
    page = visitor.sign_in("ben")
    page.goto("/cancelAll")
    expect(page.get_by_role("heading", level=1)).to_have_text("It breaks our heart to see you go!")


def test_jo_sees_pause_and_cancel_buttons_together_and_in_the_same_style(visitor):
    page = visitor.sign_in("jo")
    page.set_viewport_size(PHONE)
    page.goto("/cancelAll")
    pause = page.get_by_role("button", name="Pause for a month")
    end = page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)")
    pause.scroll_into_view_if_needed()
    end.scroll_into_view_if_needed()
    expect(pause).to_be_in_viewport(ratio=1)
    expect(end).to_be_in_viewport(ratio=1)
    looks = read_until(page, lambda: (_button_look(pause), _button_look(end)), lambda pair: pair[0] == pair[1])
    assert looks[0] == looks[1]

    pause.click()
    page.wait_for_url("**/pause-summary")
    expect(page.get_by_role("button", name="Cancel Pause")).to_have_count(3)


def _button_look(button):
    """Return the size, colors and font of a button."""
    return button.evaluate(
        "button => [button.offsetWidth, button.offsetHeight, ...['color', 'backgroundColor', 'fontSize', 'fontWeight']"
        ".map((name) => getComputedStyle(button)[name])]"
    )
