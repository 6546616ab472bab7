"""Methods that no page needs are refused everywhere."""

import pytest


@pytest.mark.shows("security-42")
@pytest.mark.django_db
@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT", "PROPFIND"])
@pytest.mark.parametrize(
    "path", ["/", "/admin/login/", "/api/me", "/webhooks/chargebee", "/static/portal/message.css", "/healthz"]
)
def test_it_refuses_the_method_without_an_echo(client, path, method):
    answer = client.generic(method, path, headers={"Authorization": "Bearer a-secret"})
    assert answer.status_code == 405
    assert b"a-secret" not in b"".join(answer)
