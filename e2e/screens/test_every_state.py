"""Every state of every screen is accessible: loaded, changed, invalid, refused, busy and offline."""

from __future__ import annotations

import pytest

from e2e.support.demo_portal import ACCOUNTS
from e2e.support.outcome_catalog import OUTCOMES
from e2e.support.screen_state import violations_by_state
from e2e.support.state_catalog import LANDING, SCREENS

# Each brand is included, so that its logo, links and texts are checked, too.
HOSTS = {"ben": "sports", "carla": "gospel", "dan": "gospel", "ella": "kids", "gia": "kids", "hugo": "faith"}


@pytest.mark.parametrize("name", ACCOUNTS)
def test_a_screen_is_accessible_in_every_state(signed_in, name):
    states = [state for state in (*SCREENS, *OUTCOMES) if name in state.accounts]
    assert violations_by_state(signed_in(name, HOSTS.get(name)), states) == {}


@pytest.mark.shows("landing-1")
def test_the_landing_page_is_accessible_in_every_state(page):
    assert violations_by_state(page, LANDING) == {}
