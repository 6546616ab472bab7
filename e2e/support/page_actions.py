"""What is done on a screen to bring it into a state, and what the server answers meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Locator, Page, Route, expect

from e2e.support.accessibility import open_settled

# What a screen offers is there when it has settled, or soon after.
OFFERED_SECONDS = 3
# Where controls can be reached: the open dialog, or the page when none is open.
FRONT = "dialog[open], body:not(:has(dialog[open]))"
PageAction = Callable[[Page], bool | None]
RouteAnswer = Callable[[Route], None]
# What each page is kept waiting for.
WAITING_ROUTES: WeakKeyDictionary[Page, list[Route]] = WeakKeyDictionary()


def do_nothing(_page: Page) -> None:
    """Do nothing: the screen is in that state by itself."""


def is_frame_request(route: Route) -> bool:
    """Whether it is about what stands around every screen."""
    return route.request.url.endswith(("/api/site", "/api/account/check-payment-failure"))


def answer_with_error(code: str, message: str, status: int = 409) -> RouteAnswer:
    """Refuse what is asked for, but for what stands around every screen."""

    def answer(route: Route) -> None:
        if is_frame_request(route):
            route.continue_()
        else:
            route.fulfill(status=status, json={"code": code, "message": message, "fields": None})

    return answer


def keep_waiting(route: Route) -> None:
    """Answer nothing, but what stands around every screen."""
    if is_frame_request(route):
        route.continue_()
    else:
        WAITING_ROUTES.setdefault(route.request.frame.page, []).append(route)


def abort_waiting(page: Page) -> None:
    """Fail what is kept waiting: once nothing is in between, the server would get it, even from a page that is gone."""
    for route in WAITING_ROUTES.pop(page, []):
        # It may have been given up by the app.
        with suppress(Error):
            route.abort()


def answer_nonsense(route: Route) -> None:
    """Answer with what no screen can draw."""
    route.fulfill(json={"plans": [{}]})


def answer_switched_off(name: str) -> RouteAnswer:
    """Answer with the page of a site on which operators have switched something off."""

    def answer(route: Route) -> None:
        page = route.fetch()
        route.fulfill(response=page, body=page.text().replace(f'"{name}": true', f'"{name}": false'))

    return answer


answer_refused = answer_with_error("refused", "This cannot be done right now.")
answer_declined = answer_with_error(
    "payment_processing_failed",
    "We couldn't process your payment, so nothing was changed. Please check your payment details.",
    status=402,
)
answer_unconfirmed = answer_with_error("billing_unconfirmed", "We are confirming your change.", status=503)
answer_failed = answer_with_error("internal_error", "The server failed.", status=500)


def press_control(role: str, name: str) -> PageAction:
    """Press what has this role and begins with this name, in the dialog if one is open; False where it is not there."""

    def act(page: Page) -> bool:
        found = (
            page.locator(FRONT)
            .locator(f"role={role}[name=/^{name}/i]")
            .and_(page.locator(":not([aria-disabled=true], :disabled)"))
        )
        if not is_offered(found):
            return False
        found.first.click()
        return True

    return act


def is_offered(control: Locator) -> bool:
    """Whether such a control is there, or comes soon."""
    try:
        control.first.wait_for(timeout=OFFERED_SECONDS * 1000)
    except Error:
        return False
    return True


def confirm_dialog(page: Page) -> None:
    """Press the button that does it, once the dialog that asks has its figures."""
    page.locator("dialog[open] button").last.click()


def wait_for_text(words: str) -> PageAction:
    """Wait for these words."""

    def act(page: Page) -> None:
        page.get_by_text(re.compile(words)).first.wait_for()

    return act


def fill_field(label: str, words: str) -> PageAction:
    """Type into a field."""

    def act(page: Page) -> None:
        page.get_by_label(label, exact=True).fill(words)

    return act


def set_checkbox(name: str, *, on: bool) -> PageAction:
    """Check a box, or take its check away."""

    def act(page: Page) -> None:
        # A box that keeps its check is a state of its own.
        box = page.get_by_role("checkbox", name=name)
        if box.is_checked() is not on:
            box.click()

    return act


def turn_off_all(page: Page) -> None:
    """Take every check away, one after the other."""
    page.get_by_role("checkbox").first.wait_for()
    for box in page.get_by_role("checkbox").all():
        if box.is_checked():
            box.click()
            # What is chosen stands in the address, and is known a moment after the press.
            expect(box).not_to_be_checked()


def turn_off_last(page: Page) -> None:
    """Take every check away, and try to take the last one too, which stays."""
    expect(page.get_by_role("checkbox", checked=True).first).to_be_visible()
    last, *others = [box for box in page.get_by_role("checkbox").all() if box.is_checked()]
    for box in others:
        box.click()
        expect(box).not_to_be_checked()
    last.click()


def send_code(address: str) -> PageAction:
    """Have a code sent to an address: to each one at a time."""
    return do_in_turn(
        fill_field("Email address", address),
        press_control("button", "Send code"),
        wait_for_text("^Check your email$"),
    )


def choose_last(page: Page) -> None:
    """Choose the last of several."""
    page.get_by_role("radio").last.click()


def choose_option(label: str, option: str) -> PageAction:
    """Choose in a list."""

    def act(page: Page) -> None:
        page.get_by_label(label, exact=True).select_option(option)

    return act


def do_in_turn(*acts: PageAction) -> PageAction:
    """Do one after the other, as long as there is something to do it with."""

    def act(page: Page) -> bool:
        return all(one(page) is not False for one in acts)

    return act


def follow_link(path: str) -> PageAction:
    """Follow the first link to an address that begins like this, where there is one."""

    def act(page: Page) -> bool:
        link = page.locator(f"a[href^='{path}']")
        if not is_offered(link):
            return False
        open_settled(page, str(link.first.get_attribute("href")))
        return True

    return act


def open_method_added(page: Page) -> bool:
    """Open the screen that follows an addition, for the first of the payment methods."""
    link = page.locator("a[href*='paymentSourceId=']")
    if not is_offered(link):
        return False
    source = str(link.first.get_attribute("href")).rpartition("paymentSourceId=")[2]
    open_settled(page, f"/add-payment-method-success?paymentSourceId={source}")
    return True


def undo_by_link(page: Page) -> None:
    """Come from the link in a mail that takes back what is scheduled for the first subscription that has something."""
    card = page.get_by_role("article").filter(has_text=re.compile("Undo pause|Keep my subscription")).first
    heading = card.get_by_role("heading").get_attribute("id") or ""
    open_settled(page, f"/dashboard?undo={heading.removeprefix('subscription-')}")


def lose_connection(page: Page) -> None:
    """Go offline."""
    page.context.set_offline(True)


def end_session(page: Page) -> None:
    """Come back with a session that has ended meanwhile."""
    page.evaluate("() => localStorage.setItem('token', 'ssp_' + 'a'.repeat(64))")
    page.goto("/billingHistory")


def open_at_brand(label: str) -> PageAction:
    """Open the same address at the host name of a brand."""

    def act(page: Page) -> None:
        open_settled(page, re.sub(r"//[^/:]+", f"//{label}.localhost", page.url))

    return act


def type_card(number: str) -> PageAction:
    """Fill the form of a card in."""

    def act(page: Page) -> None:
        for title, typed in (("Card number", number), ("Expiry date", "0834"), ("Security code", "061")):
            page.frame_locator(f"iframe[title='{title}']").locator("input").press_sequentially(typed)
        for label, typed in (("Name on card", "Sam Hill"), ("State", "OH"), ("Zip code", "43004")):
            page.get_by_label(label).fill(typed)

    return act


def answer_at_paypal(answer: str) -> PageAction:
    """Press PayPal's button and answer there."""

    def act(page: Page) -> None:
        button = page.frame_locator("iframe[title='PayPal']").get_by_role("button")
        with page.expect_popup() as opened:
            button.click()
        opened.value.get_by_role("button", name=answer).click()

    return act
