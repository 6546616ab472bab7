"""The names that browsers get in mails and in the admin."""

from __future__ import annotations

import pytest

from accounts.sign_in.browser_name import browser_name


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Windows"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/130.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.0 Linux", "Linux"),
        ("", "Unrecognized browser"),
    ],
)
def test_a_browser_is_named_after_its_user_agent(agent: str, name: str) -> None:
    assert browser_name(agent) == name
