"""Every state of every screen: the list behind the screenshots and the accessibility tests.

The dialogs and menus are in `dialog_catalog`, the outcomes of changes in `outcome_catalog`.
"""

from __future__ import annotations

import re

from e2e.support.demo_portal import ACCOUNTS
from e2e.support.page_actions import (
    answer_at_paypal,
    answer_declined,
    answer_failed,
    answer_refused,
    answer_unconfirmed,
    answer_with_invalid_data,
    answer_with_setting_off,
    choose_last,
    choose_option,
    click_control,
    end_session,
    fill_field,
    follow_link,
    hold_request,
    lose_connection,
    open_at_brand,
    open_method_added,
    run_in_turn,
    send_code,
    set_checkbox,
    try_uncheck_all,
    type_card,
    uncheck_all,
    wait_for_text,
)
from e2e.support.screen_state import ScreenState

NOBODY = "nobody"
EVERYTHING = "**/api/**"
AVA, BEN, CARLA, DAN, ELLA, FINN, GIA, HUGO, IVY, JO, KIM = ((name,) for name in ACCOUNTS)
# What is new in these accounts shows in the states that name them; their other screens look like those of the others.
ONLY_WHERE_NAMED = KIM
SAVE = "SAVE CHANGES"
PAUSE = re.compile(r"/api/account/pause\?|/multiple-pause$")
# Screens that load data, which may be slow or fail.
LOADING_PATHS = {
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
    ScreenState(f"{name}-loading", path, JO, answers={EVERYTHING: hold_request}, shows="^Loading$", loading=True)
    for name, path in LOADING_PATHS.items()
)
FAILED = tuple(
    ScreenState(f"{name}-failed", path, JO, answers={EVERYTHING: answer_refused}, shows="^Try again$")
    for name, path in LOADING_PATHS.items()
)
HOME = (
    ScreenState("dashboard", "/dashboard", ACCOUNTS, for_all_accounts=True),
    ScreenState("dashboard-offline", "/dashboard", JO, lose_connection, shows="^You.re offline"),
    ScreenState(
        "dashboard-broken",
        "/dashboard",
        AVA,
        answers={"**/api/account": answer_with_invalid_data},
        shows="^Unexpected App",
    ),
    ScreenState(
        "dashboard-parts-failed",
        "/dashboard",
        AVA,
        answers={
            "**/api/account/activity*": answer_refused,
            "**/api/invoice/list": answer_refused,
            "**/api/payments/": answer_refused,
        },
        shows="^Try again$",
    ),
    ScreenState(
        "dashboard-parts-loading",
        "/dashboard",
        AVA,
        wait_for_text("^Your costs$"),
        answers={"**/api/account/activity*": hold_request, "**/api/payments/": hold_request},
        loading=True,
    ),
    ScreenState(
        "dashboard-undoing",
        "/dashboard",
        GIA,
        click_control("button", "Keep my subscription"),
        answers={"**/remove-scheduled-cancellation": hold_request},
        shows="^Loading$",
    ),
    ScreenState(
        "dashboard-confirming",
        "/dashboard",
        GIA,
        click_control("button", "Keep my subscription"),
        answers={"**/remove-scheduled-cancellation": answer_unconfirmed},
        shows="^We.re confirming your change",
    ),
    ScreenState(
        "dashboard-not-undone",
        "/dashboard",
        GIA,
        click_control("button", "Keep my subscription"),
        answers={"**/remove-scheduled-cancellation": answer_refused},
        shows="^This cannot be done",
    ),
    ScreenState("signed-in", "/", JO, shows="re signed in$"),
)
PLAN_SCREENS = (
    ScreenState("manage-subscription", "/manage-subscription", (*JO, *DAN, *IVY, *KIM), for_all_accounts=True),
    ScreenState("manage-preview", "/manage-subscription?action=downgrade", (*JO, *BEN)),
    ScreenState(
        "manage-nothing-chosen",
        "/manage-subscription",
        JO,
        click_control("button", SAVE),
        shows="^Select a service to add",
    ),
    ScreenState("manage-changed", "/manage-subscription", AVA, set_checkbox("Kids", on=True), shows="^Due today$"),
    ScreenState(
        "manage-working-out",
        "/manage-subscription",
        AVA,
        set_checkbox("Kids", on=True),
        answers={"**/add-remove-service/estimate": hold_request},
    ),
    ScreenState(
        "manage-not-worked-out",
        "/manage-subscription",
        AVA,
        set_checkbox("Kids", on=True),
        answers={"**/add-remove-service/estimate": answer_failed},
        shows="^Try again$",
    ),
    ScreenState("manage-no-method", "/manage-subscription?add=Minno-Plan", IVY, shows="^Add a card and start Kids$"),
    ScreenState("manage-last-one", "/manage-subscription", (*BEN, *FINN), try_uncheck_all, shows="^Keep at least one"),
    ScreenState("upgrade", "/manage-subscription/upgrade", (*JO, *BEN, *DAN), for_all_accounts=True),
    ScreenState("upgrade-none-chosen", "/manage-subscription/upgrade", JO, try_uncheck_all, shows="^Select at least"),
    ScreenState(
        "upgrade-not-worked-out",
        "/manage-subscription/upgrade",
        JO,
        answers={"**/upgrade/estimate*": answer_refused},
        shows="^This cannot",
    ),
    ScreenState("downgrade", "/manage-subscription/downgrade", (*BEN, *CARLA, *JO), for_all_accounts=True),
    ScreenState("summary", "/summary?action=upgrade", (*JO, *IVY, *GIA, *ELLA), for_all_accounts=True),
    ScreenState("coupon", "/coupon", JO, for_all_accounts=True),
    ScreenState("coupon-empty", "/coupon", JO, click_control("button", "APPLY"), shows="^Please enter the coupon"),
    ScreenState(
        "coupon-refused",
        "/coupon",
        JO,
        run_in_turn(fill_field("Code", "NOTHING"), click_control("button", "APPLY")),
        shows="NOTHING|code",
    ),
)
LEAVING_SCREENS = (
    ScreenState("pause-offer", "/pause-offer", (*JO, *DAN, *IVY, *GIA), for_all_accounts=True),
    ScreenState(
        "pause-none-chosen",
        "/pause-offer",
        JO,
        try_uncheck_all,
        shows="^Select at",
    ),
    ScreenState(
        "pause-outdated",
        "/pause-offer?ids=unknown",
        AVA,
        click_control("button", "PAUSE MY"),
        shows="^Select at",
    ),
    ScreenState(
        "pause-refused",
        "/pause-offer",
        AVA,
        click_control("button", "PAUSE MY"),
        answers={PAUSE: answer_refused},
        shows="^This cannot",
    ),
    ScreenState("pause-summary", "/pause-summary", (*ELLA, *JO, *IVY), for_all_accounts=True),
    ScreenState("cancel", "/cancelAll", (*JO, *BEN, *DAN, *HUGO, *GIA, *KIM), for_all_accounts=True),
    ScreenState(
        "cancel-none-chosen",
        "/cancelAll",
        JO,
        run_in_turn(uncheck_all, click_control("button", "CANCEL SUB")),
        shows="^Select at",
    ),
    ScreenState(
        "cancel-refused",
        "/cancelAll",
        AVA,
        click_control("button", "CANCEL SUB"),
        answers={"**/subscriptions/cancel": answer_refused},
        shows="^This cannot",
    ),
    ScreenState(
        "cancel-switched-off",
        "/cancelAll",
        AVA,
        answers={"**/cancelAll": answer_with_setting_off("enableCancelButton")},
        shows="^You can.t cancel",
    ),
)
OWN_SCREENS = (
    ScreenState("billing-history", "/billingHistory", (*AVA, *IVY, *FINN, *KIM), for_all_accounts=True),
    ScreenState("billing-history-more", "/billingHistory", AVA, click_control("button", "Show more"), shows="^Showing"),
    ScreenState(
        "billing-history-year", "/billingHistory", AVA, choose_option("Year", 2), shows="^Download .* statement$"
    ),
    ScreenState(
        "billing-history-preparing",
        "/billingHistory",
        BEN,
        click_control("button", "Download invoice"),
        answers={"**/api/invoice/pdf/*": hold_request},
    ),
    ScreenState(
        "billing-history-not-made",
        "/billingHistory",
        BEN,
        click_control("button", "Download invoice"),
        answers={"**/api/invoice/pdf/*": answer_refused},
        shows="^This cannot",
    ),
    ScreenState("profile", "/edit-profile", JO, for_all_accounts=True),
    ScreenState(
        "profile-wrong",
        "/edit-profile",
        JO,
        run_in_turn(fill_field("First name", ""), choose_option("Month", "2"), click_control("button", "Update")),
        shows="^Please",
    ),
    ScreenState(
        "profile-refused",
        "/edit-profile",
        JO,
        click_control("button", "Update"),
        answers={"**/profile/update": answer_refused},
        shows="^This cannot",
    ),
    ScreenState(
        "profile-saved",
        "/edit-profile",
        JO,
        click_control("button", "Update"),
        shows="^Profile details updated",
    ),
    ScreenState(
        "profile-parts-failed",
        "/edit-profile",
        JO,
        answers={"**/api/account/sessions": answer_refused},
        shows="^Try again$",
    ),
    ScreenState("email-preferences", "/emailPreferences", JO, for_all_accounts=True),
    ScreenState("email-confirm", "/emailConfirm", JO, for_all_accounts=True),
    ScreenState(
        "email-confirm-all",
        "/emailConfirm?state=unsubscribeAll",
        JO,
        shows="^PLEASE ALLOW",
        for_all_accounts=True,
    ),
)
METHOD_SCREENS = (
    ScreenState("methods", "/manage-payment-method", (*JO, *AVA, *FINN, *IVY, *KIM), for_all_accounts=True),
    ScreenState("method-kept", "/manage-payment-method", BEN, shows="can.t be deleted"),
    ScreenState(
        "method-not-chosen",
        "/manage-payment-method",
        AVA,
        choose_last,
        answers={"**/updatePaymentSources": answer_refused},
        shows="^This cannot",
    ),
    ScreenState("add-method", "/add-payment-method", (*JO, *FINN), for_all_accounts=True),
    ScreenState(
        "add-method-empty",
        "/add-payment-method",
        JO,
        click_control("button", "Continue"),
        shows="^Choose payment",
    ),
    ScreenState(
        "add-method-chosen",
        "/add-payment-method",
        JO,
        lambda page: page.get_by_role("radio", name="Card").check(),
    ),
    ScreenState("add-card", "/add-card-payment-method", (*JO, *FINN), for_all_accounts=True),
    ScreenState("add-card-order", "/add-card-payment-method?add=Minno-Plan", IVY, shows="^Your order$"),
    ScreenState(
        "add-card-empty",
        "/add-card-payment-method",
        JO,
        click_control("button", "Add card"),
        shows="^Please enter",
    ),
    ScreenState(
        "add-card-awaited",
        "/add-card-payment-method",
        JO,
        wait_for_text("^Loading the secure card fields"),
        answers={"**/v2/chargebee.js": hold_request},
        loading=True,
    ),
    ScreenState(
        "add-card-blocked",
        "/add-card-payment-method",
        JO,
        answers={"**/v2/chargebee.js": lambda route: route.abort()},
        shows="^Try again$",
    ),
    ScreenState(
        "add-card-refused",
        "/add-card-payment-method",
        JO,
        run_in_turn(type_card("4111111111111111"), click_control("button", "Add card")),
        answers={"**/updatePaymentSources": answer_declined},
        shows="^We couldn't process",
    ),
    ScreenState(
        "update-card",
        "/manage-payment-method",
        (*AVA, *FINN),
        follow_link("/update-card-payment-method"),
        for_all_accounts=True,
    ),
    ScreenState("add-paypal", "/add-paypal-payment-method", (*JO, *FINN), for_all_accounts=True),
    ScreenState("add-paypal-order", "/add-paypal-payment-method?add=Minno-Plan", IVY, shows="^Your order$"),
    ScreenState(
        "add-paypal-awaited",
        "/add-paypal-payment-method",
        JO,
        wait_for_text("^Loading the PayPal button"),
        answers={"**/v2/chargebee.js": hold_request},
        loading=True,
    ),
    ScreenState(
        "add-paypal-blocked",
        "/add-paypal-payment-method",
        JO,
        answers={"**/v2/chargebee.js": lambda route: route.abort()},
        shows="^Try again$",
    ),
    ScreenState(
        "add-paypal-given-up",
        "/add-paypal-payment-method",
        JO,
        answer_at_paypal("Cancel and return"),
        shows="^Try again$",
    ),
    ScreenState(
        "add-paypal-not-taken",
        "/add-paypal-payment-method",
        JO,
        answer_at_paypal("Let the payment fail"),
        shows="^Try again$",
    ),
    ScreenState(
        "update-paypal",
        "/manage-payment-method",
        GIA,
        follow_link("/add-paypal-payment-method"),
        for_all_accounts=True,
    ),
    ScreenState(
        "method-added",
        "/manage-payment-method",
        (*AVA, *GIA, *FINN),
        open_method_added,
        for_all_accounts=True,
    ),
)
LANDING = (
    ScreenState("landing", "/", (NOBODY,)),
    ScreenState("landing-gospel", "/", (NOBODY,), open_at_brand("gospel")),
    ScreenState("landing-kids", "/", (NOBODY,), open_at_brand("kids")),
    ScreenState("landing-sports", "/", (NOBODY,), open_at_brand("sports")),
    ScreenState(
        "landing-empty",
        "/",
        (NOBODY,),
        click_control("button", "Send code"),
        shows="^Please enter your email",
    ),
    ScreenState(
        "landing-offline",
        "/",
        (NOBODY,),
        run_in_turn(
            lose_connection,
            fill_field("Email address", "a@example.com"),
            click_control("button", "Send code"),
        ),
        shows="^We couldn.t connect",
    ),
    ScreenState("landing-session-ended", "/", (NOBODY,), end_session, shows="^Your session has ended"),
    ScreenState("landing-code", "/", (NOBODY,), send_code("a@example.com"), shows="^Resend code in"),
    ScreenState(
        "landing-code-short",
        "/",
        (NOBODY,),
        run_in_turn(send_code("b@example.com"), fill_field("Six-digit code", "12"), click_control("button", "Sign in")),
        shows="^Enter the six-digit code",
    ),
)
SCREENS = (*HOME, *PLAN_SCREENS, *LEAVING_SCREENS, *OWN_SCREENS, *METHOD_SCREENS)
