"""The script inventory and the content security policies agree."""

import pytest

from e2e.support.script_inventory import allowed_origins, listed_sources
from portal.env import CARD_GATEWAYS, PAYPAL_GATEWAYS

DOCUMENTS = {
    "app": "/dashboard",
    "card": "/add-card-payment-method",
    "payPal": "/add-paypal-payment-method",
    "admin": "/admin/login/",
}


@pytest.fixture(autouse=True)
def provider(settings):
    settings.CHARGEBEE_JS_URL = "https://js.chargebee.com/v2/chargebee.js"
    settings.CHARGEBEE_SITE = "acme"


def read_policy(response):
    """Return the origins that each directive allows, without the nonce, which is no origin."""
    parts = (part.split() for part in response["Content-Security-Policy"].split(";"))
    return {name: {source for source in sources if not source.startswith("'nonce-")} for name, *sources in parts}


@pytest.mark.shows("security-45")
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize(("kind", "directive"), [("script", "script-src"), ("frame", "frame-src")])
def test_a_policy_allows_only_the_listed_origins(visitor, bundle, db, document, kind, directive):
    directives = read_policy(visitor.get(DOCUMENTS[document]))
    assert directives.get(directive, set()) == allowed_origins(kind, document, site="acme")
    assert directives["default-src"] == {"'none'"}


@pytest.mark.parametrize("document", ["card", "payPal"])
@pytest.mark.parametrize("paypal", PAYPAL_GATEWAYS)
@pytest.mark.parametrize(("kind", "directive"), [("script", "script-src"), ("frame", "frame-src")])
def test_the_origins_of_paypal_are_those_of_the_gateway(
    visitor, bundle, db, settings, document, paypal, kind, directive
):
    settings.CHARGEBEE_PAYPAL_GATEWAY = paypal
    directives = read_policy(visitor.get(DOCUMENTS[document]))
    assert directives[directive] == allowed_origins(kind, document, site="acme", paypal=paypal)


@pytest.mark.parametrize("document", ["card", "payPal"])
@pytest.mark.parametrize("cards", [*((gateway,) for gateway in CARD_GATEWAYS), CARD_GATEWAYS])
@pytest.mark.parametrize(("kind", "directive"), [("script", "script-src"), ("frame", "frame-src")])
def test_the_origins_of_card_gateways_are_those_of_the_site(
    visitor, bundle, db, settings, document, cards, kind, directive
):
    settings.CHARGEBEE_CARD_GATEWAYS = [*cards]
    directives = read_policy(visitor.get(DOCUMENTS[document]))
    assert directives[directive] == allowed_origins(kind, document, site="acme", cards=cards)


WIDGET = "https://widget.example.com"
WIDGET_DOCUMENTS = {**DOCUMENTS, "profile": "/edit-profile"}


@pytest.mark.parametrize("document", WIDGET_DOCUMENTS)
@pytest.mark.parametrize(("kind", "directive"), [("script", "script-src"), ("frame", "frame-src")])
def test_a_support_widget_is_allowed_on_the_listed_pages(visitor, bundle, db, settings, document, kind, directive):
    settings.SUPPORT_WIDGET_URL = f"{WIDGET}/v1/widget.js"
    directives = read_policy(visitor.get(WIDGET_DOCUMENTS[document]))
    assert directives.get(directive, set()) == allowed_origins(kind, document, site="acme", widget=WIDGET)


@pytest.mark.shows("routes-8")
@pytest.mark.parametrize("path", ["/edit-profile", "/Edit-Profile/", "/add-card-payment-method", "/api/site"])
def test_a_support_widget_is_off_on_pages_that_take_personal_data(visitor, bundle, db, settings, path):
    settings.SUPPORT_WIDGET_URL = f"{WIDGET}/v1/widget.js"
    response = visitor.get(path)
    assert WIDGET not in str(response.headers)
    assert '"supportWidget": true' not in response.text


def test_pages_that_allow_a_support_widget_enable_it(visitor, bundle, settings):
    settings.SUPPORT_WIDGET_URL = f"{WIDGET}/v1/widget.js"
    page, profile = visitor.get("/dashboard"), visitor.get("/edit-profile")
    assert '{"document": "app", "supportWidget": true}' in page.text
    assert '{"document": "profile"}' in profile.text
    assert read_policy(page)["connect-src"] == {"'self'", WIDGET}


def test_without_a_widget_the_profile_is_an_ordinary_page(visitor, bundle):
    assert '{"document": "app"}' in visitor.get("/edit-profile").text


def test_the_script_url_of_production_is_listed(settings):
    rows = listed_sources("script", "card")
    origins = {"portal": "https://portal.example.com", "provider": "https://js.chargebee.com"}
    assert any(row.covers(settings.CHARGEBEE_JS_URL, **origins) for row in rows)
    assert not any(row.covers("https://js.example.com/v2/chargebee.js", **origins) for row in rows)
