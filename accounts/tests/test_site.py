"""GET /api/site."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from accounts.brands import site
from accounts.models import Brand, SiteSettings, StreamingService, User
from accounts.models.brand_colors import SURFACES, contrast_ratio, default_colors, validate_colors

pytestmark = pytest.mark.django_db


@pytest.fixture
def seeded() -> None:
    """Seed the brands, services and settings."""
    call_command("seed_site", verbosity=0)


def read_site(api: APIClient, host: str = "127.0.0.1:8000") -> Any:
    """Return the response for a host name."""
    return api.get("/api/site", HTTP_HOST=host).json()


@pytest.mark.shows("product-1", "pause-9", "data-6", "api-4")
def test_it_returns_what_the_app_needs_to_render(api: APIClient, seeded: None, settings: Settings) -> None:
    settings.CHARGEBEE_SITE = "acme-test"
    settings.CHARGEBEE_PUBLISHABLE_KEY = "test_key"
    settings.CHARGEBEE_JS_URL = "https://js.chargebee.com/v2/chargebee.js"
    answer = read_site(api)
    assert set(answer) == {
        "siteName",
        "publishableKey",
        "enableCancelButton",
        "pauseOfferOn",
        "chargebeeJsUrl",
        "paypalOffered",
        "supportWidget",
        "timeZone",
        "clockOffset",
        "brand",
        "services",
    }
    assert answer["siteName"] == "acme-test"
    assert answer["publishableKey"] == "test_key"
    assert answer["chargebeeJsUrl"] == "https://js.chargebee.com/v2/chargebee.js"
    assert answer["paypalOffered"] is True
    assert answer["enableCancelButton"] is True
    assert answer["supportWidget"] is None
    assert set(answer["brand"]) == {
        "code",
        "name",
        "logoUrl",
        "logoDarkUrl",
        "heroUrl",
        "colors",
        "termsUrl",
        "privacyUrl",
        "helpCentreUrl",
        "contactLinkEnabled",
        "showSubLogos",
    }
    assert answer["brand"]["logoUrl"] == "/static/portal/art/brands/faith-family.svg"
    assert answer["brand"]["heroUrl"] == "/static/portal/art/hero/faith-family.svg"
    assert set(answer["brand"]["colors"]["dark"]) == {"primary", "onPrimary", "accent", "link"}
    assert [service["id"] for service in answer["services"]] == ["faith-family", "gospel-TV", "kids"]
    pages = [service["browseUrl"].rsplit("/", 1)[-1] for service in answer["services"]]
    assert pages == ["browse", "browse", "welcome"]
    assert set(answer["services"][0]) == {
        "id",
        "name",
        "summary",
        "logoUrl",
        "logoDarkUrl",
        "streamUrl",
        "browseUrl",
    }


def test_it_ignores_an_invalid_token(api: APIClient, seeded: None) -> None:
    api.credentials(HTTP_AUTHORIZATION="Bearer nonsense")
    assert api.get("/api/site").status_code == 200


def test_it_needs_four_queries(api: APIClient, seeded: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(4):
        read_site(api)


@pytest.mark.shows("rule-14")
@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1:8000", "faith-family"),
        ("localhost", "faith-family"),
        ("gospel.localhost:8000", "gospel-TV"),
        ("KIDS.localhost", "kids"),
        ("somewhere.example.com", "faith-family"),
        ("[::1]:8000", "faith-family"),
    ],
)
def test_the_host_name_chooses_the_brand(api: APIClient, seeded: None, host: str, code: str) -> None:
    assert read_site(api, host)["brand"]["code"] == code


@pytest.mark.shows("product-3")
def test_each_brand_has_its_own_links(api: APIClient, seeded: None) -> None:
    hosts = ("faith.localhost", "gospel.localhost", "kids.localhost")
    assert len({read_site(api, host)["brand"]["termsUrl"] for host in hosts}) == 3
    assert len({read_site(api, host)["brand"]["privacyUrl"] for host in hosts}) == 3


@pytest.mark.shows("rule-14", "product-3")
def test_a_brand_with_an_unknown_code_has_empty_links(api: APIClient, seeded: None) -> None:
    Brand.objects.create(
        code="sports",
        name="Sports",
        host_names=["sports.localhost"],
        terms_url="https://sports.example.com/terms",
    )
    brand = read_site(api, "sports.localhost")["brand"]
    assert (brand["termsUrl"], brand["privacyUrl"], brand["helpCentreUrl"]) == ("", "", "")


def test_brand_codes_ignore_case_and_unknown_ones_have_no_links(seeded: None) -> None:
    assert site.brand_for_code("GOSPEL-tv").name == "Gospel TV"
    assert site.brand_for_code("GOSPEL-tv").terms_link == "https://gospel.example.com/terms-of-service"
    assert site.brand_for_code("sports").terms_link == ""


def test_it_responds_before_the_site_is_seeded(api: APIClient) -> None:
    answer = read_site(api)
    assert (answer["brand"]["code"], answer["services"]) == ("", [])


def test_changes_by_operators_show_at_once(api: APIClient, seeded: None) -> None:
    settings = site.site_settings()
    settings.enable_cancel_button = False
    settings.save()
    Brand.objects.filter(code="faith-family").update(contact_link_enabled=False)
    answer = read_site(api)
    assert answer["enableCancelButton"] is False
    assert answer["brand"]["contactLinkEnabled"] is False


def test_the_settings_are_cached_within_a_block_only(
    seeded: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2), site.cache_site_settings():
        seen = [(site.site_settings().time_zone, site.default_brand().code) for _ in range(3)]
    SiteSettings.objects.update(time_zone="Asia/Tokyo")
    with site.cache_site_settings():
        later = site.site_settings().time_zone

    assert set(seen) == {("America/New_York", "faith-family")}
    assert later == "Asia/Tokyo" == site.site_settings().time_zone


def test_a_cached_response_is_revalidated_with_its_etag(api: APIClient, seeded: None) -> None:
    first = api.get("/api/site")
    again = api.get("/api/site", HTTP_IF_NONE_MATCH=first["ETag"])
    Brand.objects.filter(code="faith-family").update(name="Family")
    after_change = api.get("/api/site", HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, after_change.status_code) == (304, 200)
    assert after_change.json()["brand"]["name"] == "Family"
    assert first["Cache-Control"] == "no-cache"


def test_it_returns_the_configured_support_widget(api: APIClient, seeded: None, settings: Settings) -> None:
    settings.SUPPORT_WIDGET_URL = "https://widget.example.com/v1.js"
    assert read_site(api)["supportWidget"] == {"scriptUrl": "https://widget.example.com/v1.js"}


def test_each_save_of_the_settings_increases_their_version(seeded: None) -> None:
    settings = site.site_settings()
    before = settings.version
    settings.save()
    assert site.site_settings().version == before + 1


def test_the_settings_have_a_single_row(seeded: None) -> None:
    assert site.site_settings().pk == 1
    assert SiteSettings.objects.count() == 1


def test_seeding_twice_changes_nothing(seeded: None) -> None:
    Brand.objects.filter(code="kids").update(name="Small People")
    call_command("seed_site", verbosity=0)
    assert Brand.objects.count() == 3
    assert StreamingService.objects.count() == 3
    assert site.brand_for_code("kids").name == "Small People"


def test_the_demo_offers_the_free_month(settings: Settings) -> None:
    settings.PORTAL_ENV = "demo"
    call_command("seed_site", verbosity=0)
    assert site.site_settings().free_month_on


def test_outside_the_demo_the_free_month_is_off_by_default(seeded: None) -> None:
    assert not site.site_settings().free_month_on


def test_only_the_demo_is_seeded_with_operators(seeded: None, settings: Settings) -> None:
    assert not User.objects.exists()
    settings.PORTAL_ENV = "demo"
    call_command("seed_site", verbosity=0)
    call_command("seed_site", verbosity=0)
    operators = {operator.username: operator for operator in User.objects.all()}
    assert {name for name, operator in operators.items() if operator.is_superuser} == {"admin"}
    assert {name: [*operator.groups.values_list("name", flat=True)] for name, operator in operators.items()} == {
        "admin": [],
        "content": ["content"],
        "finance": ["finance"],
        "support": ["support"],
    }
    assert all(operator.is_staff and operator.check_password(name) for name, operator in operators.items())


def test_the_seeded_rows_are_valid(seeded: None) -> None:
    for instance in [*Brand.objects.all(), *StreamingService.objects.all(), site.site_settings()]:
        instance.full_clean()


def test_brand_text_is_readable_in_both_schemes(seeded: None) -> None:
    palettes = [(ground, b.colours[scheme]) for b in Brand.objects.all() for scheme, ground in SURFACES.items()]
    assert all(contrast_ratio(palette["onPrimary"], palette["primary"]) >= 4.5 for _ground, palette in palettes)
    assert all(contrast_ratio(palette["link"], ground) >= 4.5 for ground, palette in palettes)


def test_the_contrast_ratio_follows_wcag() -> None:
    assert contrast_ratio("#000000", "#ffffff") == pytest.approx(21)
    assert contrast_ratio("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(
    ("scheme", "token", "value"),
    [
        ("light", "primary", "blue"),
        ("light", "primary", "#fff"),
        ("light", "onPrimary", "#23418f"),
        ("light", "link", "#ffff00"),
        ("dark", "link", "#222233"),
        ("dark", "accent", "#26262c"),
        ("light", "primary", "#23418f; background: url(x)"),
    ],
)
def test_unreadable_colors_are_refused(scheme: str, token: str, value: str) -> None:
    colours: Any = default_colors()
    colours[scheme][token] = value
    with pytest.raises(ValidationError):
        validate_colors(colours)


@pytest.mark.parametrize("value", [None, {}, {"light": {}}, {"light": {}, "dark": {}}, {"light": [], "dark": []}])
def test_incomplete_colors_are_refused(value: Any) -> None:
    with pytest.raises(ValidationError):
        validate_colors(value)


@pytest.mark.parametrize(
    "location", ["../secrets.svg", "/etc/passwd", "http://x.example.com/a.svg", "javascript:alert(1)"]
)
def test_a_logo_outside_static_files_and_https_is_refused(location: str) -> None:
    with pytest.raises(ValidationError):
        Brand(code="kids", name="Kids", logo=location).full_clean()


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://x.example.com", "ftp://x.example.com", "//x"])
def test_a_link_without_https_is_refused(url: str) -> None:
    with pytest.raises(ValidationError):
        Brand(code="kids", name="Kids", terms_url=url).full_clean()


@pytest.mark.parametrize("names", ["kids.localhost", ["Kids.localhost"], ["kids.localhost:8000"], [3]])
def test_invalid_host_names_are_refused(names: Any) -> None:
    with pytest.raises(ValidationError):
        Brand(code="kids", name="Kids", host_names=names).full_clean()


def test_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(ValidationError):
        SiteSettings(time_zone="Mars/Olympus").full_clean()
