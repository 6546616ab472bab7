"""What is one's own: names, emails, where one is signed in, everything the portal holds."""

import json

from playwright.sync_api import expect

from e2e.demo import stored

UPDATED = "Profile details updated successfully."


def saved(page):
    """Press the button and wait until it is said to be done."""
    page.get_by_role("button", name="Update Profile").click()
    expect(page.get_by_text(UPDATED)).to_be_visible()


def test_ben_changes_his_name_here_and_at_the_provider(visitor):
    page = visitor.sign_in("ben")
    page.get_by_role("link", name="Your Profile").click()
    page.get_by_label("First name").fill("Benedict")
    page.get_by_label("Month").select_option("2")
    page.get_by_label("Day", exact=True).select_option("29")
    saved(page)

    page.reload()
    expect(page.get_by_label("Month")).to_have_value("2")
    expect(page.get_by_label("Day", exact=True)).to_have_value("29")
    expect(page.get_by_text("ben@example.com").first).to_be_visible()
    expect(page.get_by_label("First name")).to_have_value("Benedict")
    visitor.demo.compare()

    page.get_by_role("button", name="Clear birthday").click()
    saved(page)


# How long a modal takes to come and go, and how long its backdrop does.
DURATIONS = """(dialog) => ['', '::backdrop'].map(
  (part) => getComputedStyle(dialog, part).transitionDuration.split(', ')[0])"""


def test_ivy_chooses_emails_and_then_wants_none(visitor):
    page = visitor.sign_in("ivy")
    page.get_by_role("button", name="Your profile").click()
    page.get_by_role("link", name="Email Preferences").first.click()
    expect(page.get_by_role("button", name="Unsubscribe From All")).to_be_hidden()
    page.get_by_role("checkbox", name="What's Streaming").check()
    page.get_by_role("checkbox", name="Promotions").check()
    page.get_by_role("button", name="SAVE PREFERENCES").click()

    page.wait_for_url("**/emailConfirm")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    wanted = page.get_by_role("list", name="Emails you are subscribed to")
    expect(wanted.get_by_role("listitem")).to_have_count(2)

    page.get_by_role("link", name="Change your email preferences").click()
    page.get_by_role("button", name="Unsubscribe From All").click()
    assert page.get_by_role("dialog").evaluate(DURATIONS) == ["0s", "0s"]
    page.emulate_media(reduced_motion="no-preference")
    assert page.get_by_role("dialog").evaluate(DURATIONS) == ["0.3s", "0.15s"]
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="YES, UNSUBSCRIBE").click()
    page.wait_for_url("**/emailConfirm?state=unsubscribeAll")
    expect(page.get_by_text("PLEASE ALLOW 10 (ten) business days")).to_be_visible()
    expect(wanted).to_be_hidden()
    page.get_by_role("link", name="BACK TO ACCOUNT PORTAL").click()
    page.wait_for_url("**/dashboard")


def test_hugo_takes_his_data_along_and_signs_out_elsewhere(visitor, browser, browser_context_args):
    page = visitor.sign_in("hugo")
    # A second code within half a minute is refused, so the other browser's session is opened at the server.
    token = visitor.demo.open_sessions("hugo")["hugo"]
    with browser.new_context(
        **browser_context_args, storage_state=stored(token, at=visitor.demo.url)
    ) as elsewhere:
        other = elsewhere.new_page()
        other.goto("/edit-profile")
        with other.expect_download() as started:
            other.get_by_role("button", name="Download your data").click()
        held = json.loads(started.value.path().read_text())
        assert held["profile"]["email"] == "hugo@example.com"
        assert held["invoices"]

        page.goto("/edit-profile")
        page.get_by_role("button", name="Sign out everywhere else").click()
        expect(page.get_by_text("You are signed in nowhere else.")).to_be_visible()
        other.reload()
        expect(other.get_by_role("button", name="Send code")).to_be_visible()
