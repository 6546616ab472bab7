"""The console's pages."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
import pytest

from chargebee_sandbox.tests.support.account_setup import make_account
from chargebee_sandbox.tests.support.webhook_receiver import wait_until
from conftest import NO_AUTHORITIES

MARKUP = "<img src=x onerror=alert(1)>\"'&"
START = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def browser(sandbox: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.url, verify=NO_AUTHORITIES) as client:
        yield client


@pytest.fixture
def mail_folder(sandbox: Any) -> Iterator[Path]:
    folder = Path(sandbox.log).parent / "mail"
    folder.mkdir(exist_ok=True)
    yield folder
    for file in folder.iterdir():
        file.unlink()


def write_mail(folder: Path, name: str, *messages: EmailMessage) -> None:
    separator = b"\n" + b"-" * 79 + b"\n"
    folder.joinpath(name).write_bytes(b"".join(message.as_bytes() + separator for message in messages))


def build_mail(to: str, subject: str, text: str, *, html: str = "", at: datetime = START) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Streaming <hello@example.com>"
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = at
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    return message


def post_form(browser: httpx.Client, path: str, **fields: str) -> httpx.Response:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get("/").text)
    assert token
    return browser.post(path, data={"csrfmiddlewaretoken": token[1], **fields}, follow_redirects=True)


def shown_clock(page: str) -> datetime:
    match = re.search(r'class="clock__now"><time datetime="([^"]+)"', page)
    assert match
    return datetime.fromisoformat(match[1])


@pytest.mark.parametrize("path", ["/", "/customers", "/events", "/inbox", "/trouble"])
def test_every_page_opens_on_an_empty_site(browser: httpx.Client, path: str) -> None:
    page = browser.get(path)

    assert page.status_code == 200
    assert page.text.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/customers/nobody", "/events/ev_none", "/inbox/none.log:0", "/inbox/none.log:0/body"],
)
def test_an_unknown_page_gets_a_404_with_a_message(browser: httpx.Client, path: str) -> None:
    page = browser.get(path)

    assert page.status_code == 404
    assert "Nothing here" in page.text


@pytest.mark.parametrize("path", ["/", "/customers", "/customers/alice", "/events", "/inbox"])
def test_no_page_needs_an_inline_script_or_style(sandbox: Any, browser: httpx.Client, path: str) -> None:
    make_account(sandbox)

    page = browser.get(path)

    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", page.text)
    assert page.headers["cache-control"] == "no-store"


def test_the_style_sheet_has_a_fingerprint_and_is_immutable(browser: httpx.Client) -> None:
    address = re.search(r'rel="stylesheet" href="([^"]+)"', browser.get("/").text)
    assert address

    sheet = browser.get(address[1])

    assert sheet.headers["content-type"].startswith("text/css")
    assert "immutable" in sheet.headers["cache-control"]


def test_an_account_shows_its_subscription_next_billing_card_and_invoice(sandbox: Any, browser: httpx.Client) -> None:
    make_account(sandbox)

    overview, account = browser.get("/customers").text, browser.get("/customers/alice").text

    assert "Faith monthly" in overview
    assert "Next billing" in overview
    assert "10 Apr 2026" in overview
    assert "Visa ending 1111, 08/2032" in account
    assert "$6.99 USD" in account
    assert "Paid" in account


def test_an_operator_refunds_and_credits_an_invoice(sandbox: Any, browser: httpx.Client) -> None:
    make_account(sandbox)
    invoice = sandbox.client().Invoice.list({"customer_id": {"is": "alice"}}).list[0].invoice.id
    assert "$6.99 USD of it can be refunded" in browser.get(f"/refund/{invoice}").text

    account = post_form(browser, f"/refund/{invoice}", amount="2.00", way="refund", reason="waiver")
    credited = post_form(browser, f"/refund/{invoice}", amount="$1.50", way="credit", reason="waiver")
    refused = post_form(browser, f"/refund/{invoice}", amount="9.00", way="refund", reason="waiver")
    unread = post_form(browser, f"/refund/{invoice}", amount="six", way="refund", reason="waiver")

    assert "$2.00 USD refunded" in account.text
    assert "$1.50 USD credited" in credited.text
    assert (refused.status_code, unread.status_code) == (400, 400)
    assert "is more than the 349 cents" in refused.text
    notes = sandbox.client().Invoice.retrieve(invoice).invoice.issued_credit_notes
    assert [(note.cn_total, note.cn_status) for note in notes] == [(200, "refunded"), (150, "refund_due")]


def test_accounts_are_found_by_name_address_or_id(sandbox: Any, browser: httpx.Client) -> None:
    client = sandbox.client()
    client.Customer.create({"id": "c-1", "first_name": "Alice", "email": "alice@example.com"})
    client.Customer.create({"id": "c-2", "first_name": "Bob", "email": "bob@example.com"})

    pages = [browser.get("/customers", params={"q": search}).text for search in ("ALICE", "alice@", "c-1")]

    assert ["/customers/c-1" in page for page in pages] == [True, True, True]
    assert ["/customers/c-2" in page for page in pages] == [False, False, False]


def test_a_name_with_markup_is_text_on_every_page(sandbox: Any, browser: httpx.Client) -> None:
    make_account(sandbox, name=MARKUP)
    event_id = sandbox.client().Event.list({"event_type": {"is": "customer_created"}}).list[0].event.id

    pages = [browser.get(path).text for path in ("/", "/customers", "/customers/alice", f"/events/{event_id}")]

    assert ["<img" in page for page in pages] == [False] * 4
    assert ["&lt;img src=x onerror=alert(1)&gt;" in page for page in pages] == [True] * 4


def test_a_search_with_markup_is_text(browser: httpx.Client) -> None:
    pages = [
        browser.get("/customers", params={"q": MARKUP}).text,
        browser.get("/inbox", params={"to": MARKUP}).text,
    ]

    assert ["<img" in page for page in pages] == [False, False]


def test_events_are_filtered_by_type_and_customer(sandbox: Any, browser: httpx.Client) -> None:
    make_account(sandbox)
    sandbox.client().Customer.create({"id": "bob"})

    of_type = browser.get("/events", params={"type": "customer_created"}).text
    of_bob = browser.get("/events", params={"customer": "bob"}).text

    assert of_type.count('<th scope="row">') == 2
    assert of_bob.count('<th scope="row">') == 1


@pytest.mark.parametrize(
    ("span", "length"),
    [
        ("1h", timedelta(hours=1)),
        ("1d", timedelta(days=1)),
        ("7d", timedelta(days=7)),
        ("31d", timedelta(days=31)),
    ],
)
def test_a_button_moves_the_clock_by_its_span(browser: httpx.Client, span: str, length: timedelta) -> None:
    before = shown_clock(browser.get("/").text)

    arrived_at = str(post_form(browser, "/travel", span=span).url)

    wait_until(lambda: "You have arrived" in browser.get(arrived_at).text, what="the journey ends")
    travelled = shown_clock(browser.get("/").text) - before
    assert length <= travelled < length + timedelta(minutes=1)


def test_time_travel_reports_what_happened(sandbox: Any, browser: httpx.Client) -> None:
    make_account(sandbox)

    arrived_at = str(post_form(browser, "/travel", until="2026-05-11T00:00").url)

    wait_until(lambda: "What happened on the way" in browser.get(arrived_at).text, what="the journey ends")
    page = browser.get(arrived_at).text
    assert re.search(r"Subscription renewed</span> <span[^>]*>2<", page)
    assert shown_clock(page).date() == datetime(2026, 5, 11, tzinfo=UTC).date()
    assert sandbox.client().Invoice.list({"status": {"is": "paid"}}).list[2].invoice.total == 699


@pytest.mark.parametrize("until", ["", "yesterday", "2020-01-01T00:00", "2999-01-01T00:00", "9999-99-99T99:99"])
def test_an_invalid_destination_time_is_refused_with_a_message(browser: httpx.Client, until: str) -> None:
    before = shown_clock(browser.get("/").text)

    page = post_form(browser, "/travel", until=until)

    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert shown_clock(page.text) - before < timedelta(minutes=1)


def test_an_unknown_host_name_is_refused(browser: httpx.Client) -> None:
    assert browser.get("/inbox", headers={"Host": "rebound.example"}).status_code == 400


def test_a_form_without_a_csrf_token_does_not_move_the_clock(browser: httpx.Client) -> None:
    before = shown_clock(browser.get("/").text)

    page = browser.post("/travel", data={"span": "31d"})

    assert page.status_code == 403
    assert "Nothing was done" in page.text
    assert shown_clock(browser.get("/").text) - before < timedelta(minutes=1)


def test_the_inbox_lists_mail_newest_first_and_shows_the_code(browser: httpx.Client, mail_folder: Path) -> None:
    older = build_mail("bob@example.com", "Your plan is paused", "Invoice 123456 was paid.", html="<p>Paused</p>")
    newer = build_mail(
        "alice@example.com",
        "Your sign-in code",
        "Your code: 042 917",
        html="<p>042 917</p>",
        at=START + timedelta(minutes=1),
    )
    write_mail(mail_folder, "20260310-120000-1.log", older, newer)

    page = browser.get("/inbox").text

    assert page.index("Your sign-in code") < page.index("Your plan is paused")
    assert re.findall(r"Sign-in code </span>(\d+)<", page) == ["042917"]


def test_the_inbox_is_filtered_by_recipient(browser: httpx.Client, mail_folder: Path) -> None:
    write_mail(mail_folder, "1.log", build_mail("bob@example.com", "To Bob", "Hello", html="<p>Hello</p>"))
    write_mail(mail_folder, "2.log", build_mail("alice@example.com", "To Alice", "Hello", html="<p>Hello</p>"))

    page = browser.get("/inbox", params={"to": "ALICE@"}).text

    assert "To Alice" in page
    assert "To Bob" not in page


def test_a_message_shows_its_text_and_frames_its_html(browser: httpx.Client, mail_folder: Path) -> None:
    html_with_script = "<p>Hello</p><script>alert(1)</script>"
    write_mail(mail_folder, "1.log", build_mail("alice@example.com", MARKUP, f"Text {MARKUP}", html=html_with_script))

    page, body = browser.get("/inbox/1.log:0"), browser.get("/inbox/1.log:0/body")

    assert "Text &lt;img" in page.text
    assert "<img" not in page.text
    assert "<script" not in page.text
    assert re.search(r"<iframe[^>]* sandbox", page.text)
    assert html_with_script in body.text
    assert "sandbox allow-popups" in body.headers["content-security-policy"]
    assert "script-src" not in body.headers["content-security-policy"]
    assert "default-src 'none'" in body.headers["content-security-policy"]


def test_a_message_shows_the_pictures_that_it_contains(browser: httpx.Client, mail_folder: Path) -> None:
    message = build_mail("alice@example.com", "Hello", "Hello", html='<img src="cid:logo"><img src="cid:none">')
    message.get_payload()[1].add_related(b"picture", "image", "png", cid="<logo>")  # type: ignore[union-attr, index]
    write_mail(mail_folder, "1.log", message)
    body = browser.get("/inbox/1.log:0/body").text
    assert f'<img src="data:image/png;base64,{base64.b64encode(b"picture").decode()}">' in body
    assert '<img src="cid:none">' in body


@pytest.mark.parametrize(
    "key", ["..%2Fsandbox.log:0", "%2e%2e/sandbox.log:0", "1.log:7", "1.log:-1", "1.log:x", "1.log"]
)
def test_the_inbox_serves_no_other_files(browser: httpx.Client, mail_folder: Path, key: str) -> None:
    write_mail(mail_folder, "1.log", build_mail("alice@example.com", "Hello", "Hello", html="<p>Hello</p>"))

    assert browser.get(f"/inbox/{key}").status_code == 404
