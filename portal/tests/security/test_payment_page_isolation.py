"""Only the card and PayPal screens are served with a policy that lets the provider's script run."""

import re

import pytest

from conftest import ROOT
from portal.middleware import csp
from portal.views import WIDGET_FREE_PATH

PROVIDER_ORIGIN = "https://js.example.com"
CARD = ["/add-card-payment-method", "/update-card-payment-method"]
PAYPAL = ["/add-paypal-payment-method"]
SOURCE = ROOT / "frontend" / "src"
OTHER_PAGES = [
    "/",
    "/dashboard",
    "/manage-payment-method",
    "/add-payment-method",
    "/add-payment-method-success",
    "/billingHistory",
    "/no/such/page",
]
# Paths that an attacker might use to get a card screen's policy on another page.
SIMILAR_PATHS = [
    "/add-card-payment-method/x",
    "/x/add-card-payment-method",
    "/add-card-payment-method%3Fa=b",
    "/add-card-payment-method;a=b",
    "/add-card-payment-method%00",
    "/add-card-payment-method.html",
    "/add-card-payment-methods",
    "/dashboard/../add-card-payment-method",
    "/dashboard?next=/add-card-payment-method",
    "/dashboard?/add-card-payment-method",
    "/add-card-payment-method-success",
]
MISSPELLED_PATHS = ["/add-card-payment-method/", "/Add-CARD-payment-method", "/add-card-payment-method//"]
NON_PAGE_PATHS = [
    "/api/site",
    "/api/add-card-payment-method",
    "/static/add-card-payment-method",
    "/admin/login/",
    "/admin/add-card-payment-method",
    "/healthz",
    "/webhooks/add-card-payment-method",
]


def read_policy(response):
    directives = (part.split() for part in response["Content-Security-Policy"].split(";") if part.strip())
    return {name: values for name, *values in directives}


def read_marker(response):
    found = re.search(r'<script id="portal-settings" type="application/json">(.*?)</script>', response.text)
    return found and found.group(1)


@pytest.fixture(autouse=True)
def provider(settings):
    settings.CHARGEBEE_JS_URL = f"{PROVIDER_ORIGIN}/v2/chargebee.js"


@pytest.fixture
def strict(visitor, bundle):
    return read_policy(visitor.get("/"))


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("query", ["", "?operationType=UPDATE&paymentSourceId=pm_1", "?/dashboard", "?a=/"])
@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_it_allows_the_providers_script_and_frames_and_no_other_origin(visitor, bundle, strict, path, query):
    allowed = read_policy(visitor.get(path + query))
    assert allowed == {
        **{name: sources for name, sources in strict.items() if "trusted-types" not in name},
        "script-src": ["'self'", PROVIDER_ORIGIN],
        "frame-src": [PROVIDER_ORIGIN],
    }


@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_it_allows_the_origin_of_the_script_that_the_app_loads(visitor, bundle, db, path):
    address = visitor.get("/api/site").json()["chargebeeJsUrl"]
    assert address.startswith(read_policy(visitor.get(path))["script-src"][1] + "/")


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("path", OTHER_PAGES + SIMILAR_PATHS)
def test_no_other_page_allows_the_provider(visitor, bundle, strict, path):
    response = visitor.get(path)
    assert read_policy(response) == strict
    assert PROVIDER_ORIGIN not in str(response.headers)
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert read_marker(response) == '{"document": "app"}'


@pytest.mark.parametrize("path", NON_PAGE_PATHS)
def test_no_other_response_allows_the_provider(visitor, bundle, db, path):
    response = visitor.get(path)
    assert PROVIDER_ORIGIN not in str(response.headers)
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("path", MISSPELLED_PATHS)
@pytest.mark.parametrize("query", ["", "?operationType=ADD&a=%2F%0D%0Ab"])
def test_a_misspelled_path_redirects_to_the_card_document(visitor, bundle, strict, path, query):
    response = visitor.get(path + query)
    assert response.status_code == 302
    assert response["Location"] == f"/add-card-payment-method{query}"
    assert read_policy(response) == strict


def test_it_decodes_an_encoded_letter(visitor, bundle):
    """The app's router decodes letters as well, so both agree on which screen this is."""
    assert read_marker(visitor.get("/add%2Dcard-payment-method")) == '{"document": "card"}'


@pytest.mark.shows("security-28")
@pytest.mark.parametrize("path", ["//add-card-payment-method", "//example.com/add-card-payment-method/"])
def test_it_never_redirects_to_another_site(visitor, bundle, strict, path):
    response = visitor.get("/", PATH_INFO=path)
    assert "Location" not in response.headers
    assert read_policy(response) == strict


@pytest.mark.parametrize(
    ("path", "kind", "opener"),
    [
        ("/dashboard", "app", "same-origin"),
        *((path, "card", "same-origin") for path in CARD),
        *((path, "payPal", "same-origin-allow-popups") for path in PAYPAL),
    ],
)
def test_a_document_names_its_kind_and_sets_its_opener_policy(visitor, bundle, path, kind, opener):
    response = visitor.get(path)
    assert read_marker(response) == f'{{"document": "{kind}"}}'
    assert response["Cross-Origin-Opener-Policy"] == opener


@pytest.mark.shows("security-26")
@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_it_sends_the_same_other_headers_as_other_pages(visitor, bundle, path):
    response, other = visitor.get(path), visitor.get("/")
    for name in ("Referrer-Policy", "Permissions-Policy", "X-Content-Type-Options", "X-Frame-Options"):
        assert response[name] == other[name]
    assert "no-store" in response["Cache-Control"]


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_an_error_has_the_strict_policy(visitor, stats_file, path):
    missing, refused = visitor.get(path), visitor.post(path)
    assert (missing.status_code, refused.status_code) == (503, 405)
    for response in (missing, refused):
        assert PROVIDER_ORIGIN not in str(response.headers)
        assert response["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_a_crash_and_an_unknown_host_have_the_strict_policy(visitor, bundle, settings, path):
    bundle.write_text('{"status": "done", "chunks": {"main": [1]}}')
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    crashed, unknown_host = visitor.get(path, headers={"Host": "portal.example.com"}), visitor.get(path)
    assert (crashed.status_code, unknown_host.status_code) == (500, 400)
    assert PROVIDER_ORIGIN not in str(crashed.headers) + str(unknown_host.headers)


def test_the_app_lists_the_same_documents():
    declared = re.findall(r"path: paths\.(\w+), id: '(\w+)'", (SOURCE / "lib" / "page" / "pageLoads.ts").read_text())
    addresses = dict(re.findall(r"(\w+): '(/[^']*)'", (SOURCE / "lib" / "paths.ts").read_text()))
    kinds = {addresses[name]: kind for name, kind in declared}
    profile = {f"/{WIDGET_FREE_PATH}": "profile"}
    assert kinds == {**dict.fromkeys(CARD, "card"), **dict.fromkeys(PAYPAL, "payPal"), **profile}


def test_the_allowed_origin_is_that_of_the_script(settings):
    settings.CHARGEBEE_JS_URL = "http://127.0.0.1:8001/v2/chargebee.js?x=/y"
    assert csp.provider_origin() == "http://127.0.0.1:8001"
