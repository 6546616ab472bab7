"""Health checks, the compressed bundle, the operator's sign-in, and the mirror."""

import json
import urllib.request

import pytest


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_is_alive_and_ready(demo, path):
    with urllib.request.urlopen(f"{demo.url}{path}") as answer:
        assert json.load(answer)["status"] == "ok"


def test_it_serves_the_bundle_compressed_and_immutable(demo, page):
    with page.expect_response("**/static/app/main.*.js") as waiting:
        page.goto("/")
    headers = waiting.value.headers
    assert headers["content-encoding"] in ("br", "gzip")
    assert "immutable" in headers["cache-control"]


def test_the_demos_operator_can_sign_in(demo, page):
    page.goto("/admin/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill("admin")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Operations").wait_for()


def test_the_mirror_equals_the_provider(demo):
    demo.assert_mirror_matches()
