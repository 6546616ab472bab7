"""The admin is served to the operators' networks only."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest
from django.test import Client

INSIDE = ["192.0.2.7", "2001:db8::7", "::ffff:192.0.2.7"]
OUTSIDE = ["203.0.113.9", "2001:db9::7", "", "nonsense"]


@pytest.fixture
def networks(settings: Any) -> Any:
    settings.ADMIN_NETWORKS = [ip_network("192.0.2.0/24"), ip_network("2001:db8::/32")]
    return settings


@pytest.mark.django_db
@pytest.mark.parametrize("address", INSIDE)
def test_it_is_served_to_the_operators_networks(networks: Any, client: Client, address: str) -> None:
    assert client.get("/admin/login/", REMOTE_ADDR=address).status_code == 200


@pytest.mark.parametrize("path", ["/admin", "/admin/", "/admin/login/", "/admin/jsi18n/", "/admin/nothing/"])
@pytest.mark.parametrize("address", OUTSIDE)
def test_it_is_not_found_from_other_networks(networks: Any, client: Client, address: str, path: str) -> None:
    answer = client.get(path, REMOTE_ADDR=address)
    assert answer.status_code == 404
    assert answer.content == client.get("/metrics", REMOTE_ADDR=address).content


def test_sign_in_from_another_network_does_no_query(networks: Any, client: Client) -> None:
    # The test has no database access: outside clients are refused before the session is looked up.
    client.cookies["operator"] = "x" * 32
    form = {"username": "admin", "password": "admin"}
    assert client.post("/admin/login/", form, REMOTE_ADDR=OUTSIDE[0]).status_code == 404


@pytest.mark.shows("security-10")
@pytest.mark.django_db
def test_only_the_last_forwarded_address_is_trusted(networks: Any, client: Client) -> None:
    networks.REST_FRAMEWORK = {**networks.REST_FRAMEWORK, "NUM_PROXIES": 1}
    for forwarded, status in (("192.0.2.7, 203.0.113.9", 404), ("203.0.113.9, 192.0.2.7", 200)):
        answer = client.get("/admin/login/", REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded})
        assert answer.status_code == status


@pytest.mark.django_db
def test_subscribers_are_served_from_any_network(networks: Any, client: Client) -> None:
    assert client.get("/healthz", REMOTE_ADDR=OUTSIDE[0]).status_code == 200
    assert client.get("/api/site", REMOTE_ADDR=OUTSIDE[0]).status_code == 200
