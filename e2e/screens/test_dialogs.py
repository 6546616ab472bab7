"""Every dialog, used with the keyboard and checked with axe-core."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from e2e.support.accessibility import open_settled
from e2e.support.dialog_catalog import DIALOGS
from e2e.support.keyboard import tab_to
from e2e.support.page_actions import do_nothing
from e2e.support.screen_state import enter_state, violations_by_state

HOSTS = {"ben": "sports", "dan": "gospel", "ella": "kids", "ivy": "sports", "jo": "gospel"}
HOLDERS = sorted({name for state in DIALOGS for name in state.accounts})
MENU = "profile-menu"
# Dialogs that a button opens and that need no further action.
OPENED = [state for state in DIALOGS if state.opener and state.inside is do_nothing and state.name != MENU]
CHANGES_NOTHING = re.compile("^(NO, CANCEL|Not now|Close)$")
CONTROLS = "button:enabled, a[href]"
# The index of the focused control in the dialog: -1 means a control of the page behind it. Between the last control and
# the first the browser itself has the focus, and the active element is the body.
PLACE = """(dialog, controls) => document.activeElement === document.body
  ? 'outside the page'
  : [...dialog.querySelectorAll(controls)].indexOf(document.activeElement)"""
BEHIND = -1


def tab_through_dialog(page: Page, key: str) -> set[int | str]:
    """Press a key for two rounds through the open dialog; return the places that had the focus."""
    dialog = page.locator("dialog[open]")
    places = set()
    for _ in range(2 * dialog.locator(CONTROLS).count() + 2):
        page.keyboard.press(key)
        places.add(dialog.evaluate(PLACE, CONTROLS))
    return places


@pytest.mark.parametrize("name", HOLDERS)
def test_a_dialog_is_accessible(signed_in, name):
    states = [state for state in DIALOGS if name in state.accounts]
    assert violations_by_state(signed_in(name, HOSTS.get(name)), states) == {}


@pytest.mark.shows("shell-11", "shell-13")
@pytest.mark.parametrize("state", OPENED, ids=lambda state: state.name)
def test_it_takes_keeps_and_returns_the_focus(signed_in, state):
    page = signed_in(state.accounts[0])
    assert enter_state(page, replace(state, opener="", shows=""))
    opener = page.get_by_role("button", name=re.compile(f"^{state.opener}", re.IGNORECASE)).first
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text(re.compile(state.shows))).to_be_visible()
    expect(dialog.get_by_role("button", name=CHANGES_NOTHING)).to_be_focused()
    expect(dialog).to_have_accessible_name(re.compile("."))

    all_places = set(range(dialog.locator(CONTROLS).count()))
    for key in ("Tab", "Shift+Tab"):
        places = tab_through_dialog(page, key)
        assert all_places <= places
        assert BEHIND not in places

    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()


def test_a_dialog_that_is_taller_than_the_window_opens_at_its_title(signed_in):
    page = signed_in("ava")
    page.set_viewport_size({"width": 360, "height": 400})
    open_settled(page, "/manage-subscription")
    page.get_by_role("checkbox", name="Kids").check()
    # With its figures the dialog has its full height when it opens.
    expect(page.get_by_text("Due today").first).to_be_visible()
    page.get_by_role("button", name="SAVE CHANGES").click()
    dialog = page.get_by_role("dialog")
    title = dialog.get_by_role("heading", level=2)
    expect(title).to_be_focused()
    expect(title).to_be_in_viewport(ratio=1)
    changes_nothing = dialog.get_by_role("button", name=CHANGES_NOTHING)
    expect(changes_nothing).not_to_be_in_viewport()
    tab_to(changes_nothing)
    expect(changes_nothing).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("name", ["undo-dialog", "undo-dialog-nothing"])
def test_a_dialog_that_opens_with_the_page_leaves_the_focus_on_the_heading(signed_in, name):
    state = next(state for state in DIALOGS if state.name == name)
    page = signed_in(state.accounts[0])
    assert enter_state(page, state)
    expect(page.get_by_role("dialog").get_by_role("button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_be_focused()


@pytest.mark.parametrize("name", ["resume-dialog-confirming", "manage-dialog-confirming"])
def test_a_busy_dialog_stays_open_and_keeps_the_focus(signed_in, name):
    state = next(state for state in DIALOGS if state.name == name)
    page = signed_in(state.accounts[0])
    assert enter_state(page, state)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button").last).to_be_focused()
    expect(dialog.get_by_role("status").filter(has_text="confirming your change")).to_be_visible()


@pytest.mark.shows("client-7")
def test_a_failed_payment_dialog_returns_the_focus_to_the_previous_dialogs_opener(signed_in):
    state = next(state for state in DIALOGS if state.name == "manage-dialog-declined")
    page = signed_in(state.accounts[0])
    assert enter_state(page, state)
    dialog = page.get_by_role("dialog", name="Payment Failed")
    expect(dialog.get_by_role("button", name=CHANGES_NOTHING)).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name=state.opener)).to_be_focused()


def test_the_menu_works_with_the_keyboard(signed_in):
    page = open_settled(signed_in("ivy"), "/dashboard")
    trigger = page.get_by_role("button", name="Your profile")
    trigger.focus()
    page.keyboard.press("Enter")
    logout = page.get_by_role("button", name="Logout")
    expect(logout).to_be_visible()
    items = page.get_by_role("banner").get_by_role("list").filter(has=logout).locator("a, button")
    expect(items).to_have_count(4)
    for item in items.all():
        page.keyboard.press("Tab")
        expect(item).to_be_focused()
    page.keyboard.press("Escape")
    expect(logout).to_be_hidden()
    expect(trigger).to_be_focused()
    expect(trigger).to_have_attribute("aria-expanded", "false")
