"""Every state that a screen can be in, and how it is brought about: one list for the pictures and for access."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Error, Page, Route, expect

from e2e.barriers import settled, violations_in_brands
from e2e.demo import ACCOUNTS

NOBODY = "nobody"
STILL = "() => document.getAnimations().every(({ playState }) => playState !== 'running')"
SHOWN_SECONDS = 20
# What a screen offers is there when it has settled, or soon after.
OFFERED_SECONDS = 3
EVERYTHING = "**/api/**"

Act = Callable[[Page], bool | None]
Answer = Callable[[Route], None]


def stay(_page: Page) -> None:
    """Do nothing: the screen is in that state by itself."""


@dataclass(frozen=True)
class State:
    """A state of a screen: whose, where, what is answered and done there, and the words that show it."""

    name: str
    path: str
    accounts: tuple[str, ...]
    act: Act = stay
    answers: Mapping[str | re.Pattern[str], Answer] = field(default_factory=dict)
    # The name of the button that opens a dialog, and what is done inside.
    opener: str = ""
    inside: Act = stay
    shows: str = ""
    # What it shows of itself never comes.
    loading: bool = False
    # Most accounts have it, each with something else to show.
    everybody: bool = False


def bring_about(page: Page, state: State) -> bool:
    """Bring a page into a state and wait until it shows; False where an account has nothing to do that with."""
    page.context.set_offline(False)
    # What is still kept waiting would be let through with the rest: it goes with its page.
    page.goto("about:blank")
    page.unroute_all()
    for address, answer in state.answers.items():
        page.route(address, answer)
    if state.loading:
        page.goto(state.path, wait_until="commit")
    else:
        settled(page, state.path)
    opening = (press("button", state.opener), state.inside) if state.opener else ()
    if not all(act(page) is not False for act in (state.act, *opening)):
        return False
    if state.shows:
        shown = page.get_by_text(re.compile(state.shows)).filter(visible=True)
        shown.first.wait_for(timeout=SHOWN_SECONDS * 1000)
    page.wait_for_function(STILL)
    return True


def barriers(page: Page, states: Iterable[State], palettes: Mapping[str, str]) -> dict[str, list[str]]:
    """What axe finds in these states in every brand's colours, by state; those without any left out."""
    found = {}
    for state in states:
        assert bring_about(page, state), state.name
        found[state.name] = violations_in_brands(page, palettes)
    return {name: what for name, what in found.items() if what}


def is_frame(route: Route) -> bool:
    """Whether it is about what stands around every screen."""
    return route.request.url.endswith(("/api/site", "/api/account/check-payment-failure"))


def failing(code: str, message: str, status: int = 409) -> Answer:
    """Refuse what is asked for, but for what stands around every screen."""

    def answer(route: Route) -> None:
        if is_frame(route):
            route.continue_()
        else:
            route.fulfill(status=status, json={"code": code, "message": message, "fields": None})

    return answer


def keep_waiting(route: Route) -> None:
    """Answer nothing, but what stands around every screen."""
    if is_frame(route):
        route.continue_()


def mislead(route: Route) -> None:
    """Answer with what no screen can draw."""
    route.fulfill(json={"plans": [{}]})


def switched_off(name: str) -> Answer:
    """Answer with the page of a site on which operators have switched something off."""

    def answer(route: Route) -> None:
        page = route.fetch()
        route.fulfill(response=page, body=page.text().replace(f'"{name}": true', f'"{name}": false'))

    return answer


refuse = failing("refused", "This cannot be done right now.")
decline = failing(
    "payment_processing_failed",
    "We couldn't process your payment, so nothing was changed. Please check your payment details.",
    status=402,
)
confirm_later = failing("billing_unconfirmed", "We are confirming your change.", status=503)
break_down = failing("internal_error", "The server failed.", status=500)


def press(role: str, name: str) -> Act:
    """Press what has this role and begins with this name, in the dialog if one is open; False where it is not there."""

    def act(page: Page) -> bool:
        opened = page.locator("dialog[open]")
        place = opened if opened.count() else page
        found = place.locator(f"role={role}[name=/^{name}/i]").and_(
            page.locator(":not([aria-disabled=true], :disabled)")
        )
        try:
            found.first.wait_for(timeout=OFFERED_SECONDS * 1000)
        except Error:
            return False
        found.first.click()
        return True

    return act


def confirm(page: Page) -> None:
    """Press the button that does it, once the dialog that asks has its figures."""
    page.locator("dialog[open] button").last.click()


def wait_for(words: str) -> Act:
    """Wait for these words."""

    def act(page: Page) -> None:
        page.get_by_text(re.compile(words)).first.wait_for()

    return act


def fill(label: str, words: str) -> Act:
    """Type into a field."""

    def act(page: Page) -> None:
        page.get_by_label(label, exact=True).fill(words)

    return act


def turn(name: str, *, on: bool) -> Act:
    """Check a box, or take its check away."""

    def act(page: Page) -> None:
        # A box that keeps its check is a state of its own.
        box = page.get_by_role("checkbox", name=name)
        if box.is_checked() is not on:
            box.click()

    return act


def turn_off_all(page: Page) -> None:
    """Take every check away, one after the other."""
    for box in page.get_by_role("checkbox").all():
        if box.is_checked():
            box.click()
            # What is chosen stands in the address, and is known a moment after the press.
            expect(box).not_to_be_checked()


def turn_off_the_last(page: Page) -> None:
    """Take every check away, and try to take the last one too, which stays."""
    last, *others = [box for box in page.get_by_role("checkbox").all() if box.is_checked()]
    for box in others:
        box.click()
        expect(box).not_to_be_checked()
    last.click()


def send_code(address: str) -> Act:
    """Have a code sent to an address: to each one at a time."""
    return in_turn(
        fill("Email address", address), press("button", "Send code"), wait_for("^Check your email$")
    )


def choose_last(page: Page) -> None:
    """Choose the last of several."""
    page.get_by_role("radio").last.click()


def choose(label: str, option: str) -> Act:
    """Choose in a list."""

    def act(page: Page) -> None:
        page.get_by_label(label, exact=True).select_option(option)

    return act


def in_turn(*acts: Act) -> Act:
    """Do one after the other, as long as there is something to do it with."""

    def act(page: Page) -> bool:
        return all(one(page) is not False for one in acts)

    return act


def follow(path: str) -> Act:
    """Follow the first link to an address that begins like this, where there is one."""

    def act(page: Page) -> bool:
        link = page.locator(f"a[href^='{path}']")
        if link.count() == 0:
            return False
        settled(page, str(link.first.get_attribute("href")))
        return True

    return act


def added(page: Page) -> bool:
    """Open the screen that follows an addition, for the first of the payment methods."""
    link = page.locator("a[href*='paymentSourceId=']")
    if link.count() == 0:
        return False
    source = str(link.first.get_attribute("href")).rpartition("paymentSourceId=")[2]
    settled(page, f"/add-payment-method-success?paymentSourceId={source}")
    return True


def undo_by_link(page: Page) -> None:
    """Come from the link in a mail that takes back what is scheduled for the first subscription that has something."""
    card = page.get_by_role("article").filter(has_text=re.compile("Cancel pause|Keep my subscription")).first
    heading = card.get_by_role("heading").get_attribute("id") or ""
    settled(page, f"/dashboard?undo={heading.removeprefix('subscription-')}")


def lose_connection(page: Page) -> None:
    """Go offline."""
    page.context.set_offline(True)


def lose_session(page: Page) -> None:
    """Come back with a session that has ended meanwhile."""
    page.evaluate("() => localStorage.setItem('token', 'ssp_' + 'a'.repeat(64))")
    page.goto("/billingHistory")


def at(label: str) -> Act:
    """Open the same address at the host name of a brand."""

    def act(page: Page) -> None:
        settled(page, re.sub(r"//[^/:]+", f"//{label}.localhost", page.url))

    return act


def type_card(number: str) -> Act:
    """Fill the form of a card in."""

    def act(page: Page) -> None:
        for title, typed in (("Card number", number), ("Expiry date", "0834"), ("Security code", "061")):
            page.frame_locator(f"iframe[title='{title}']").locator("input").press_sequentially(typed)
        for label, typed in (("Name on card", "Sam Hill"), ("State", "OH"), ("Zip code", "43004")):
            page.get_by_label(label).fill(typed)

    return act


def at_paypal(answer: str) -> Act:
    """Press PayPal's button and answer there."""

    def act(page: Page) -> None:
        button = page.frame_locator("iframe[title='PayPal']").get_by_role("button")
        with page.expect_popup() as opened:
            button.click()
        opened.value.get_by_role("button", name=answer).click()

    return act


AVA, BEN, CARLA, DAN, ELLA, FINN, GIA, HUGO, IVY, JO = ((name,) for name in ACCOUNTS)
SAVE = "SAVE CHANGES"
PAUSE = re.compile(r"/api/account/pause\?|/multiple-pause$")
# Whatever comes of it, every screen loads first: slowly, or in vain.
READING = {
    "dashboard": "/dashboard",
    "manage": "/manage-subscription",
    "manage-preview": "/manage-subscription?action=downgrade",
    "upgrade": "/manage-subscription/upgrade",
    "downgrade": "/manage-subscription/downgrade",
    "summary": "/summary",
    "pause-offer": "/pause-offer",
    "pause-summary": "/pause-summary",
    "cancel": "/cancelAll",
    "billing-history": "/billingHistory",
    "profile": "/edit-profile",
    "email-preferences": "/emailPreferences",
    "email-confirm": "/emailConfirm",
    "methods": "/manage-payment-method",
    "add-card": "/add-card-payment-method",
    "add-paypal": "/add-paypal-payment-method",
    "method-added": "/add-payment-method-success?paymentSourceId=pm",
}
LOADING = tuple(
    State(f"{name}-loading", path, JO, answers={EVERYTHING: keep_waiting}, shows="^Loading$", loading=True)
    for name, path in READING.items()
)
FAILED = tuple(
    State(f"{name}-failed", path, JO, answers={EVERYTHING: refuse}, shows="^Try again$")
    for name, path in READING.items()
)
HOME = (
    State("dashboard", "/dashboard", ACCOUNTS, everybody=True),
    State("dashboard-offline", "/dashboard", JO, lose_connection, shows="^You are offline"),
    State(
        "dashboard-broken", "/dashboard", AVA, answers={"**/api/account": mislead}, shows="^Unexpected App"
    ),
    State(
        "dashboard-parts-failed",
        "/dashboard",
        AVA,
        answers={
            "**/api/account/activity*": refuse,
            "**/api/invoice/list": refuse,
            "**/api/payments/": refuse,
        },
        shows="^Try again$",
    ),
    State(
        "dashboard-parts-loading",
        "/dashboard",
        AVA,
        wait_for("^What you pay$"),
        answers={"**/api/account/activity*": keep_waiting, "**/api/payments/": keep_waiting},
        loading=True,
    ),
    State(
        "dashboard-undoing",
        "/dashboard",
        GIA,
        press("button", "Keep my subscription"),
        answers={"**/remove-scheduled-cancellation": keep_waiting},
        shows="^Loading$",
    ),
    State(
        "dashboard-confirming",
        "/dashboard",
        GIA,
        press("button", "Keep my subscription"),
        answers={"**/remove-scheduled-cancellation": confirm_later},
        shows="^We are confirming your change",
    ),
    State(
        "dashboard-not-undone",
        "/dashboard",
        GIA,
        press("button", "Keep my subscription"),
        answers={"**/remove-scheduled-cancellation": refuse},
        shows="^This cannot be done",
    ),
    State("signed-in", "/", JO, shows="re signed in$"),
)
PLAN_SCREENS = (
    State("manage-subscription", "/manage-subscription", (*JO, *DAN, *IVY), everybody=True),
    State("manage-preview", "/manage-subscription?action=downgrade", (*JO, *BEN)),
    State(
        "manage-nothing-chosen", "/manage-subscription", JO, press("button", SAVE), shows="^Choose what to"
    ),
    State("manage-changed", "/manage-subscription", AVA, turn("Kids", on=True), shows="^Due today$"),
    State(
        "manage-working-out",
        "/manage-subscription",
        AVA,
        turn("Kids", on=True),
        answers={"**/add-remove-service/estimate": keep_waiting},
    ),
    State(
        "manage-not-worked-out",
        "/manage-subscription",
        AVA,
        turn("Kids", on=True),
        answers={"**/add-remove-service/estimate": break_down},
        shows="^Try again$",
    ),
    State("manage-last-one", "/manage-subscription", (*BEN, *FINN), turn_off_the_last, shows="^At least one"),
    State("upgrade", "/manage-subscription/upgrade", (*JO, *BEN), everybody=True),
    State(
        "upgrade-none-chosen", "/manage-subscription/upgrade", JO, turn_off_the_last, shows="^Choose at least"
    ),
    State(
        "upgrade-not-worked-out",
        "/manage-subscription/upgrade",
        JO,
        answers={"**/upgrade/estimate*": refuse},
        shows="^This cannot",
    ),
    State("downgrade", "/manage-subscription/downgrade", (*BEN, *CARLA, *JO), everybody=True),
    State("summary", "/summary?action=upgrade", (*JO, *IVY, *GIA, *ELLA), everybody=True),
    State("coupon", "/coupon", JO, everybody=True),
    State("coupon-empty", "/coupon", JO, press("button", "APPLY"), shows="^Please enter the coupon"),
    State(
        "coupon-refused",
        "/coupon",
        JO,
        in_turn(fill("Code", "NOTHING"), press("button", "APPLY")),
        shows="NOTHING|code",
    ),
)
LEAVING_SCREENS = (
    State("pause-offer", "/pause-offer", (*JO, *DAN, *IVY, *GIA), everybody=True),
    State(
        "pause-none-chosen",
        "/pause-offer",
        JO,
        turn_off_the_last,
        shows="^Choose at",
    ),
    State(
        "pause-refused",
        "/pause-offer",
        AVA,
        press("button", "PAUSE MY"),
        answers={PAUSE: refuse},
        shows="^This cannot",
    ),
    State("pause-summary", "/pause-summary", (*ELLA, *JO, *IVY), everybody=True),
    State("cancel", "/cancelAll", (*JO, *BEN, *DAN, *HUGO, *GIA), everybody=True),
    State(
        "cancel-none-chosen",
        "/cancelAll",
        JO,
        in_turn(turn_off_all, press("button", "CANCEL SUB")),
        shows="^Choose at",
    ),
    State(
        "cancel-refused",
        "/cancelAll",
        AVA,
        press("button", "CANCEL SUB"),
        answers={"**/subscriptions/cancel": refuse},
        shows="^This cannot",
    ),
    State(
        "cancel-switched-off",
        "/cancelAll",
        AVA,
        answers={"**/cancelAll": switched_off("enableCancelButton")},
        shows="^You cannot cancel",
    ),
)
OWN_SCREENS = (
    State("billing-history", "/billingHistory", (*AVA, *IVY), everybody=True),
    State("billing-history-more", "/billingHistory", AVA, press("button", "Show more"), shows="^Showing"),
    State(
        "billing-history-preparing",
        "/billingHistory",
        BEN,
        press("button", "Download invoice"),
        answers={"**/api/invoice/pdf/*": keep_waiting},
    ),
    State(
        "billing-history-not-made",
        "/billingHistory",
        BEN,
        press("button", "Download invoice"),
        answers={"**/api/invoice/pdf/*": refuse},
        shows="^This cannot",
    ),
    State("profile", "/edit-profile", JO, everybody=True),
    State(
        "profile-wrong",
        "/edit-profile",
        JO,
        in_turn(fill("First name", ""), choose("Month", "2"), press("button", "Update")),
        shows="^Please",
    ),
    State(
        "profile-refused",
        "/edit-profile",
        JO,
        press("button", "Update"),
        answers={"**/profile/update": refuse},
        shows="^This cannot",
    ),
    State("profile-saved", "/edit-profile", JO, press("button", "Update"), shows="^Profile details updated"),
    State(
        "profile-parts-failed",
        "/edit-profile",
        JO,
        answers={"**/api/account/sessions": refuse},
        shows="^Try again$",
    ),
    State("email-preferences", "/emailPreferences", JO, everybody=True),
    State("email-confirm", "/emailConfirm", JO, everybody=True),
    State(
        "email-confirm-all", "/emailConfirm?state=unsubscribeAll", JO, shows="^PLEASE ALLOW", everybody=True
    ),
)
METHOD_SCREENS = (
    State("methods", "/manage-payment-method", (*JO, *AVA, *FINN, *IVY), everybody=True),
    State("method-kept", "/manage-payment-method", BEN, shows="can.t be deleted"),
    State(
        "method-not-chosen",
        "/manage-payment-method",
        AVA,
        choose_last,
        answers={"**/updatePaymentSources": refuse},
        shows="^This cannot",
    ),
    State("add-method", "/add-payment-method", (*JO, *FINN), everybody=True),
    State(
        "add-method-empty", "/add-payment-method", JO, press("button", "Continue"), shows="^Choose payment"
    ),
    State(
        "add-method-chosen",
        "/add-payment-method",
        JO,
        lambda page: page.get_by_role("radio", name="Card").check(),
    ),
    State("add-card", "/add-card-payment-method", (*JO, *FINN), everybody=True),
    State(
        "add-card-empty", "/add-card-payment-method", JO, press("button", "Add card"), shows="^Please enter"
    ),
    State(
        "add-card-awaited",
        "/add-card-payment-method",
        JO,
        wait_for("^Loading the secure card fields"),
        answers={"**/v2/chargebee.js": keep_waiting},
        loading=True,
    ),
    State(
        "add-card-blocked",
        "/add-card-payment-method",
        JO,
        answers={"**/v2/chargebee.js": lambda route: route.abort()},
        shows="^Try again$",
    ),
    State(
        "add-card-refused",
        "/add-card-payment-method",
        JO,
        in_turn(type_card("4111111111111111"), press("button", "Add card")),
        answers={"**/updatePaymentSources": decline},
        shows="^We couldn't process",
    ),
    State(
        "update-card",
        "/manage-payment-method",
        (*AVA, *FINN),
        follow("/update-card-payment-method"),
        everybody=True,
    ),
    State("add-paypal", "/add-paypal-payment-method", (*JO, *FINN), everybody=True),
    State(
        "add-paypal-awaited",
        "/add-paypal-payment-method",
        JO,
        wait_for("^Loading the PayPal button"),
        answers={"**/v2/chargebee.js": keep_waiting},
        loading=True,
    ),
    State(
        "add-paypal-blocked",
        "/add-paypal-payment-method",
        JO,
        answers={"**/v2/chargebee.js": lambda route: route.abort()},
        shows="^Try again$",
    ),
    State(
        "add-paypal-given-up",
        "/add-paypal-payment-method",
        JO,
        at_paypal("Cancel and return"),
        shows="^Try again$",
    ),
    State(
        "add-paypal-not-taken",
        "/add-paypal-payment-method",
        JO,
        at_paypal("Let the payment fail"),
        shows="^Try again$",
    ),
    State(
        "update-paypal", "/manage-payment-method", GIA, follow("/add-paypal-payment-method"), everybody=True
    ),
    State("method-added", "/manage-payment-method", (*AVA, *GIA), added, everybody=True),
)
# In front of these, another screen waits.
DIALOGS = (
    State("profile-menu", "/dashboard", (*JO, *IVY), opener="Your profile", shows="^Logout$", everybody=True),
    State("resume-dialog", "/dashboard", DAN, opener="Resume now", shows="^Charged today$"),
    State(
        "resume-dialog-loading",
        "/dashboard",
        DAN,
        answers={"**/resume/estimate*": keep_waiting},
        opener="Resume now",
        shows="^Working out",
    ),
    State(
        "resume-dialog-not-worked-out",
        "/dashboard",
        DAN,
        answers={"**/resume/estimate*": refuse},
        opener="Resume now",
        shows="^Try again$",
    ),
    State(
        "resume-dialog-refused",
        "/dashboard",
        DAN,
        answers={"**/api/account/resume": decline},
        opener="Resume now",
        inside=confirm,
        shows="^We couldn't process",
    ),
    State(
        "resume-dialog-confirming",
        "/dashboard",
        DAN,
        answers={"**/api/account/resume": confirm_later},
        opener="Resume now",
        inside=confirm,
        shows="^We are confirming",
    ),
    State("free-month-dialog", "/dashboard", FINN, opener="Claim my free month", shows="^Nothing is charged"),
    State(
        "free-month-dialog-refused",
        "/dashboard",
        FINN,
        answers={"**/api/account/claim-my-offer": refuse},
        opener="Claim my free month",
        inside=confirm,
        shows="^This cannot",
    ),
    State("undo-dialog", "/dashboard", ELLA, undo_by_link, shows="^Not now$"),
    State(
        "undo-dialog-refused",
        "/dashboard",
        ELLA,
        in_turn(undo_by_link, confirm),
        answers={"**/remove-scheduled-pause": refuse},
        shows="^This cannot",
    ),
    State("undo-dialog-nothing", "/dashboard?undo=nothing", JO, shows="^There is nothing left"),
    State(
        "manage-dialog-adding",
        "/manage-subscription",
        AVA,
        turn("Kids", on=True),
        opener=SAVE,
        shows="^You add Kids",
    ),
    State(
        "manage-dialog-removing",
        "/manage-subscription",
        JO,
        turn("Kids", on=False),
        opener=SAVE,
        shows="^Warning$",
    ),
    State(
        "manage-dialog-loading",
        "/manage-subscription",
        AVA,
        turn("Kids", on=True),
        answers={"**/add-remove-service/estimate": keep_waiting},
        opener=SAVE,
        shows="^Working out",
    ),
    State(
        "manage-dialog-declined",
        "/manage-subscription",
        (*AVA, *BEN),
        turn("Kids", on=True),
        answers={"**/api/account/add-remove-service": decline},
        opener=SAVE,
        inside=confirm,
        shows="^What you have chosen is kept",
    ),
    State(
        "manage-dialog-confirming",
        "/manage-subscription",
        AVA,
        turn("Kids", on=True),
        answers={"**/api/account/add-remove-service": confirm_later},
        opener=SAVE,
        inside=confirm,
        shows="^We are confirming",
    ),
    State(
        "manage-dialog-no-method",
        "/manage-subscription",
        IVY,
        turn("Kids", on=True),
        opener=SAVE,
        inside=confirm,
        shows="^Add a payment method$",
    ),
    State(
        "upgrade-dialog",
        "/manage-subscription/upgrade",
        JO,
        opener=SAVE,
        shows="will be billed annually",
    ),
    State(
        "upgrade-dialog-refused",
        "/manage-subscription/upgrade",
        JO,
        answers={"**/api/account/upgrade": refuse},
        opener=SAVE,
        inside=confirm,
        shows="^This cannot",
    ),
    State(
        "downgrade-dialog",
        "/manage-subscription/downgrade",
        BEN,
        opener=SAVE,
        shows="will be billed monthly",
    ),
    State(
        "unsubscribe-dialog",
        "/emailPreferences",
        JO,
        lambda page: page.get_by_role("checkbox").first.check(),
        opener="Unsubscribe From All",
        shows="^Are you sure",
    ),
    State("delete-dialog", "/manage-payment-method", JO, opener="Delete Visa", shows="^Are you sure"),
    State("pay-dialog", "/manage-payment-method", FINN, opener="Pay .* now", shows="due will be charged now"),
    State(
        "pay-dialog-refused",
        "/manage-payment-method",
        FINN,
        answers={"**/updatePaymentSources": refuse},
        opener="Pay .* now",
        inside=confirm,
        shows="^This cannot",
    ),
    State(
        "pay-dialog-with-a-card",
        "/add-card-payment-method",
        FINN,
        type_card("4111111111111111"),
        opener="Add card",
        shows="due will be charged now",
    ),
)
# What these do is done: they come after all others.
DONE = (
    State("done-default", "/manage-payment-method", AVA, choose_last, shows="is now your default"),
    State(
        "done-services",
        "/manage-subscription",
        AVA,
        turn("Kids", on=True),
        opener=SAVE,
        inside=confirm,
        shows="^You have added|^Kids",
    ),
    State("done-cancelling", "/cancelAll", BEN, press("button", "CANCEL SUB"), shows="^Access ends$"),
    State("done-resuming", "/dashboard", DAN, opener="Resume now", inside=confirm, shows="is active again"),
    State("done-undoing", "/dashboard", ELLA, press("button", "Cancel pause"), shows="goes on as before"),
    State(
        "done-free-month",
        "/dashboard",
        ELLA,
        opener="Claim my free month",
        inside=confirm,
        shows="^Your next month is free$",
    ),
    State("done-declined", "/manage-payment-method", FINN, opener="Pay", inside=confirm, shows="still due"),
    State(
        "done-emails",
        "/emailPreferences",
        IVY,
        in_turn(turn("Promotions", on=True), press("button", "SAVE PREFERENCES")),
        shows="^Your email preferences are saved",
    ),
    State("done-pausing", "/pause-offer", JO, press("button", "PAUSE MY"), shows="^Your pause takes effect"),
    State(
        "done-deleting",
        "/manage-payment-method",
        JO,
        opener="Delete Visa",
        inside=confirm,
        shows="has been removed",
    ),
)
LANDING = (
    State("landing", "/", (NOBODY,)),
    State("landing-gospel", "/", (NOBODY,), at("gospel")),
    State("landing-kids", "/", (NOBODY,), at("kids")),
    State("landing-sports", "/", (NOBODY,), at("sports")),
    State("landing-empty", "/", (NOBODY,), press("button", "Send code"), shows="^Please enter your email"),
    State(
        "landing-offline",
        "/",
        (NOBODY,),
        in_turn(lose_connection, fill("Email address", "a@example.com"), press("button", "Send code")),
        shows="^We couldn.t reach",
    ),
    State("landing-session-ended", "/", (NOBODY,), lose_session, shows="^Your session has ended"),
    State("landing-code", "/", (NOBODY,), send_code("a@example.com"), shows="^You can ask for a new code in"),
    State(
        "landing-code-short",
        "/",
        (NOBODY,),
        in_turn(send_code("b@example.com"), fill("Six-digit code", "12"), press("button", "Sign in")),
        shows="^Please enter all six",
    ),
)
SCREENS = (*HOME, *PLAN_SCREENS, *LEAVING_SCREENS, *OWN_SCREENS, *METHOD_SCREENS)
