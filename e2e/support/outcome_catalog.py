"""The outcome of each kind of change, drawn after the change was made: nothing is answered for the server.

They change data, so they run after all other states, in this order. The end of a paused subscription is in
e2e/test_cancellation.py: the demo has only one, which is resumed here.
"""

from __future__ import annotations

from e2e.support.page_actions import (
    choose_last,
    click_control,
    confirm_dialog,
    fill_field,
    run_in_turn,
    set_checkbox,
)
from e2e.support.screen_state import ScreenState
from e2e.support.state_catalog import AVA, BEN, CARLA, DAN, ELLA, FINN, GIA, HUGO, IVY, JO, KIM, SAVE

OUTCOMES = (
    ScreenState("done-default", "/manage-payment-method", AVA, choose_last, shows="is now your default"),
    ScreenState(
        "done-services",
        "/manage-subscription",
        AVA,
        set_checkbox("Kids", on=True),
        opener=SAVE,
        inside=confirm_dialog,
        shows="^You added Kids",
    ),
    ScreenState(
        "done-downgrade",
        "/manage-subscription/downgrade",
        BEN,
        opener=SAVE,
        inside=confirm_dialog,
        shows="^Coming up$",
    ),
    ScreenState("done-cancelling", "/cancelAll", BEN, click_control("button", "CANCEL SUB"), shows="^Access ends$"),
    ScreenState(
        "done-downgrade-in-trial",
        "/manage-subscription/downgrade",
        CARLA,
        opener=SAVE,
        inside=confirm_dialog,
        shows="^Coming up$",
    ),
    ScreenState(
        "done-resuming",
        "/dashboard",
        DAN,
        opener="Resume now",
        inside=confirm_dialog,
        shows="is active again",
    ),
    ScreenState("done-undoing", "/dashboard", ELLA, click_control("button", "Undo pause"), shows="continues"),
    ScreenState(
        "done-free-month",
        "/dashboard",
        ELLA,
        opener="Claim my free month",
        inside=confirm_dialog,
        shows="^Your next month is free$",
    ),
    ScreenState(
        "done-declined",
        "/manage-payment-method",
        FINN,
        opener="Pay",
        inside=confirm_dialog,
        shows="still due",
    ),
    ScreenState(
        "done-keeping",
        "/dashboard",
        GIA,
        click_control("button", "Keep my subscription"),
        shows="^Your cancellation was undone",
    ),
    ScreenState(
        "done-name",
        "/edit-profile",
        HUGO,
        run_in_turn(fill_field("First name", "Hugh"), click_control("button", "Update")),
        shows="^Profile details updated",
    ),
    ScreenState(
        "done-starting-again",
        "/manage-subscription",
        HUGO,
        set_checkbox("Gospel TV", on=True),
        opener=SAVE,
        inside=confirm_dialog,
        shows="^You added Gospel TV",
    ),
    ScreenState(
        "done-emails",
        "/emailPreferences",
        IVY,
        run_in_turn(set_checkbox("Promotions", on=True), click_control("button", "SAVE PREFERENCES")),
        shows="^Your email preferences are saved",
    ),
    ScreenState(
        "done-pausing",
        "/pause-offer",
        JO,
        click_control("button", "PAUSE MY"),
        shows="^Your pause takes effect",
    ),
    ScreenState(
        "done-deleting",
        "/manage-payment-method",
        JO,
        opener="Delete Visa",
        inside=confirm_dialog,
        shows="was removed",
    ),
    ScreenState(
        "done-coupon",
        "/coupon",
        KIM,
        run_in_turn(fill_field("Code", "SAVE20"), click_control("button", "APPLY")),
        shows="^Your code was applied to your next",
    ),
    ScreenState(
        "done-upgrade",
        "/manage-subscription/upgrade",
        KIM,
        opener=SAVE,
        inside=confirm_dialog,
        shows="^Faith & Family is now billed annually",
    ),
)
