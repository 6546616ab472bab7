"""The list of scripts and the policies say the same."""

import pytest

from e2e.support.script_inventory import allowed_origins, listed_sources

DOCUMENTS = {
    "app": "/dashboard",
    "card": "/add-card-payment-method",
    "payPal": "/add-paypal-payment-method",
    "admin": "/admin/login/",
}


@pytest.fixture(autouse=True)
def provider(settings):
    settings.CHARGEBEE_JS_URL = "https://js.chargebee.com/v2/chargebee.js"


def read_policy(response):
    parts = (part.split() for part in response["Content-Security-Policy"].split(";"))
    return {name: set(sources) for name, *sources in parts}


@pytest.mark.shows("security-45")
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize(("kind", "directive"), [("script", "script-src"), ("frame", "frame-src")])
def test_a_policy_allows_what_is_listed_and_nothing_else(visitor, bundle, db, document, kind, directive):
    directives = read_policy(visitor.get(DOCUMENTS[document]))
    assert directives.get(directive, set()) == allowed_origins(kind, document)
    assert directives["default-src"] == {"'none'"}


WIDGET = "https://widget.example.com"
WHERE_THERE_IS_A_WIDGET = {**DOCUMENTS, "profile": "/edit-profile"}


@pytest.mark.parametrize("document", WHERE_THERE_IS_A_WIDGET)
@pytest.mark.parametrize(("kind", "directive"), [("script", "script-src"), ("frame", "frame-src")])
def test_a_support_widget_is_allowed_where_it_is_listed(visitor, bundle, db, settings, document, kind, directive):
    settings.SUPPORT_WIDGET_URL = f"{WIDGET}/v1/widget.js"
    directives = read_policy(visitor.get(WHERE_THERE_IS_A_WIDGET[document]))
    assert directives.get(directive, set()) == allowed_origins(kind, document, widget=WIDGET)


@pytest.mark.shows("routes-8")
@pytest.mark.parametrize("path", ["/edit-profile", "/Edit-Profile/", "/add-card-payment-method", "/api/site"])
def test_a_support_widget_is_off_where_details_are_typed(visitor, bundle, db, settings, path):
    settings.SUPPORT_WIDGET_URL = f"{WIDGET}/v1/widget.js"
    response = visitor.get(path)
    assert WIDGET not in str(response.headers)
    assert '"supportWidget": true' not in response.text


def test_a_support_widget_is_told_to_the_pages_that_allow_it(visitor, bundle, settings):
    settings.SUPPORT_WIDGET_URL = f"{WIDGET}/v1/widget.js"
    page, profile = visitor.get("/dashboard"), visitor.get("/edit-profile")
    assert '{"document": "app", "supportWidget": true}' in page.text
    assert '{"document": "profile"}' in profile.text
    assert read_policy(page)["connect-src"] == {"'self'", WIDGET}


def test_without_one_the_profile_is_a_page_like_any_other(visitor, bundle):
    assert '{"document": "app"}' in visitor.get("/edit-profile").text


def test_the_address_that_production_loads_is_listed(settings):
    rows = listed_sources("script", "card")
    where = {"portal": "https://portal.example.com", "provider": "https://js.chargebee.com"}
    assert any(row.covers(settings.CHARGEBEE_JS_URL, **where) for row in rows)
    assert not any(row.covers("https://js.example.com/v2/chargebee.js", **where) for row in rows)
