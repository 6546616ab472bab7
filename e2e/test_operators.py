"""Operators in the admin: each group can do its main tasks, and is refused other pages."""

import base64
import csv
import io
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from e2e.support.accessibility import NARROW, ONLY_COLORS, WIDE, Look, Rules, is_empty, read_until, set_look

REPORT = "/admin/billing/churnreport/"
PHONE = {"width": 360, "height": 740}
# Colors do not depend on the width, nor the layout on the color scheme.
RULES: tuple[tuple[Look, Rules], ...] = (
    (("dark", WIDE), ONLY_COLORS),
    (("light", NARROW), {}),
    (("light", WIDE), {}),
)


class Operator:
    """A member of an operator group, signed in to the admin."""

    def __init__(self, page, group):
        self.page = page
        page.goto("/admin/")
        page.get_by_label("Username").fill(group)
        page.get_by_label("Password").fill(group)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Operations")).to_be_visible()

    def visible_lists(self):
        """Return the names of the lists that the operator may open."""
        self.page.goto("/admin/records/")
        links = self.page.locator(".records__list a")
        expect(links.first).to_be_visible()
        return {name.strip() for name in links.all_text_contents()}

    def open_account(self, name):
        """Search for an account and open its page."""
        self.page.goto("/admin/accounts/account/")
        self.page.get_by_role("searchbox").or_(self.page.locator("#searchbar")).first.fill(name)
        self.page.get_by_role("button", name="Search").click()
        self.page.get_by_role("link", name=f"{name}@example.com").click()
        expect(self.page.get_by_role("heading", name=f"{name}@example.com")).to_be_visible()

    def is_refused(self, path):
        """Return whether a path answers 403."""
        return self.page.goto(path).status == 403


@pytest.fixture
def operator(page, demo):
    return lambda group: Operator(page, group)


def admin_violations(page, rules):
    """Return axe's violations in our part of a page as readable lines; the rest of the page is Django's."""
    return read_until(page, lambda: _run_axe(page, rules), is_empty)


def _run_axe(page, rules):
    # Otherwise axe preloads the style sheets that the admin's import, and adds styles to the page.
    found = Axe().run(page, context="#content", options={"preload": False, **rules}).response["violations"]
    return [f"{violation['id']}: {node['target']}" for violation in found for node in violation["nodes"]]


def expect_accessible(page):
    """Assert that our part of a page is accessible, wide and narrow, light and dark."""
    for look, rules in RULES:
        set_look(page, look)
        assert admin_violations(page, rules) == [], look


def expect_no_sideways_scrolling(page):
    """Assert that a page is as wide as a phone's window."""
    page.set_viewport_size(PHONE)
    page.wait_for_function("(width) => document.documentElement.scrollWidth === width", arg=PHONE["width"])


def test_support_reads_an_account_page_and_resumes_for_the_subscriber(operator, page):
    support = operator("support")
    support.open_account("dan")
    for heading in ("Subscriptions", "Pauses", "Timeline", "Payment methods", "Signed in with"):
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    page.get_by_role("link", name="Resume now…").click()
    figures = page.locator("dl").filter(has_text="Charged now")
    expect(figures.get_by_role("definition").first).to_have_text(re.compile(r"^\$\d+\.\d\d$"))
    page.get_by_label("Reason").fill("Asked by phone")
    page.get_by_role("button", name=re.compile(r"Resume and charge \$\d+\.\d\d")).click()
    expect(page.get_by_text("For dan@example.com: Gospel TV is active again.")).to_be_visible()
    expect(page.get_by_role("link", name="Resume now…")).to_have_count(0)
    expect(page.locator("#timeline").get_by_text("By support (support), because: Asked by phone")).to_be_visible()


def test_a_subscriber_sees_that_support_made_a_change(operator, visitor, page):
    support = operator("support")
    support.open_account("ella")
    page.get_by_role("link", name="Remove scheduled pause…").click()
    page.get_by_label("Reason").fill("Asked by phone")
    page.get_by_role("button", name="Remove the pause").click()
    expect(page.get_by_text(re.compile(r"The scheduled pause of .* was removed\."))).to_be_visible()
    visitor.sign_in("ella")
    rows = page.evaluate(
        """async () => {
          const token = Object.values(localStorage).find((value) => value.includes('ssp_'));
          const bearer = /ssp_\\w+/.exec(token)[0];
          const answer = await fetch('/api/account/activity', { headers: { Authorization: `Bearer ${bearer}` } });
          return answer.json();
        }"""
    )
    assert {row["actor"] for row in rows if "pause" in row["text"].lower()} == {"support"}
    assert "support:support" not in str(rows)


@pytest.mark.shows("security-17")
def test_support_signs_a_subscriber_out_everywhere(operator, visitor, browser, demo):
    subscriber = visitor.sign_in("ava")
    desk = browser.new_context(base_url=demo.url).new_page()
    support = Operator(desk, "support")
    support.open_account("ava")
    desk.get_by_role("link", name="Sign out everywhere").click()
    desk.get_by_label("Reason").fill("Lost phone")
    desk.get_by_role("button", name="Sign out everywhere").click()
    expect(desk.get_by_text(re.compile(r"Sessions ended: [1-9]"))).to_be_visible()
    subscriber.goto("/billingHistory")
    expect(subscriber.get_by_role("button", name="Send code")).to_be_visible()
    desk.context.close()


def test_content_sees_the_contrast_of_a_color_before_saving_it(operator, page, demo):
    operator("content")
    page.goto("/admin/accounts/brand/")
    page.get_by_role("link", name="kids").click()
    link = page.locator('[data-scheme="light"] [data-token="link"] .pill')
    expect(link).to_have_class(re.compile("pill--good"))
    page.locator("#id_light_link").fill("#cccccc")
    expect(link).to_have_class(re.compile("pill--bad"))
    expect(page.get_by_role("status")).to_have_text(re.compile("1 pair of colors has too little contrast"))
    told = link.inner_text().split()[0]
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(f"light: link on the page has {told} to 1 and needs 4.5")).to_be_visible()


def test_content_previews_an_upload_before_subscribers_see_it(operator, page, context, visitor, demo):
    operator("content")
    page.goto("/admin/billing/pauseoffercontent/")
    page.get_by_role("link", name="gospel-tv-plan").click()
    page.locator("#id_upcoming_image_text1").fill("A brand new season")
    page.locator("#id_recommended_title_image1_upload").set_input_files(
        {"name": "poster.png", "mimeType": "image/png", "buffer": poster_png(page)}
    )
    with context.expect_page() as opened:
        page.get_by_role("button", name="Preview").click()
    preview = opened.value
    expect(preview.get_by_text("A brand new season").first).to_be_visible()
    expect(preview.locator('img[src^="data:image/png"]').first).to_be_visible()
    preview.close()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    visitor.sign_in("dan")
    page.goto("/pause-offer")
    expect(page.get_by_text("A brand new season")).to_be_visible()
    uploaded = page.locator('img[src^="/pictures/"]')
    uploaded.scroll_into_view_if_needed()
    assert uploaded.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 400


def poster_png(page):
    """Return a PNG of 400 by 600 pixels."""
    drawn = page.evaluate(
        """() => {
          const canvas = document.createElement('canvas');
          canvas.width = 400;
          canvas.height = 600;
          canvas.getContext('2d').fillRect(40, 40, 200, 200);
          return canvas.toDataURL('image/png').split(',')[1];
        }"""
    )
    return base64.b64decode(drawn)


def test_content_turns_the_pause_offer_off(operator, page, visitor):
    operator("content")
    page.goto("/admin/accounts/sitesettings/1/change/")
    expect(page.get_by_label("Time zone")).to_have_count(0)
    page.get_by_label("Pause offered on the cancel screen").uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    visitor.sign_in("jo")
    page.goto("/cancelAll")
    expect(page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)")).to_be_visible()
    expect(page.get_by_role("button", name="Pause for a month")).to_have_count(0)


def test_finance_exports_invoices(operator, page):
    operator("finance")
    page.goto("/admin/billing/invoice/?q=ava")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert len(rows) >= 14
    assert {row["email"] for row in rows} == {"ava@example.com"}


def test_the_report_says_that_there_was_no_activity(operator, page):
    operator("finance")
    page.goto(f"{REPORT}?weeks=own&first=2020-01-06&last=2020-02-02")
    expect(page.get_by_role("heading", name="No activity in these weeks")).to_be_visible()
    assert admin_violations(page, {}) == []


def test_a_cancellation_appears_in_the_report(operator, page, visitor):
    visitor.sign_in("ben")
    page.goto("/cancelAll")
    page.get_by_role("button", name="CANCEL SUBSCRIPTION(S)").click()
    page.wait_for_url("**/dashboard")
    operator("finance")
    page.goto(REPORT)
    chart = page.get_by_role("img", name=re.compile("Cancellations by week"))
    expect(chart).to_be_visible()
    row = page.get_by_role("region", name="By service").get_by_role("row", name=re.compile("Faith & Family"))
    expect(row.get_by_role("cell").first).not_to_have_text("0")
    expect_accessible(page)
    expect_no_sideways_scrolling(page)


def test_the_desk_finds_a_subscriber_and_is_accessible(operator, page):
    operator("support")
    expect(page.get_by_role("heading", name="Needs attention")).to_be_visible()
    expect_accessible(page)
    expect_no_sideways_scrolling(page)
    page.get_by_role("searchbox", name="Find a subscriber").fill("Example")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect_accessible(page)
    page.get_by_role("searchbox", name="Find a subscriber").fill("ava@ex")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="ava@example.com")).to_be_visible()


def test_an_account_page_is_accessible(operator, page):
    support = operator("support")
    support.open_account("jo")
    expect_accessible(page)
    expect_no_sideways_scrolling(page)


@pytest.mark.parametrize(
    ("group", "refused"),
    [
        (
            "support",
            [
                "/admin/accounts/loginchallenge/",
                "/admin/accounts/user/",
                "/admin/auth/group/",
                "/admin/billing/pauseoffercontent/",
                "/admin/accounts/sitesettings/",
                "/admin/billing/invoice/export/",
                "/admin/accounts/accountevent/add/",
            ],
        ),
        (
            "content",
            [
                "/admin/accounts/account/",
                "/admin/billing/invoice/",
                "/admin/billing/command/",
                REPORT,
                "/admin/accounts/account/1/resync/",
            ],
        ),
        (
            "finance",
            [
                "/admin/billing/command/",
                "/admin/accounts/outgoingmail/",
                "/admin/accounts/accountevent/",
                "/admin/accounts/account/1/resync/",
                "/admin/accounts/account/1/sign-out-everywhere/",
                "/admin/billing/pauseoffercontent/",
            ],
        ),
    ],
)
def test_a_group_is_refused_what_it_has_no_permission_for(operator, group, refused):
    member = operator(group)
    seen = member.visible_lists()
    assert ("Accounts" in seen) == (group != "content")
    assert not seen & {"Login challenges", "Users", "Groups", "Log entries"}
    assert [path for path in refused if not member.is_refused(path)] == []


def test_an_operator_page_is_accessible_and_logs_no_error(operator, page):
    errors = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    operator("admin")
    page.goto("/admin/accounts/user/?q=support")
    page.locator("#result_list").get_by_role("link", name="support", exact=True).click()
    expect(page.get_by_role("heading", name="support", exact=True)).to_be_visible()
    expect_accessible(page)
    assert errors == []
