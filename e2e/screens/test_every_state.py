"""Every state of every screen is accessible: loaded, changed, invalid, refused, busy and offline."""

from __future__ import annotations

import pytest

from e2e.support.demo_portal import ACCOUNTS
from e2e.support.outcome_catalog import OUTCOMES
from e2e.support.screen_state import violations_by_state
from e2e.support.state_catalog import LANDING, SCREENS

# Each brand has about as many states as the others, so that its logo, links and texts are checked, too. `BRAND=faith`
# checks all of them at one.
HOSTS = {
    **dict.fromkeys(("ava", "ben", "kim"), "sports"),
    **dict.fromkeys(("carla", "dan", "finn"), "gospel"),
    **dict.fromkeys(("ella", "gia", "jo"), "kids"),
    **dict.fromkeys(("hugo", "ivy"), "faith"),
}


@pytest.mark.parametrize("name", ACCOUNTS)
def test_a_screen_is_accessible_in_every_state(signed_in, name):
    states = [state for state in (*SCREENS, *OUTCOMES) if name in state.accounts]
    assert violations_by_state(signed_in(name, HOSTS.get(name)), states) == {}


@pytest.mark.shows("landing-1")
def test_the_landing_page_is_accessible_in_every_state(page):
    assert violations_by_state(page, LANDING) == {}
