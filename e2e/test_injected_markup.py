"""Injected markup is shown as text on every screen, and messages from other windows are ignored."""

import pytest
from playwright.sync_api import expect

from e2e.support.accessibility import IS_SETTLED, read_until

PLANTED = "<img src=x onerror=planted()>"
PLANT = f"""
from accounts.models import Account, Brand, StreamingService
from billing.models import PaymentSource, PauseOfferContent
from billing.mirror import documents

planted = {PLANTED!r}
account = Account.objects.get(email="ava@example.com")
Account.objects.filter(pk=account.pk).update(first_name=planted, last_name=planted)
Brand.objects.update(name=planted)
StreamingService.objects.update(name=planted)
titles = [field.name for field in PauseOfferContent._meta.fields if "text" in field.name]
PauseOfferContent.objects.update(**dict.fromkeys(titles, planted))
for source in PaymentSource.objects.filter(customer__account=account):
    source.payload["card"].update(first_name=planted, last_name=planted, billing_zip=planted)
    source.save(update_fields=["payload"])
account.events.model.objects.create(account=account, at=account.user.date_joined, kind="x", text=planted, actor="you")
documents.rebuild_documents(account)
"""
SCREENS = (
    "/dashboard",
    "/manage-subscription",
    "/manage-subscription/downgrade",
    "/coupon",
    "/pause-offer",
    "/cancelAll",
    "/edit-profile",
    "/emailPreferences",
    "/billingHistory",
    "/manage-payment-method",
    "/add-card-payment-method?operationType=ADD",
)
# Forged messages that imitate the provider, a support widget and the app itself.
SEND_FORGED_MESSAGES = """() => {
  const origins = ['https://evil.example.com', 'null', location.origin.replace('127.0.0.1', 'localhost')];
  const said = [{ type: 'success', token: 'x' }, { kind: 'token', data: { id: 'x' } }, 'logout', { href: origins[0] }];
  for (const origin of origins)
    for (const data of said) dispatchEvent(new MessageEvent('message', { origin, data, source: window }));
}"""


def read_screen(page):
    """Return a page's URL and markup."""
    return page.url, page.locator("#root").inner_html()


def read_settled_screen(page):
    """Return a page's URL and markup once they no longer change."""
    return read_until(page, lambda: read_screen(page), lambda shown: _is_unchanged(page, shown))


def _is_unchanged(page, shown):
    page.wait_for_timeout(100)
    return read_screen(page) == shown


@pytest.fixture(scope="module")
def planted(demo):
    demo.run_manage("shell", "-c", PLANT)


@pytest.mark.shows("security-24")
def test_a_planted_tag_is_shown_as_text_on_every_screen(planted, visitor):
    page = visitor.page
    page.add_init_script("window.planted = () => { window.wasPlanted = true; }")
    visitor.sign_in("ava")
    for screen in SCREENS:
        page.goto(screen)
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        expect(page.get_by_text(PLANTED).first).to_be_visible()
        expect(page.locator("img[src=x]"), screen).to_have_count(0)
        assert page.evaluate("() => window.wasPlanted === undefined"), screen


@pytest.mark.shows("security-28")
def test_a_message_from_another_window_is_ignored(visitor):
    page = visitor.sign_in("ben")
    page.goto("/add-card-payment-method?operationType=ADD")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_function("() => 'Chargebee' in window")
    page.wait_for_load_state("networkidle")
    page.wait_for_function(IS_SETTLED)
    for title in ("Card number", "Expiry date", "Security code"):
        expect(page.frame_locator(f"iframe[title='{title}']").locator("input")).to_be_visible()
    before = read_settled_screen(page)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(SEND_FORGED_MESSAGES)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert read_screen(page) == before
    assert asked == []


@pytest.mark.shows("security-28")
def test_a_window_of_another_origin_keeps_no_reference_to_the_portal(visitor, demo):
    page = visitor.page
    page.goto(demo.sandbox_url)
    with page.expect_popup() as opened:
        page.evaluate(f"() => {{ window.held = window.open({demo.url!r} + '/'); }}")
    opened.value.wait_for_load_state()
    page.wait_for_function("() => window.held.closed")
    opened.value.wait_for_function("() => window.opener === null")
