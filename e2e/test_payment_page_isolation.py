"""Card and PayPal screens have their own documents; no other document may load the provider's script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Response, expect

from e2e.support.accessibility import is_empty, read_until
from e2e.support.card_data_search import CardDataSearch
from e2e.support.demo_portal import DemoPortal
from e2e.support.script_inventory import ListedSource, listed_sources

KINDS = {
    "/add-card-payment-method": "card",
    "/update-card-payment-method": "card",
    "/add-paypal-payment-method": "payPal",
}
ADD_CARD = "/add-card-payment-method?operationType=ADD"
ADD_PAYPAL = "/add-paypal-payment-method?operationType=ADD"
# What the router does when a screen calls `navigate`.
NAVIGATE = """path => {
  history.pushState({ usr: null, key: 'journey', idx: history.state.idx + 1 }, '', path);
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}"""
IS_OF_KIND = "kind => JSON.parse(document.getElementById('portal-settings').textContent).document === kind"
LISTEN = "addEventListener('securitypolicyviolation', (event) => noteViolation(event.effectiveDirective))"
VISA, CODE = "4111111111111111", "097"


class PageLoads:
    """Records the documents that a page loads, newest last, and the requests that it sends."""

    def __init__(self, page: Page, demo: DemoPortal) -> None:
        self.page = page
        self.portal, self.provider = demo.url, demo.sandbox_url
        self.paypal = {f"http://*.{name}.localhost:{demo.sandbox_port}" for name in ("paypal", "paypalobjects")}
        self.loaded: list[Response] = []
        self.requests: list[Request] = []
        page.on("request", self._note_request)
        page.on("response", self._note_response)

    def _note_request(self, request: Request) -> None:
        self.requests.append(request)

    def _note_response(self, response: Response) -> None:
        if response.request.is_navigation_request() and response.frame == self.page.main_frame:
            self.loaded.append(response)

    def read_policy(self) -> dict[str, set[str]]:
        """Return the Content-Security-Policy of the current document, as the sources of each directive."""
        policy = self.loaded[-1].headers["content-security-policy"]
        return {name: set(sources) for name, *sources in (part.split() for part in policy.split(";"))}

    def expect_screen(self, path: str, heading: str) -> None:
        """Wait for a screen, and assert that it is in its own document and that the policy is minimal."""
        self.page.wait_for_url(lambda url: urlsplit(url).path == path)
        expect(self.page.get_by_role("heading", level=1, name=re.compile(heading))).to_be_visible()
        kind = KINDS.get(path, "app")
        # When a screen navigates, the URL changes before the document does.
        self.page.wait_for_function(IS_OF_KIND, arg=kind)
        self._expect_policy(kind)
        # A card document may load the script late; other documents never load it.
        self.page.wait_for_function(f"() => ('Chargebee' in window) === {json.dumps(kind != 'app')}")

    def _expect_policy(self, kind: str) -> None:
        policy = self.read_policy()
        opener = self.loaded[-1].headers["cross-origin-opener-policy"]
        external = {
            name: {source for source in sources if source.startswith("http")} for name, sources in policy.items()
        }
        paypal = self.paypal if kind == "payPal" else set()
        expected = {} if kind == "app" else {name: {self.provider} | paypal for name in ("script-src", "frame-src")}
        if kind == "card":
            # Any bank's page; the sandbox's has no https.
            expected["frame-src"] |= {"http:"}
        if paypal:
            expected |= dict.fromkeys(("style-src", "img-src", "connect-src"), paypal)
        assert {name: sources for name, sources in external.items() if sources} == expected
        nonced = {name for name, sources in policy.items() if any(source.startswith("'nonce-") for source in sources)}
        assert nonced == (set() if kind == "app" else {"script-src", "style-src"})
        assert ("trusted-types" in policy) == (kind == "app")
        assert opener == ("same-origin-allow-popups" if kind == "payPal" else "same-origin")
        may_pay = "payment=()" not in self.loaded[-1].headers["permissions-policy"]
        assert may_pay == (kind != "app")

    def is_external_allowed(self, url: str) -> bool:
        """Return whether a URL is the provider's or PayPal's."""
        origins = (self.provider, *self.paypal)
        return any(fnmatchcase(url, f"{origin}/*") for origin in origins)

    def requested_scripts(self) -> set[str]:
        """Return the URLs of the scripts that the page requested, without those of its frames."""
        return {
            request.url
            for request in self.requests
            if request.resource_type == "script" and request.frame == self.page.main_frame
        }


@pytest.fixture
def violations(context: BrowserContext) -> Iterator[list[str]]:
    """Yield the policy violations that documents and frames report; assert that none is left at the end."""
    reported: list[str] = []

    def note(directive: str) -> None:
        reported.append(directive)

    context.expose_function("noteViolation", note)
    context.add_init_script(LISTEN)
    yield reported
    assert reported == []


def expect_violations(page: Page, violations: list[str], expected: set[str]) -> None:
    """Assert that exactly these policy violations are reported, and clear them."""
    for _ in range(50):
        if len(set(violations)) >= len(expected):
            break
        page.wait_for_timeout(200)
    page.wait_for_timeout(200)
    assert set(violations) == expected
    violations.clear()


@pytest.fixture
def documents(page: Page, demo: DemoPortal, violations: list[str]) -> PageLoads:
    return PageLoads(page, demo)


def unlisted_frames(page: Page, rows: list[ListedSource], where: dict[str, str]) -> list[str]:
    """Return the URLs of frames that no row covers; a frame has no URL until it has loaded."""
    embedded = [frame.url for frame in page.frames if frame != page.main_frame]
    return [url for url in embedded if not any(row.covers(url, **where) for row in rows)]


def complete_sign_in(visitor, name):
    """Sign in on the landing page, after a redirect to it."""
    page, address = visitor.page, f"{name}@example.com"
    mail_count = len(visitor.demo.mails_to(address))
    page.get_by_label("Email address").fill(address)
    page.get_by_role("button", name="Send code").click()
    page.get_by_label("Six-digit code").fill(visitor.demo.wait_for_code(address, after=mail_count))


@pytest.mark.shows("rule-11", "payment-10", "payment-11", "payment-12", "payment-17", "security-25")
def test_a_screen_has_its_own_document_however_it_is_reached(visitor, documents):
    page = visitor.sign_in("jo")
    documents.expect_screen("/dashboard", "Hello")
    page.goto("/manage-payment-method")
    documents.expect_screen("/manage-payment-method", "Payment Methods")

    page.get_by_role("link", name="ADD NEW PAYMENT METHOD").click()
    page.get_by_role("radio", name="Card").check()
    page.get_by_role("button", name="Continue").click()
    documents.expect_screen("/add-card-payment-method", "Add Card")
    page.go_back()
    documents.expect_screen("/add-payment-method", "Add Payment Method")
    page.go_forward()
    documents.expect_screen("/add-card-payment-method", "Add Card")
    page.reload()
    documents.expect_screen("/add-card-payment-method", "Add Card")
    page.get_by_role("link", name="Back to payment methods").click()
    documents.expect_screen("/manage-payment-method", "Payment Methods")

    page.get_by_role("link", name=re.compile("Edit Visa")).click()
    documents.expect_screen("/update-card-payment-method", "Update Card")
    expect(page).to_have_url(re.compile("paymentSourceId=pm_"))
    page.go_back()
    documents.expect_screen("/manage-payment-method", "Payment Methods")
    page.get_by_role("link", name=re.compile("Edit PayPal")).click()
    documents.expect_screen("/add-paypal-payment-method", "Update Payment Method")
    page.go_back()
    page.go_forward()
    documents.expect_screen("/add-paypal-payment-method", "Update Payment Method")
    page.get_by_role("link", name=re.compile("home$")).click()
    documents.expect_screen("/dashboard", "Hello")


def test_a_navigation_to_a_screen_of_another_document_loads_that_document(visitor, documents):
    page = visitor.sign_in("ben")
    page.goto("/billingHistory")
    documents.expect_screen("/billingHistory", "Billing History")
    page.evaluate(NAVIGATE, ADD_CARD)
    documents.expect_screen("/add-card-payment-method", "Add Card")
    page.evaluate(NAVIGATE, ADD_PAYPAL)
    documents.expect_screen("/add-paypal-payment-method", "Add Payment Method")
    page.evaluate(NAVIGATE, "/coupon")
    documents.expect_screen("/coupon", ".")
    for path, heading in (
        ("/add-paypal-payment-method", "Add Payment Method"),
        ("/add-card-payment-method", "Add Card"),
        ("/billingHistory", "Billing History"),
    ):
        page.go_back()
        documents.expect_screen(path, heading)
    page.evaluate("() => void setTimeout(() => history.go(2))")
    documents.expect_screen("/add-paypal-payment-method", "Add Payment Method")
    page.goto(f"/ADD-card-payment-method/{ADD_CARD.partition('method')[2]}")
    documents.expect_screen("/add-card-payment-method", "Add Card")
    expect(page).to_have_url(re.compile(f"{re.escape(ADD_CARD)}$"))


def test_a_visitor_returns_to_the_card_screen_after_signing_in_and_leaves_it_when_the_session_ends(visitor, documents):
    page = visitor.page
    page.goto(ADD_CARD)
    documents.expect_screen("/", "account")
    complete_sign_in(visitor, "ava")
    documents.expect_screen("/add-card-payment-method", "Add Card")
    expect(page).to_have_url(re.compile(f"{re.escape(ADD_CARD)}$"))
    assert [urlsplit(response.url).path for response in documents.loaded] == [
        "/add-card-payment-method",
        "/",
        "/add-card-payment-method",
    ]

    page.evaluate("() => localStorage.setItem('token', 'ssp_' + 'a'.repeat(64))")
    page.reload()
    documents.expect_screen("/", "account")
    expect(page.get_by_text("Your session has ended.")).to_be_visible()
    page.wait_for_function("() => localStorage.length === 0")


@pytest.mark.shows("security-21")
def test_a_logout_on_a_card_screen_leaves_nothing_to_go_back_to(visitor, documents):
    page = visitor.sign_in("carla")
    page.goto("/manage-payment-method")
    documents.expect_screen("/manage-payment-method", "Payment Methods")
    page.get_by_role("link", name=re.compile("Edit Visa")).click()
    documents.expect_screen("/update-card-payment-method", "Update Card")
    page.get_by_role("button", name="Your profile").click()
    page.get_by_role("button", name="Logout").click()
    documents.expect_screen("/", "account")
    expect(page.get_by_label("Email address")).to_be_visible()
    page.go_back()
    documents.expect_screen("/", "account")
    expect(page.get_by_label("Email address")).to_be_visible()


@pytest.mark.shows("security-45")
@pytest.mark.parametrize(
    ("name", "address", "kind", "frame"),
    [("dan", ADD_CARD, "card", "Security code"), ("gia", ADD_PAYPAL, "payPal", "PayPal")],
)
def test_a_payment_screen_loads_only_listed_sources_and_leaks_nothing(visitor, documents, name, address, kind, frame):
    page = visitor.sign_in(name)
    token = page.evaluate("() => localStorage.getItem('token')")
    documents.requests.clear()
    page.goto(address)
    expect(page.frame_locator(f"iframe[title='{frame}']").locator("input, button").first).to_be_visible()

    where = {"portal": documents.portal, "provider": documents.provider}
    rows, frames = listed_sources("script", kind), listed_sources("frame", kind)
    missing = read_until(
        page,
        # A row of a whole domain covers scripts that this site's gateway may not need.
        lambda: [
            row
            for row in rows
            if "*" not in row.origin and not any(row.covers(url, **where) for url in documents.requested_scripts())
        ],
        is_empty,
    )
    assert missing == []
    scripts = documents.requested_scripts()
    assert {url for url in scripts if not any(row.covers(url, **where) for row in rows)} == set()
    assert len(page.frames) > 1
    unlisted = read_until(page, lambda: unlisted_frames(page, frames, where), is_empty)
    assert unlisted == []

    external_requests = [
        request for request in documents.requests if not request.url.startswith(f"{documents.portal}/")
    ]
    assert [request.url for request in external_requests if not documents.is_external_allowed(request.url)] == []
    for request in external_requests:
        headers = request.all_headers()
        assert token not in f"{request.url}{headers}{request.post_data}"
        assert not headers.get("referer", "").startswith(documents.portal)


@pytest.mark.shows("security-44")
def test_a_card_number_reaches_only_the_provider(visitor, documents):
    search = CardDataSearch(portal=documents.portal, folder=visitor.demo.folder, context=visitor.page.context)
    page = visitor.sign_in("ella")
    page.goto(ADD_CARD)
    for title, typed in (("Card number", VISA), ("Expiry date", "0834"), ("Security code", CODE)):
        page.frame_locator(f"iframe[title='{title}']").locator("input").press_sequentially(typed)
    page.get_by_label("Name on card").fill("Ella Fitzgerald")
    page.get_by_label("State").fill("NY")
    page.get_by_label("Zip code").fill("10001")
    page.get_by_role("button", name="Add card").click()
    documents.expect_screen("/add-payment-method-success", "Card Information Added")
    expect(page.get_by_text("ending in 1111")).to_be_visible()
    search.assert_no_card_data(codes=[CODE])


@pytest.mark.shows("security-45")
def test_a_document_loads_no_script_or_frame_outside_its_policy(visitor, documents, violations, quiet_page):
    page = visitor.sign_in("finn")
    script = "async (src) => { document.head.append(Object.assign(document.createElement('script'), { src })) }"
    with pytest.raises(Exception, match="TrustedScriptURL"):
        page.evaluate(script, f"{documents.provider}/v2/chargebee.js")
    page.evaluate(
        "(src) => { document.body.append(Object.assign(document.createElement('iframe'), { src })) }",
        documents.provider,
    )
    expect_violations(page, violations, {"require-trusted-types-for", "frame-src"})

    page.goto(ADD_CARD)
    documents.expect_screen("/add-card-payment-method", "Add Card")
    page.evaluate(script, "http://localhost:1/elsewhere.js")
    page.evaluate("() => { document.head.append(Object.assign(document.createElement('script'), { text: '1' })) }")
    page.evaluate("(url) => fetch(url).catch(() => null)", f"{documents.provider}/v2/chargebee.js")
    expect_violations(page, violations, {"script-src-elem", "connect-src"})
    quiet_page.clear()


# Adds a second policy before the app loads the provider's script; a page must satisfy both.
NARROW_POLICY = """if (window === top) addEventListener('DOMContentLoaded', () => {{
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = {policy};
  document.head.append(policy);
}})"""


@pytest.mark.shows("security-23", "payment-17")
def test_paypals_button_needs_the_sources_that_the_policy_allows(visitor, documents, violations, quiet_page):
    page = visitor.sign_in("hugo")
    page.goto(ADD_PAYPAL)
    frame = page.locator("iframe[title=PayPal]")
    expect(frame.content_frame.get_by_role("button", name="PayPal")).to_be_visible()
    expect(frame).to_have_css("height", "44px")
    added = [url for url in documents.requested_scripts() if fnmatchcase(url, "http://www.paypal.localhost:*")]
    assert [urlsplit(url).path for url in added] == ["/sdk/js"]
    assert frame.content_frame.locator("body").evaluate("() => document.featurePolicy.allowsFeature('payment')")
    assert not page.evaluate("() => document.querySelector('script[src*=paypal]').getAttribute('nonce')")
    assert violations == []

    provider = documents.provider
    policy = f"script-src 'self' {provider}; style-src 'self'; connect-src 'self'; frame-src {provider}"
    page.add_init_script(NARROW_POLICY.format(policy=json.dumps(policy)))
    page.reload()
    expect(page.get_by_role("alert")).to_have_text("A script of the payment service could not be loaded.")
    expect(frame).to_have_count(0)
    expect_violations(page, violations, {"script-src-elem"})
    quiet_page.clear()
