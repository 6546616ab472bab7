"""The subscriber's own data: profile, emails, sessions, and the data export."""

import json

import pytest
from playwright.sync_api import Dialog, expect

from e2e.support.accessibility import read_until
from e2e.support.demo_portal import session_storage_state

UPDATED = "Profile details updated successfully."


def save_profile(page):
    """Save the profile and wait for the confirmation."""
    page.get_by_role("button", name="Update Profile").click()
    expect(page.get_by_text(UPDATED)).to_be_visible()


@pytest.mark.shows("profile-4")
def test_ben_changes_his_name_here_and_at_the_provider(visitor):
    page = visitor.sign_in("ben")
    page.get_by_role("link", name="Profile", exact=True).click()
    page.get_by_label("First name").fill("Benedict")
    page.get_by_label("Month").select_option("2")
    page.get_by_label("Day", exact=True).select_option("29")
    save_profile(page)

    page.reload()
    expect(page.get_by_label("Month")).to_have_value("2")
    expect(page.get_by_label("Day", exact=True)).to_have_value("29")
    expect(page.get_by_text("ben@example.com").first).to_be_visible()
    expect(page.get_by_label("First name")).to_have_value("Benedict")
    visitor.demo.assert_mirror_matches()

    page.get_by_role("button", name="Clear birthday").click()
    save_profile(page)


@pytest.mark.shows("profile-10")
def test_dan_is_asked_before_his_unsaved_name_is_lost(visitor):
    page = visitor.sign_in("dan")
    page.goto("/dashboard")
    page.get_by_role("link", name="Profile", exact=True).click()
    name, question = page.get_by_label("First name"), page.get_by_role("dialog", name="Leave without saving?")
    name.fill("Danny")

    page.get_by_role("link", name="Home", exact=True).click()
    question.get_by_role("button", name="NO, CANCEL").click()
    expect(page.get_by_role("link", name="Home", exact=True)).to_be_focused()
    page.go_back()
    question.get_by_role("button", name="NO, CANCEL").click()
    page.wait_for_url("**/edit-profile")
    expect(name).to_have_value("Danny")

    # Keeping the page would make `reload` wait forever, so the browser's question is answered with yes.
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.once("dialog", accept)
    page.reload()
    assert asked == ["beforeunload"]
    expect(name).not_to_have_value("Danny")

    name.fill("Danny")
    page.go_back()
    question.get_by_role("button", name="YES, LEAVE").click()
    page.wait_for_url("**/dashboard")


# The transition durations of a dialog and its backdrop.
DURATIONS = """(dialog) => ['', '::backdrop'].map(
  (part) => getComputedStyle(dialog, part).transitionDuration.split(', ')[0])"""


def expect_durations(dialog, durations):
    """Assert the transition durations of a dialog and its backdrop."""
    shown = read_until(dialog.page, lambda: dialog.evaluate(DURATIONS), lambda found: found == durations)
    assert shown == durations


@pytest.mark.shows("shell-14", "emails-4", "emails-7", "emails-10")
def test_ivy_subscribes_to_emails_and_then_unsubscribes_from_all(visitor):
    page = visitor.sign_in("ivy")
    page.get_by_role("button", name="Your profile").click()
    page.get_by_role("link", name="Email Preferences").first.click()
    expect(page.get_by_role("button", name="Unsubscribe From All")).to_be_hidden()
    page.get_by_role("checkbox", name="What's Streaming").check()
    page.get_by_role("checkbox", name="Promotions").check()
    page.get_by_role("button", name="SAVE PREFERENCES").click()

    page.wait_for_url("**/emailConfirm")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    wanted = page.get_by_role("list", name="Subscribed emails")
    expect(wanted.get_by_role("listitem")).to_have_count(2)

    page.get_by_role("link", name="Change your email preferences").click()
    page.get_by_role("button", name="Unsubscribe From All").click()
    expect_durations(page.get_by_role("dialog"), ["0s", "0s"])
    page.emulate_media(reduced_motion="no-preference")
    expect_durations(page.get_by_role("dialog"), ["0.3s", "0.15s"])
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="YES, UNSUBSCRIBE").click()
    page.wait_for_url("**/emailConfirm?state=unsubscribeAll")
    expect(page.get_by_text("PLEASE ALLOW 10 (ten) business days")).to_be_visible()
    expect(wanted).to_be_hidden()
    page.get_by_role("link", name="BACK TO ACCOUNT PORTAL").click()
    page.wait_for_url("**/dashboard")


@pytest.mark.shows("rule-15")
def test_hugo_downloads_his_data_and_signs_out_everywhere_else(visitor, browser, browser_context_args):
    page = visitor.sign_in("hugo")
    # A second session, for the other browser.
    token = visitor.demo.open_sessions("hugo")["hugo"]
    with browser.new_context(
        **browser_context_args, storage_state=session_storage_state(token, origin=visitor.demo.url)
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
        expect(page.get_by_text("not signed in anywhere else.")).to_be_visible()
        other.reload()
        expect(other.get_by_role("button", name="Send code")).to_be_visible()
