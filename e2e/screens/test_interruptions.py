"""Screens that are interrupted by a lost connection, an ended session or another tab."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from e2e.support.accessibility import TARGET_SIZE, axe_violations, open_settled

UNREACHABLE = "We couldn’t connect."  # noqa: RUF001
OFFLINE = "You’re offline"  # noqa: RUF001
UNAFFECTED = "This doesn’t affect your subscriptions."  # noqa: RUF001
# The page has its heading when the app has started.
WITHOUT_HEADING = {"rules": {**TARGET_SIZE, "page-has-heading-one": {"enabled": False}}}


def test_a_form_shows_that_it_is_offline_keeps_its_contents_and_recovers(signed_in):
    page = open_settled(signed_in("jo"), "/coupon")
    main, code = page.get_by_role("main"), page.get_by_label("Code")
    code.fill("SAVE20")
    page.context.set_offline(True)
    expect(main.get_by_role("status").filter(has_text=OFFLINE)).to_be_visible()
    page.get_by_role("button", name="APPLY").click()
    expect(main).to_contain_text(UNREACHABLE)
    expect(code).to_be_focused()
    expect(code).to_have_value("SAVE20")
    assert axe_violations(page) == []

    page.context.set_offline(False)
    expect(main).not_to_contain_text(OFFLINE)
    page.get_by_role("button", name="APPLY").click()
    page.wait_for_url("**/summary")


def test_a_screen_opened_offline_shows_an_error_and_loads_once_online(signed_in):
    page = open_settled(signed_in("ava"), "/dashboard")
    page.context.set_offline(True)
    expect(page.get_by_role("article")).to_have_count(2)
    page.get_by_role("link", name="Redeem").first.click()
    failed = page.get_by_role("alert").filter(has_text=UNREACHABLE)
    expect(failed).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert axe_violations(page) == []
    failed.get_by_role("button", name="Try again").click()
    expect(failed).to_be_visible()

    page.context.set_offline(False)
    expect(page.get_by_label("Code")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("article")).to_have_count(2)
    page.go_forward()
    expect(page.get_by_label("Code")).to_be_visible()


def test_a_page_whose_scripts_fail_to_load_says_that_it_is_loading_and_what_to_do(signed_in):
    page = signed_in("ava")
    page.route("**/static/app/*.js", lambda route: route.abort())
    page.goto("/dashboard")
    expect(page.get_by_text("Loading", exact=True)).to_be_visible()
    expect(page.get_by_text("Check your connection, then reload the page.")).to_be_visible()
    assert axe_violations(page, WITHOUT_HEADING) == []
    page.unroute("**/static/app/*.js")
    page.reload()
    expect(page.get_by_role("heading", name="Hello, Ava")).to_be_visible()
    expect(page.locator(".start")).to_have_count(0)


def test_the_data_of_a_screen_is_requested_once_while_react_is_on_its_way(signed_in):
    page = signed_in("ava")
    held: list[Route] = []
    reads: list[str] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/static/app/react.*.js", hold)
    page.on("request", lambda request: reads.append(urlsplit(request.url).path))
    with page.expect_response("**/api/account"), page.expect_response("**/api/account/manage-plans"):
        page.goto("/dashboard", wait_until="commit")
    expect(page.get_by_text("Loading", exact=True)).to_be_visible()
    assert len(held) == 1
    held[0].continue_()
    expect(page.get_by_role("heading", name="Hello, Ava")).to_be_visible()
    expect(page.get_by_role("article", name="Faith & Family")).to_be_visible()
    assert [reads.count(f"/api/account{read}") for read in ("", "/manage-plans", "/check-payment-failure")] == [1, 1, 1]


def test_the_account_home_shows_a_failed_request_and_can_retry_it(signed_in):
    page = signed_in("dan")
    page.route("**/api/account/manage-plans", lambda route: route.abort())
    open_settled(page, "/dashboard")
    failed = page.get_by_role("alert").filter(has_text=UNREACHABLE)
    expect(failed).to_contain_text(UNAFFECTED)
    page.unroute("**/api/account/manage-plans")
    failed.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article", name="Gospel TV")).to_contain_text("Paused")


@pytest.mark.shows("reliability-34")
def test_a_session_that_ends_in_the_middle_of_a_form_requires_a_sign_in_and_loses_nothing_typed(visitor, signed_in):
    page = open_settled(signed_in("ben"), "/edit-profile")
    page.get_by_label("First name").fill("Benedict")
    saved = []
    page.on(
        "request",
        lambda request: saved.append(request) if request.method == "POST" and "/profile" in request.url else None,
    )
    token = page.evaluate("() => localStorage.getItem('token')")
    page.request.post("/api/auth/logout", headers={"Authorization": f"Bearer {token}"})
    page.get_by_role("button", name="Update Profile").click()

    expect(page.get_by_text("Your session has ended.")).to_be_visible()
    page.get_by_label("Email address").fill("ben@example.com")
    page.get_by_role("button", name="Send code").click()
    page.get_by_label("Six-digit code").fill(visitor.demo.wait_for_code("ben@example.com"))

    page.wait_for_url("**/edit-profile")
    expect(page.get_by_label("First name")).to_have_value("Benedict")
    assert [request.response().status for request in saved] == [401]
    page.get_by_role("button", name="Update Profile").click()
    expect(page.get_by_text("Profile details updated successfully.")).to_be_visible()
    page.reload()
    expect(page.get_by_label("First name")).to_have_value("Benedict")


def test_a_second_tab_shows_the_same_state_and_signs_out_too(signed_in):
    tab = open_settled(signed_in("ella"), "/dashboard")
    other = open_settled(tab.context.new_page(), "/dashboard")
    scheduled = other.get_by_role("article", name="Faith & Family")
    expect(scheduled).to_contain_text("Pause scheduled")

    tab.get_by_role("article", name="Faith & Family").get_by_role("button", name="Undo pause").click()
    expect(scheduled).to_contain_text("Active")

    tab.get_by_role("button", name="Your profile").click()
    tab.get_by_role("button", name="Logout").click()
    for page in (tab, other):
        expect(page.get_by_label("Email address")).to_be_visible()
    other.reload()
    expect(other.get_by_label("Email address")).to_be_visible()


def test_a_screen_that_is_opened_again_downloads_only_what_has_changed(signed_in):
    page = open_settled(signed_in("ava"), "/dashboard")
    plans = page.get_by_role("article")
    expect(plans).to_have_count(2)
    page.clock.install()
    page.get_by_role("link", name="Redeem").first.click()
    expect(page.get_by_label("Code")).to_be_visible()
    # Until then nothing is requested anew.
    page.clock.fast_forward("01:00")
    with page.expect_response(lambda response: urlsplit(response.url).path == "/api/account") as read:
        page.go_back()
    assert read.value.status == 304
    expect(plans).to_have_count(2)
