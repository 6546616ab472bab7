"""Only the card and PayPal screens are served with a policy that lets the provider's script run."""

import json
import re

import pytest

from conftest import ROOT
from portal.views import WIDGET_FREE_PATH

PROVIDER_ORIGIN = "https://js.example.com"
SITE_ORIGIN = "https://acme.chargebee.com"
PAYPAL_SOURCES = ["https://*.paypal.com", "https://*.paypalobjects.com"]
BRAINTREE_SOURCE = "https://*.braintreegateway.com"
# The sources of the PayPal document for each way in which a site takes PayPal.
SERVICE_SOURCES = {
    "none": {},
    "paypal_commerce": {
        "script-src": PAYPAL_SOURCES,
        "style-src": PAYPAL_SOURCES,
        "img-src": [*PAYPAL_SOURCES, "data:"],
        "connect-src": PAYPAL_SOURCES,
        "frame-src": PAYPAL_SOURCES,
    },
    "braintree": {
        "script-src": [*PAYPAL_SOURCES, BRAINTREE_SOURCE],
        "style-src": PAYPAL_SOURCES,
        "img-src": [*PAYPAL_SOURCES, BRAINTREE_SOURCE, "data:"],
        "connect-src": [*PAYPAL_SOURCES, BRAINTREE_SOURCE, "https://*.braintree-api.com"],
        "frame-src": [*PAYPAL_SOURCES, BRAINTREE_SOURCE],
    },
}
CARDINAL_SOURCES = [f"https://{name}.cardinalcommerce.com" for name in ("songbird", "songbirdstag")]
TRUSTED_SOURCE, BRAINTREE_API_SOURCE = "https://*.cardinaltrusted.com", "https://*.braintree-api.com"
# The sources of the card documents for each gateway that authenticates payers with scripts of its own.
CARD_SOURCES = {
    "stripe": {
        "script-src": ["https://js.stripe.com", "https://*.js.stripe.com"],
        "connect-src": ["https://api.stripe.com"],
    },
    "braintree": {
        "script-src": [BRAINTREE_SOURCE, *CARDINAL_SOURCES, TRUSTED_SOURCE],
        "connect-src": [
            *(BRAINTREE_SOURCE, BRAINTREE_API_SOURCE),
            *("https://*.cardinalcommerce.com", TRUSTED_SOURCE),
        ],
    },
}
FOREIGN = re.compile(r"example\.com|chargebee\.com|paypal|braintree|stripe|cardinal|localhost|nonce-")
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


def read_settings(response):
    """Return the settings that the page embeds for the app, without the nonce, and the nonce as a source."""
    embedded = json.loads(read_marker(response))
    nonce = embedded.pop("cspNonce", None)
    return embedded, nonce and f"'nonce-{nonce}'"


def provider_policy(strict, nonce):
    """Return the policy of a document that allows the provider alone."""
    return {
        **{name: sources for name, sources in strict.items() if "trusted-types" not in name},
        "script-src": ["'self'", PROVIDER_ORIGIN, nonce],
        "style-src": ["'self'", nonce],
        "frame-src": [PROVIDER_ORIGIN, SITE_ORIGIN],
    }


@pytest.fixture(autouse=True)
def provider(settings):
    settings.CHARGEBEE_JS_URL = f"{PROVIDER_ORIGIN}/v2/chargebee.js"
    settings.CHARGEBEE_SITE = "acme"


@pytest.fixture
def strict(visitor, bundle):
    return read_policy(visitor.get("/"))


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("query", ["", "?operationType=UPDATE&paymentSourceId=pm_1", "?/dashboard", "?a=/"])
@pytest.mark.parametrize("path", CARD)
def test_a_card_document_allows_the_provider_and_no_other_origin(visitor, bundle, strict, path, query):
    response = visitor.get(path + query)
    _, nonce = read_settings(response)
    allowed = provider_policy(strict, nonce)
    assert read_policy(response) == {**allowed, "frame-src": [*allowed["frame-src"], "https:"]}


@pytest.mark.shows("security-23", "rule-20")
@pytest.mark.parametrize("gateways", [["stripe"], ["braintree"], ["stripe", "braintree"]])
@pytest.mark.parametrize("path", CARD)
def test_a_card_document_also_allows_what_the_sites_gateways_document(
    visitor, bundle, strict, settings, path, gateways
):
    settings.CHARGEBEE_CARD_GATEWAYS = gateways
    response, other = visitor.get(path), visitor.get("/")
    _, nonce = read_settings(response)
    expected = provider_policy(strict, nonce)
    expected["frame-src"].append("https:")
    for name in ("script-src", "connect-src"):
        expected[name] = [*expected[name], *(source for gateway in gateways for source in CARD_SOURCES[gateway][name])]
    assert read_policy(response) == expected
    assert read_policy(other) == strict
    assert "stripe" not in str(visitor.get(PAYPAL[0]).headers)


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("gateway", SERVICE_SOURCES)
@pytest.mark.parametrize("path", PAYPAL)
def test_the_paypal_document_also_allows_what_its_gateway_documents(visitor, bundle, strict, settings, path, gateway):
    settings.CHARGEBEE_PAYPAL_GATEWAY = gateway
    response = visitor.get(path)
    _, nonce = read_settings(response)
    allowed = provider_policy(strict, nonce)
    more = SERVICE_SOURCES[gateway]
    assert read_policy(response) == {name: [*sources, *more.get(name, [])] for name, sources in allowed.items()}


@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_each_response_has_a_nonce_of_its_own(visitor, bundle, path):
    nonces = {read_settings(visitor.get(path))[1] for _time in range(3)}
    assert len(nonces) == 3
    assert all(len(nonce) > len("'nonce-'") + 20 for nonce in nonces)


@pytest.mark.parametrize(
    ("address", "paypal", "frames"),
    [
        ("http://127.0.0.1:9001/v2/chargebee.js", "http://*.paypal.localhost:9001", ["http://127.0.0.1:9001"]),
        ("http://localhost/v2/chargebee.js", "http://*.paypal.localhost", ["http://localhost"]),
    ],
)
def test_the_sandbox_stands_in_for_every_service(visitor, bundle, settings, address, paypal, frames):
    settings.CHARGEBEE_JS_URL = address
    allowed = read_policy(visitor.get(PAYPAL[0]))
    objects = paypal.replace("paypal", "paypalobjects")
    assert allowed["frame-src"] == [*frames, paypal, objects]
    assert allowed["connect-src"] == ["'self'", paypal, objects]
    assert "https://" not in str(allowed)


@pytest.mark.parametrize(
    ("gateway", "frames"),
    [
        ("none", []),
        ("paypal_commerce", PAYPAL_SOURCES),
        ("braintree", [*PAYPAL_SOURCES, BRAINTREE_SOURCE]),
    ],
)
def test_the_paypal_document_and_its_frames_may_use_the_payment_feature_alone(
    visitor, bundle, settings, gateway, frames
):
    settings.CHARGEBEE_PAYPAL_GATEWAY = gateway
    permissions, others = (visitor.get(at)["Permissions-Policy"] for at in (PAYPAL[0], "/"))
    allowed = " ".join(["self", *(f'"{origin}"' for origin in (PROVIDER_ORIGIN, *frames))])
    assert f"payment=({allowed})" in permissions
    assert permissions.replace(f"payment=({allowed})", "payment=()") == others


@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_it_allows_the_origin_of_the_script_that_the_app_loads(visitor, bundle, db, path):
    address = visitor.get("/api/site").json()["chargebeeJsUrl"]
    assert address.startswith(read_policy(visitor.get(path))["script-src"][1] + "/")


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("path", OTHER_PAGES + SIMILAR_PATHS)
def test_no_other_page_allows_the_provider(visitor, bundle, strict, path):
    response = visitor.get(path)
    assert read_policy(response) == strict
    assert not FOREIGN.search(str(response.headers))
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert read_marker(response) == '{"document": "app"}'


@pytest.mark.parametrize("path", NON_PAGE_PATHS)
def test_no_other_response_allows_the_provider(visitor, bundle, db, path):
    response = visitor.get(path)
    assert not FOREIGN.search(str(response.headers))
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
    assert read_settings(visitor.get("/add%2Dcard-payment-method"))[0] == {"document": "card"}


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
    assert read_settings(response)[0] == {"document": kind}
    assert response["Cross-Origin-Opener-Policy"] == opener


@pytest.mark.shows("security-26")
@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_it_sends_the_same_other_headers_as_other_pages(visitor, bundle, path):
    response, other = visitor.get(path), visitor.get("/")
    for name in ("Referrer-Policy", "X-Content-Type-Options", "X-Frame-Options"):
        assert response[name] == other[name]
    assert "no-store" in response["Cache-Control"]


@pytest.mark.shows("security-26", "rule-20")
def test_only_a_cards_bank_may_recognize_the_payer(visitor, bundle):
    """Secure Payment Confirmation and WebAuthn work in the frame of a bank, which the card documents embed."""
    shut = visitor.get("/")["Permissions-Policy"]
    assert {"payment=()", "publickey-credentials-get=()"} <= set(shut.split(", "))
    opened = shut.replace("payment=()", "payment=(*)").replace("credentials-get=()", "credentials-get=(*)")
    assert [visitor.get(path)["Permissions-Policy"] for path in CARD] == [opened, opened]


@pytest.mark.shows("rule-20")
def test_a_bank_of_the_sandbox_is_framed_without_tls(visitor, bundle, settings):
    settings.CHARGEBEE_JS_URL = "http://127.0.0.1:8001/v2/chargebee.js"
    assert read_policy(visitor.get(CARD[0]))["frame-src"] == ["http://127.0.0.1:8001", "http:"]


@pytest.mark.shows("security-23")
@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_an_error_has_the_strict_policy(visitor, stats_file, path):
    missing, refused = visitor.get(path), visitor.post(path)
    assert (missing.status_code, refused.status_code) == (503, 405)
    for response in (missing, refused):
        assert not FOREIGN.search(str(response.headers))
        assert response["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("path", CARD + PAYPAL)
def test_a_crash_and_an_unknown_host_have_the_strict_policy(visitor, bundle, settings, path):
    bundle.write_text('{"status": "done", "chunks": {"main": [1]}}')
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    crashed, unknown_host = visitor.get(path, headers={"Host": "portal.example.com"}), visitor.get(path)
    assert (crashed.status_code, unknown_host.status_code) == (500, 400)
    assert not FOREIGN.search(str(crashed.headers) + str(unknown_host.headers))


def test_the_app_lists_the_same_documents():
    declared = re.findall(r"path: paths\.(\w+), id: '(\w+)'", (SOURCE / "lib" / "page" / "pageLoads.ts").read_text())
    addresses = dict(re.findall(r"(\w+): '(/[^']*)'", (SOURCE / "lib" / "paths.ts").read_text()))
    kinds = {addresses[name]: kind for name, kind in declared}
    profile = {f"/{WIDGET_FREE_PATH}": "profile"}
    assert kinds == {**dict.fromkeys(CARD, "card"), **dict.fromkeys(PAYPAL, "payPal"), **profile}
