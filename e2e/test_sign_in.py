"""Signing in and out."""

import httpx
import pytest
from playwright.sync_api import expect

from e2e.support.accessibility import read_until

PRINT_ELLAS_LINK = """
from accounts.sign_in.known_browsers import sign_in_link
print(sign_in_link("ella@example.com"))
"""


def test_a_subscriber_signs_in_with_the_code_from_the_mail(visitor):
    page = visitor.sign_in_by_code("jo")
    page.wait_for_function("() => localStorage.length === 1")


@pytest.mark.shows("landing-3")
def test_a_mailed_code_can_be_entered_after_a_reload(visitor):
    page, mail_count = visitor.page, len(visitor.demo.mails_to("finn@example.com"))
    page.goto("/")
    expect(page.get_by_label("Email address")).to_be_focused()
    page.keyboard.type("finn@example.com")
    page.get_by_role("button", name="Send code").click()
    code = page.get_by_label("Six-digit code")
    expect(code).to_be_focused()
    page.reload()
    expect(code).to_be_focused()
    assert page.evaluate("() => localStorage.length + sessionStorage.length") == 0
    code.fill(visitor.demo.wait_for_code("finn@example.com", after=mail_count))
    page.wait_for_url("**/dashboard")


@pytest.mark.shows("rule-13", "security-1")
def test_an_unknown_address_gets_the_same_answer_and_no_mail(visitor):
    page = visitor.page
    page.goto("/")
    page.get_by_label("Email address").fill("stranger@example.com")
    page.get_by_role("button", name="Send code").click()
    expect(page.get_by_label("Six-digit code")).to_be_visible()
    page.get_by_role("button", name="Use a different email address").click()
    # Once a later code for a known address was mailed, the stranger's request has been processed.
    visitor.sign_in_by_code("hugo")
    assert visitor.demo.mails_to("stranger@example.com") == []


@pytest.mark.shows("routes-4")
def test_a_subscriber_page_redirects_a_visitor_to_the_landing_page(page):
    page.goto("/dashboard")
    page.wait_for_url(lambda url: url.endswith("/"))
    expect(page.get_by_label("Email address")).to_be_visible()


@pytest.mark.shows("product-6", "security-19", "security-20")
def test_the_token_is_the_only_stored_data_and_is_sent_only_in_its_header(visitor):
    sent = []

    def note(request):
        sent.append(request)

    visitor.page.on("request", note)
    page = visitor.sign_in_by_code("ben")
    for path in ("/manage-subscription", "/pause-offer", "/pause-summary", "/billingHistory", "/dashboard"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
    token = page.evaluate("() => localStorage.getItem('token')")
    assert page.evaluate("() => [Object.keys(localStorage), sessionStorage.length]") == [["token"], 0]
    [cookie] = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("known-browser", True, "Lax")
    assert token not in cookie["value"]
    assert not any(token in request.url or token in (request.post_data or "") for request in sent)
    carrying = {request.url for request in sent if token in request.headers.get("authorization", "")}
    assert carrying
    assert {url.split("/")[3] for url in carrying} == {"api"}


@pytest.mark.shows("security-50", "security-51")
def test_a_link_opened_from_a_webmail_site_forgets_no_other_account_of_the_browser(visitor):
    page = visitor.sign_in_by_code("dan")
    link = visitor.demo.run_manage("shell", "-v", "0", "-c", PRINT_ELLAS_LINK).strip()
    page.route(
        "https://webmail.example/",
        lambda route: route.fulfill(content_type="text/html", body=f'<a href="{visitor.demo.url}{link}">Open</a>'),
    )
    page.goto("https://webmail.example/")
    page.get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", name="This browser is ready")).to_be_visible()
    for name in ("dan", "ella"):
        assert is_known_for(page, visitor.demo.url, f"{name}@example.com")


def is_known_for(page, url, address):
    """Whether a browser may request a code although a stranger of its network did within half a minute."""
    stranger = httpx.post(f"{url}/api/auth/send-otp", json={"email": address})
    assert stranger.status_code in (200, 429)
    return page.request.post("/api/auth/send-otp", data={"email": address}).ok


@pytest.mark.shows("shell-3", "security-21")
def test_a_logout_leaves_nothing_to_go_back_to_and_revokes_the_token(visitor):
    page = visitor.sign_in_by_code("carla")
    token = page.evaluate("() => localStorage.getItem('token')")
    page.goto("/billingHistory")
    expect(page.get_by_role("heading", name="Billing History")).to_be_visible()
    page.get_by_role("button", name="Your profile").click()
    page.get_by_role("button", name="Logout").click()
    expect(page.get_by_label("Email address")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Email address")).to_be_visible()
    expect(page.get_by_role("heading", name="Billing History")).to_have_count(0)

    def read_account():
        return page.request.get("/api/account", headers={"Authorization": f"Bearer {token}"}).status

    # The request that revokes it may still be under way.
    assert read_until(page, read_account, lambda status: status == 401) == 401


@pytest.mark.shows("landing-1", "security-22", "reliability-34")
def test_an_invalid_token_redirects_to_the_landing_page_once(visitor):
    page = visitor.sign_in_by_code("gia")
    page.evaluate(
        "() => { const key = Object.keys(localStorage)[0]; localStorage.setItem(key, 'ssp_' + 'a'.repeat(64)); }"
    )
    refused, starts = [], []
    page.on("response", lambda response: refused.append(response) if response.status == 401 else None)
    page.on("framenavigated", lambda frame: starts.append(frame.url) if frame.url.endswith("/") else None)
    page.goto("/dashboard")
    page.wait_for_url(lambda url: url.endswith("/"))
    page.wait_for_load_state("networkidle")
    assert refused
    assert len(starts) == 1
    page.wait_for_function("() => localStorage.length === 0")
