"""Page actions that bring a screen into a state, and replies that replace the server's."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, Locator, Page, Route, expect

from e2e.support.accessibility import IS_SETTLED, open_settled

# A control may appear shortly after the screen has settled; on a busy machine shortly is long.
APPEAR_SECONDS = 10
# Where controls are reachable: the open dialog, or else the page.
FRONT = "dialog[open], body:not(:has(dialog[open]))"
# What the screen that saves a payment method leaves in the history for the next one.
LEAVE_SAVED = "(address) => history.pushState({ usr: { collected: 0, wasTried: false } }, '', address)"
PageAction = Callable[[Page], bool | None]
RouteAnswer = Callable[[Route], None]
# The held requests of each page.
HELD_ROUTES: WeakKeyDictionary[Page, list[Route]] = WeakKeyDictionary()


def do_nothing(_page: Page) -> None:
    """Do nothing, since the screen is in the state when it opens."""


def is_frame_request(route: Route) -> bool:
    """Return whether a request is for the frame around every screen."""
    return route.request.url.endswith(("/api/site", "/api/account/check-payment-failure"))


def answer_with_error(code: str, message: str, status: int = 409) -> RouteAnswer:
    """Return a handler that answers requests with an error, except those for the frame around every screen."""

    def answer(route: Route) -> None:
        if is_frame_request(route):
            route.continue_()
        else:
            route.fulfill(status=status, json={"code": code, "message": message, "fields": None})

    return answer


def hold_request(route: Route) -> None:
    """Hold a request without an answer, unless it is for the frame around every screen."""
    if is_frame_request(route):
        route.continue_()
    else:
        HELD_ROUTES.setdefault(route.request.frame.page, []).append(route)


def abort_held_requests(page: Page) -> None:
    """Abort held requests: without the handler they would reach the server, even from a closed page."""
    for route in HELD_ROUTES.pop(page, []):
        # The app may have aborted it.
        with suppress(Error):
            route.abort()


def answer_with_invalid_data(route: Route) -> None:
    """Answer with data that no screen can render."""
    route.fulfill(json={"plans": [{}]})


def answer_with(data: object) -> RouteAnswer:
    """Return a handler that answers with this data as JSON."""
    return lambda route: route.fulfill(json=data)


def answer_with_setting_off(name: str) -> RouteAnswer:
    """Return a handler that answers with the document of a site on which a setting is off."""

    def answer(route: Route) -> None:
        # Only browsers know the brands' names under localhost.
        asked = urlsplit(route.request.url)
        address = asked._replace(netloc=f"127.0.0.1:{asked.port}").geturl()
        page = route.fetch(url=address, headers={**route.request.headers, "host": asked.netloc})
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


def click_control(role: str, name: str) -> PageAction:
    """Return an action that clicks the first enabled control with this role and a name that begins like this.

    It looks in the open dialog, if any, and returns False if there is no such control.
    """

    def act(page: Page) -> bool:
        found = (
            page.locator(FRONT)
            .locator(f"role={role}[name=/^{name}/i]")
            .and_(page.locator(":not([aria-disabled=true], :disabled)"))
        )
        if not has_appeared(found):
            return False
        found.first.click()
        return True

    return act


def has_appeared(control: Locator) -> bool:
    """Return whether a control is shown, or appears soon."""
    try:
        control.first.wait_for(timeout=APPEAR_SECONDS * 1000)
    except Error:
        return False
    return True


def confirm_dialog(page: Page) -> None:
    """Click the confirming button of the open dialog."""
    page.locator("dialog[open] button").last.click()


def wait_for_text(words: str) -> PageAction:
    """Return an action that waits for text that matches a pattern."""

    def act(page: Page) -> None:
        page.get_by_text(re.compile(words)).first.wait_for()

    return act


def fill_field(label: str, words: str) -> PageAction:
    """Return an action that fills in a field."""

    def act(page: Page) -> None:
        page.get_by_label(label, exact=True).fill(words)

    return act


def set_checkbox(name: str, *, on: bool) -> PageAction:
    """Return an action that checks or unchecks a checkbox."""

    def act(page: Page) -> None:
        # `check` would fail on a box that stays as it is, which is a state of its own.
        box = page.get_by_role("checkbox", name=name)
        if box.is_checked() is not on:
            box.click()

    return act


def uncheck_all(page: Page) -> None:
    """Uncheck every checkbox."""
    page.get_by_role("checkbox").first.wait_for()
    for box in page.get_by_role("checkbox").all():
        if box.is_checked():
            box.click()
            # The choice is in the URL, which changes shortly after the click.
            expect(box).not_to_be_checked()


def try_uncheck_all(page: Page) -> None:
    """Uncheck every checkbox but one, and click that one, which stays checked."""
    expect(page.get_by_role("checkbox", checked=True).first).to_be_visible()
    last, *others = [box for box in page.get_by_role("checkbox").all() if box.is_checked()]
    for box in others:
        box.click()
        expect(box).not_to_be_checked()
    last.click()


def send_code(address: str) -> PageAction:
    """Return an action that requests a sign-in code for an address."""
    return run_in_turn(
        fill_field("Email address", address),
        click_control("button", "Send code"),
        wait_for_text("^Check your email$"),
    )


def choose_last(page: Page) -> None:
    """Choose the last radio button."""
    page.get_by_role("radio").last.click()


def choose_option(label: str, option: str | int) -> PageAction:
    """Return an action that chooses an option of a select field, by its words or by its place."""

    def act(page: Page) -> None:
        field = page.get_by_label(label, exact=True)
        if isinstance(option, int):
            field.select_option(index=option)
        else:
            field.select_option(option)

    return act


def run_in_turn(*actions: PageAction) -> PageAction:
    """Return an action that runs actions in turn, until one returns False."""

    def act(page: Page) -> bool:
        return all(action(page) is not False for action in actions)

    return act


def follow_link(path: str) -> PageAction:
    """Return an action that opens the first link whose path begins like this; it returns False without one."""

    def act(page: Page) -> bool:
        link = page.locator(f"a[href^='{path}']")
        if not has_appeared(link):
            return False
        open_settled(page, str(link.first.get_attribute("href")))
        return True

    return act


def open_method_added(page: Page) -> bool:
    """Open the screen after adding a method, for the first payment method; return False without one."""
    link = page.locator("a[href*='paymentSourceId=']")
    if not has_appeared(link):
        return False
    source = str(link.first.get_attribute("href")).rpartition("paymentSourceId=")[2]
    page.evaluate(LEAVE_SAVED, f"/add-payment-method-success?paymentSourceId={source}")
    page.reload()
    page.wait_for_function(IS_SETTLED)
    return True


def undo_by_link(page: Page) -> None:
    """Open the undo link of a mail, for the first subscription with a scheduled change."""
    card = page.get_by_role("article").filter(has_text=re.compile("Undo pause|Keep my subscription")).first
    heading = card.get_by_role("heading").get_attribute("id") or ""
    open_settled(page, f"/dashboard?undo={heading.removeprefix('subscription-')}")


def lose_connection(page: Page) -> None:
    """Go offline."""
    page.context.set_offline(True)


def end_session(page: Page) -> None:
    """Reload with an invalid session token."""
    page.evaluate("() => localStorage.setItem('token', 'ssp_' + 'a'.repeat(64))")
    page.goto("/billingHistory")


def open_at_brand(label: str) -> PageAction:
    """Return an action that opens the same address at a brand's host name."""

    def act(page: Page) -> None:
        open_settled(page, re.sub(r"//[^/:]+", f"//{label}.localhost", page.url))

    return act


def type_card(number: str) -> PageAction:
    """Return an action that fills in the card form."""

    def act(page: Page) -> None:
        for title, typed in (("Card number", number), ("Expiry date", "0834"), ("Security code", "061")):
            page.frame_locator(f"iframe[title='{title}']").locator("input").press_sequentially(typed)
        for label, typed in (("Name on card", "Sam Hill"), ("State", "OH"), ("Zip code", "43004")):
            page.get_by_label(label).fill(typed)

    return act


def answer_at_paypal(answer: str) -> PageAction:
    """Return an action that clicks PayPal's button and then a button in its window."""

    def act(page: Page) -> None:
        button = page.frame_locator("iframe[title='PayPal']").get_by_role("button")
        with page.expect_popup() as opened:
            button.click()
        opened.value.get_by_role("button", name=answer).click()

    return act
