"""The stand-in for Chargebee.js in a real browser, under the portal's content security policy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from chargebee_sandbox.tests.chargebee_js.card_form import CardForm
from chargebee_sandbox.tests.chargebee_js.merchant import Merchant
from chargebee_sandbox.tests.support.site_driver import REFUSED_CARD, SiteDriver, expect_refusal

BRANDS = [
    ("4111111111111111", "4111 1111 1111 1111", "visa", "123"),
    ("5555555555554444", "5555 5555 5555 4444", "mastercard", "123"),
    ("378282246310005", "3782 822463 10005", "american_express", "1234"),
    ("6011111111111117", "6011 1111 1111 1117", "discover", "123"),
    ("38520000023237", "3852 000002 3237", "diners_club", "123"),
    ("3530111333300000", "3530 1113 3330 0000", "jcb", "123"),
]


@pytest.fixture
def form(page: Page, merchant: Merchant, complaints: list[str]) -> CardForm:
    return CardForm(page, merchant.origin).open_page()


@pytest.mark.parametrize(("number", "shown", "brand", "code"), BRANDS)
def test_a_typed_card_becomes_a_token_of_its_brand(
    form: CardForm, shop: SiteDriver, complaints: list[str], number: str, shown: str, brand: str, code: str
) -> None:
    form.type_card(number, "8/34", "12345")

    assert form.field("number").input_value() == shown
    assert form.field("expiry").input_value() == "08 / 34"
    assert form.field("cvv").input_value() == "12345"[: len(code)]
    assert form.reported_events("number", "change")[-1]["cardType"] == brand
    shop.add_customer(card=None)
    params = {"customer_id": "ava", "token_id": form.request_token()}
    card = shop.client.PaymentSource.create_using_token(params).payment_source.card
    assert (card.brand, card.last4, card.expiry_month, card.expiry_year) == (brand, number[-4:], 8, 2034)
    assert (card.first_name, card.billing_state_code, card.billing_zip) == ("Ava", "TN", "37203")
    assert complaints == []


def test_every_field_is_ready_before_the_component_says_so(form: CardForm) -> None:
    order = form.page.evaluate("() => window.told.map(({ place, type }) => `${place} ${type}`)")

    assert sorted(order[:3]) == ["cvv ready", "expiry ready", "number ready"]
    assert order[3:] == ["component ready"]


def test_text_typed_before_the_scripts_have_loaded_is_kept(page: Page, merchant: Merchant, shop: SiteDriver) -> None:
    late: list[Route] = []
    page.route("**/card-field.js", lambda route: late.append(route))  # noqa: PLW0108  (playwright marks it)
    form = CardForm(page, merchant.origin)
    page.goto(f"{form.origin}/on-host.js?", wait_until="commit")
    form.type_card()

    for route in late:
        route.continue_()
    form.wait_until_ready()

    assert form.field("number").input_value() == "4111 1111 1111 1111"
    assert form.reported_events("number", "change")[-1]["complete"]
    assert form.request_token()


def test_a_change_event_reports_the_state_of_the_field(form: CardForm) -> None:
    form.field("number").press_sequentially("4111")
    form.field("number").press("Backspace")

    form.wait_for("number", "change", count=5)
    changes = form.reported_events("number", "change")
    assert {name: changes[-1][name] for name in ("field", "complete", "empty", "cardType")} == {
        "field": "number",
        "complete": False,
        "empty": False,
        "cardType": "visa",
    }
    assert changes[-1].get("error") is None
    assert form.reported_events("component", "change") == [{**change, "place": "component"} for change in changes]


@pytest.mark.parametrize(
    ("kind", "typed", "code", "message"),
    [
        ("number", "4111111111111112", "cardNumberInvalid", "Your card number is invalid."),
        ("number", "4111", "cardNumberIncomplete", "Your card number is incomplete."),
        ("expiry", "1320", "cardExpiryInvalid", "Your card's expiry date is invalid."),
        ("expiry", "0520", "cardExpiryPast", "Your card's expiry date is in the past."),
        ("expiry", "08", "cardExpiryIncomplete", "Your card's expiry date is incomplete."),
        ("cvv", "1", "cardCvvIncomplete", "Your card's security code is incomplete."),
    ],
)
def test_an_error_is_reported_to_the_page_and_announced_in_the_frame(
    form: CardForm, kind: str, typed: str, code: str, message: str
) -> None:
    form.field(kind).press_sequentially(typed)
    form.page.get_by_role("heading").click()
    form.field(kind).blur()

    expect(form.alert(kind)).to_have_text(message)
    expect(form.field(kind)).to_have_attribute("aria-invalid", "true")
    error = form.reported_events(kind, "change")[-1]["error"]
    assert error == {"errorCode": code, "code": code, "name": code, "message": message}
    expect(form.page.locator(f"#card-{kind}-1")).to_have_class(re.compile(r"\binvalid\b"))


def test_an_incomplete_card_gives_no_token_and_every_field_an_error(form: CardForm) -> None:
    form.field("number").press_sequentially("4111111111111111")

    output = form.submit_card()

    assert output.startswith("ClientError validationFailed:")
    expect(form.alert("expiry")).to_have_text("Your card's expiry date is incomplete.")
    expect(form.alert("cvv")).to_have_text("Your card's security code is incomplete.")
    assert [form.reported_events(kind, "change")[-1]["error"]["errorCode"] for kind in ("expiry", "cvv")] == [
        "cardExpiryIncomplete",
        "cardCvvIncomplete",
    ]


def test_the_page_can_focus_blur_and_clear_fields(form: CardForm) -> None:
    form.page.evaluate("() => window.fields[2].focus()")
    expect(form.field("cvv")).to_be_focused()
    expect(form.page.locator("#card-cvv-1")).to_have_class(re.compile("has-focus"))
    form.page.keyboard.type("123")
    form.page.keyboard.press("Escape")
    form.page.evaluate("() => { window.fields[2].blur(); window.fields[2].clear(); }")

    expect(form.field("cvv")).to_have_value("")
    expect(form.page.locator("#card-cvv-1")).to_have_class("empty")
    assert len(form.reported_events("cvv", "focus")) == len(form.reported_events("cvv", "blur")) == 1
    assert form.reported_events("component", "keyPress")[0]["key"] == "Escape"


def test_the_tab_key_moves_between_fields_and_the_page_shows_the_focus(form: CardForm) -> None:
    form.field("number").focus()
    form.page.keyboard.press("Tab")

    expect(form.field("expiry")).to_be_focused()
    expect(form.page.locator("#card-expiry-1")).to_have_class(re.compile("has-focus"))


def test_a_field_has_the_configured_texts_and_styles(form: CardForm) -> None:
    number, expiry = form.field("number"), form.field("expiry")

    expect(number).to_have_accessible_name("Number of the card")
    expect(expiry).to_have_accessible_name("Expiry date")
    expect(expiry).to_have_attribute("placeholder", "a expiry")
    expect(number).to_have_css("color", "rgb(1, 2, 3)")
    number.press_sequentially("4111111111111112")
    expect(number).to_have_css("color", "rgb(200, 0, 0)")


def test_a_field_keeps_the_style_of_its_text_and_nothing_else(form: CardForm) -> None:
    number = form.field("number")

    for name, value in {"font-size": "18px", "text-align": "right", "letter-spacing": "1px"}.items():
        expect(number).to_have_css(name, value)
    for name, value in {"padding": "0px", "outline-style": "none", "background-color": "rgba(0, 0, 0, 0)"}.items():
        expect(number).to_have_css(name, value)


@pytest.mark.parametrize(("size", "height"), [("30px", 36), ("18px", 21.6), ("2em", 19.2)])
def test_a_frame_is_as_high_as_a_line_of_its_font(form: CardForm, size: str, height: float) -> None:
    """A size that is not in pixels is ignored."""
    form.page.evaluate("(fontSize) => window.restyle({ base: { fontSize } })", size)

    box = form.page.locator('iframe[title="Number of the card"]').bounding_box()
    assert box is not None
    assert box["height"] == pytest.approx(height, abs=0.02)
    expect(form.field("number")).to_have_css("font-size", size if size.endswith("px") else "16px")


def test_the_caret_stays_after_a_digit_typed_in_the_middle(form: CardForm) -> None:
    number = form.field("number")
    number.press_sequentially("411111111111111")
    for _step in range(10):
        number.press("ArrowLeft")
    number.press("5")
    number.press("6")

    assert number.input_value() == "4111 1115 6111 1111"
    assert number.evaluate("(input) => input.selectionStart") == len("4111 1115 6")


def test_the_length_of_the_code_follows_the_brand_in_either_order(form: CardForm) -> None:
    form.field("cvv").press_sequentially("1234")
    expect(form.field("cvv")).to_have_value("1234")
    form.field("number").press_sequentially("4111")

    expect(form.field("cvv")).to_have_value("123")
    assert form.reported_events("cvv", "change")[-1]["cardType"] == "visa"


def test_remounted_fields_work(form: CardForm, shop: SiteDriver, complaints: list[str]) -> None:
    """React's StrictMode mounts the component once and its fields twice."""
    form.type_card()
    form.page.evaluate("() => { window.told.length = 0; window.remountFields(); }")
    form.wait_until_ready()
    expect(form.field("number")).to_have_value("")

    assert form.type_card("5555555555554444").request_token().startswith("cb_token_")
    assert complaints == []


def test_a_form_that_is_opened_again_gives_a_second_token(form: CardForm, complaints: list[str]) -> None:
    first = form.type_card().request_token()
    form.page.evaluate("() => { window.unmountCard(); window.told.length = 0; window.mountCard(); }")
    form.wait_until_ready()

    second = form.type_card().request_token()
    assert second not in (first, form.request_token())
    assert complaints == []


def test_a_form_unmounted_before_it_was_ready_leaves_nothing_behind(form: CardForm, complaints: list[str]) -> None:
    form.page.evaluate("() => { window.unmountCard(); window.mountCard(); window.unmountCard(); }")

    expect(form.page.locator("iframe")).to_have_count(0)
    assert complaints == []


def test_a_component_with_all_fields_in_one_frame_works(page: Page, merchant: Merchant, shop: SiteDriver) -> None:
    form = CardForm(page, merchant.origin).open_page("combined")
    frame = page.frame_locator("iframe")
    frame.get_by_role("textbox", name="Number of the card").press_sequentially("378282246310005")
    frame.get_by_role("textbox", name="Expiry date").press_sequentially("1234")
    frame.get_by_role("textbox", name="Security code").press_sequentially("1234")

    assert form.request_token().startswith("cb_token_")
    assert {event["field"] for event in form.reported_events("component", "focus")} == {
        "number",
        "expiry",
        "cvv",
    }


def test_a_key_of_another_site_gets_no_token(page: Page, merchant: Merchant, shop: SiteDriver) -> None:
    form = CardForm(page, merchant.origin).open_page("foreign-key")

    assert form.type_card().submit_card().startswith("ApiError api_authentication_failed:")


def test_the_token_of_a_refused_card_cannot_be_used(form: CardForm, shop: SiteDriver) -> None:
    token = form.type_card(REFUSED_CARD).request_token()
    shop.add_customer(card=None)

    with expect_refusal(400, "payment_method_verification_failed") as caught:
        shop.client.PaymentSource.create_using_token({"customer_id": "ava", "token_id": token})
    assert "(3009) Do not honour" in str(caught.value)


def test_an_intent_is_authorized_with_a_card(form: CardForm, shop: SiteDriver) -> None:
    shop.add_customer(card=None)
    params = {"customer_id": "ava", "amount": 0, "currency_code": "USD"}
    intent = shop.client.PaymentIntent.create(params).payment_intent.id
    form.type_card()
    form.page.evaluate("(id) => window.authorizeCard(id)", intent)

    expect(form.page.locator("output")).to_have_text("authorized")
    added = {"customer_id": "ava", "payment_intent": {"id": intent}}
    source = shop.client.PaymentSource.create_using_payment_intent(added).payment_source
    assert (source.type, source.card.last4) == ("card", "1111")


def test_a_blocked_script_is_reported_to_the_page(page: Page, merchant: Merchant, shop: SiteDriver) -> None:
    page.route("**/v2/chargebee.js", lambda route: route.abort())
    page.goto(f"{merchant.origin}/on-host.js")

    expect(page.locator("#root")).to_have_text("The card form could not be loaded.")


def test_the_number_is_sent_only_to_the_provider(
    form: CardForm, merchant: Merchant, shop: SiteDriver, provider: Any
) -> None:
    sent: list[Request] = []
    # A lambda, since Playwright sets an attribute on listeners, which a built-in method does not allow.
    form.page.on("request", lambda request: sent.append(request))  # noqa: PLW0108
    merchant.received.clear()
    form.type_card().request_token()

    bearing = [request for request in sent if "4111111111111111" in f"{request.url} {request.post_data}"]
    assert [request.url for request in bearing] == [f"{provider.url}/v2/tokens"]
    assert "4111" not in "".join(merchant.received)
    assert "4111" not in form.page.content()
    assert "4111111111111111" not in str(form.page.evaluate("() => JSON.stringify(window.told)"))
    contents = [file.read_bytes() for file in Path(provider.log).parent.rglob("*") if file.is_file()]
    assert [b"4111111111111111" in content for content in contents] == [False] * len(contents)


def test_the_page_cannot_read_a_field(form: CardForm) -> None:
    form.field("number").press_sequentially("4111111111111111")

    peek = "() => { try { return frames[0].document.body.innerHTML; } catch (error) { return error.name; } }"
    assert form.page.evaluate(peek) == "SecurityError"


def test_messages_from_other_windows_are_ignored_on_both_sides(form: CardForm) -> None:
    form.field("number").press_sequentially("4111")
    form.wait_for("number", "change", count=4)
    # One message to the page from a window that is not the provider's, and one to each frame from a sibling frame.
    form.page.evaluate(
        "() => window.postMessage({ type: 'event', event: 'change', state: { field: 'number', complete: true } })"
    )
    sibling = form.page.frames[-1]
    sibling.evaluate("() => { for (let i = 0; i < 3; i += 1) parent.frames[i].postMessage({ type: 'clear' }, '*'); }")
    form.page.wait_for_timeout(100)

    expect(form.field("number")).to_have_value("4111")
    assert [event["complete"] for event in form.reported_events("component", "change")] == [False] * 4


def test_no_other_page_may_embed_a_field(page: Page, merchant: Merchant, provider: Any, shop: SiteDriver) -> None:
    address = f"{provider.url}/v2/card-field?kind=number&parent={merchant.origin}"
    policy = page.goto(address)
    assert policy is not None

    header = policy.headers["content-security-policy"]
    assert f"frame-ancestors {merchant.origin} {merchant.origin.replace('127.0.0.1', 'localhost')}" in header
    assert "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'" in header
    assert "unsafe" not in header
    port = merchant.origin.rpartition(":")[2]
    parents = {
        f"http://kids.localhost:{port}": 200,
        f"http://kids.localhost.example.com:{port}": 404,
        f"https://kids.localhost:{port}": 404,
        f"http://evil%2Fkids.localhost:{port}": 404,
        "http://kids.localhost:1": 404,
        "http://127.0.0.1:1": 404,
    }
    answers = {parent: page.goto(address.replace(merchant.origin, parent)) for parent in parents}
    assert {parent: answer and answer.status for parent, answer in answers.items()} == parents
