"""Every state of every screen: loaded and changed, wrong and refused, busy and offline; it bars nobody."""

from __future__ import annotations

import pytest

from e2e.support.demo_portal import ACCOUNTS
from e2e.support.screen_state import violations_by_state
from e2e.support.state_catalog import DONE, LANDING, SCREENS

# Each brand's own pages are among them, so that its logo, its links and its words are looked at too.
HOSTS = {"ben": "sports", "carla": "gospel", "dan": "gospel", "ella": "kids", "gia": "kids", "hugo": "faith"}


@pytest.mark.parametrize("name", ACCOUNTS)
def test_no_state_of_a_screen_is_a_barrier(signed_in, name):
    states = [state for state in (*SCREENS, *DONE) if name in state.accounts]
    assert violations_by_state(signed_in(name, HOSTS.get(name)), states) == {}


@pytest.mark.shows("landing-1")
def test_no_state_of_the_way_in_is_a_barrier(page):
    assert violations_by_state(page, LANDING) == {}
