"""The site's settings: over HTTP, on the console's page, and from the environment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

DEFAULTS = {
    "dunning_retries": 6,
    "dunning_end": "keep",
    "unpaid_changes": False,
    "unbilled_charges": False,
    "card_gateway": "chargebee",
    "tax_percent": 0.0,
    "time_zone": "America/New_York",
    "billing_day": 0,
    "consolidated_invoices": False,
    "business_entity": "",
    "lock_wait_seconds": 2.0,
}


@pytest.fixture
def http(sandbox: Any) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.url, auth=(sandbox.api_key, "")) as client:
        yield client
        client.delete("/site_settings")


def test_settings_change_over_http_and_outlive_a_fresh_start(sandbox: Any, http: httpx.Client) -> None:
    assert http.get("/site_settings").json() == {"site_settings": DEFAULTS}

    changed = http.post(
        "/site_settings", data={"dunning_end": "cancel", "tax_percent": "7.5", "unpaid_changes": "true"}
    )

    expected = {**DEFAULTS, "dunning_end": "cancel", "tax_percent": 7.5, "unpaid_changes": True}
    assert changed.json() == {"site_settings": expected}
    sandbox.start_afresh()
    assert http.get("/site_settings").json() == {"site_settings": expected}
    assert http.delete("/site_settings").json() == {"site_settings": DEFAULTS}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dunning_end", "shout"),
        ("dunning_retries", "0"),
        ("tax_percent", "101"),
        ("billing_day", "32"),
        ("time_zone", "Mars/Olympus"),
        ("unpaid_changes", "perhaps"),
        ("weather", "fine"),
    ],
)
def test_an_invalid_setting_is_refused_by_name(http: httpx.Client, name: str, value: str) -> None:
    refused = http.post("/site_settings", data={name: value})

    assert (refused.status_code, refused.json()["param"]) == (400, name)
    assert http.get("/site_settings").json() == {"site_settings": DEFAULTS}


def test_settings_need_the_api_key(sandbox: Any) -> None:
    assert httpx.post(f"{sandbox.url}/site_settings", data={"dunning_end": "cancel"}).status_code == 401


def test_the_environment_has_the_defaults(launch_sandbox: Callable[..., Any]) -> None:
    sandbox = launch_sandbox(SANDBOX_DUNNING_END="pause", SANDBOX_CARD_GATEWAY="adyen")

    settings = httpx.get(f"{sandbox.url}/site_settings", auth=(sandbox.api_key, "")).json()["site_settings"]

    assert (settings["dunning_end"], settings["card_gateway"]) == ("pause", "adyen")


def test_an_invalid_environment_stops_the_start(launch_sandbox: Callable[..., Any]) -> None:
    with pytest.raises(RuntimeError, match="dunning_end"):
        launch_sandbox(SANDBOX_DUNNING_END="shout")


def test_the_console_changes_and_resets_settings(sandbox: Any, http: httpx.Client) -> None:
    with httpx.Client(base_url=sandbox.url, follow_redirects=True) as browser:
        page = browser.get("/settings").text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token
        form = {**{name: str(value).lower() for name, value in DEFAULTS.items()}, "csrfmiddlewaretoken": token[1]}

        refused = browser.post("/settings/change", data={**form, "time_zone": "Mars", "dunning_end": "cancel"})
        assert (refused.status_code, "Enter the name of a time zone" in refused.text) == (400, True)
        assert http.get("/site_settings").json() == {"site_settings": DEFAULTS}

        form["time_zone"] = str(DEFAULTS["time_zone"])
        saved = browser.post("/settings/change", data={**form, "dunning_end": "cancel"})
        assert '<option value="cancel" selected>' in saved.text
        assert http.get("/site_settings").json()["site_settings"]["dunning_end"] == "cancel"

        browser.post("/settings/reset", data=form)
    assert http.get("/site_settings").json() == {"site_settings": DEFAULTS}


def test_the_console_needs_its_token_to_change_settings(sandbox: Any, http: httpx.Client) -> None:
    refused = httpx.post(f"{sandbox.url}/settings/change", data={"dunning_end": "cancel"})

    assert refused.status_code == 403
    assert http.get("/site_settings").json() == {"site_settings": DEFAULTS}
