"""Every page of the app is served as the same HTML document."""

import json
import re

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.urls import reverse

from accounts.models import Brand


def raise_database_error(*_args, **_kwargs):
    raise OperationalError("The database is away.")


@pytest.mark.parametrize("path", ["/", "/dashboard", "/pause-summary", "/any/unknown/page", "/adminish", "/apiary"])
def test_every_page_gets_the_same_document(visitor, bundle, path):
    response = visitor.get(path)
    assert response.status_code == 200
    page = response.content.decode()
    assert '<div id="root"><main class="start"><p role="status">Loading</p>' in page
    assert '<script src="/static/app/main.0123456789abcdef0123.js" defer>' in page
    assert '<script id="portal-settings" type="application/json">{"document": "app"}</script>' in page


def test_the_data_is_requested_first_and_react_starts_before_the_screen_and_the_app(visitor, bundle):
    page = visitor.get("/").content.decode()
    scripts = re.findall(r'<script src="/static/app/(\w+)\.[0-9a-f]+\.js" defer>', page)
    assert scripts == ["start", "react", "2", "main"]


def test_the_document_contains_the_site_response(visitor, bundle):
    call_command("seed_site", verbosity=0)
    kids = Brand.objects.get(code="kids")
    page = visitor.get("/", headers={"host": kids.host_names[0]}).content.decode()
    sent = re.search(r'<script id="portal-site" type="application/json">(.*?)</script>', page)
    assert sent is not None
    assert json.loads(sent[1]) == visitor.get("/api/site", headers={"host": kids.host_names[0]}).json()


@pytest.mark.parametrize(
    ("code", "path", "preloaded"),
    [
        ("Kids", "/", ["/static/portal/art/hero/kids.svg"]),
        ("kids", "/dashboard", []),
        ("sports", "/", []),
    ],
)
def test_the_landing_page_preloads_its_picture(visitor, bundle, code, path, preloaded):
    Brand.objects.create(code=code, name="One of ours", is_default=True)
    page = visitor.get(path).content.decode()
    assert re.findall(r'<link rel="preload" href="([^"]+)" as="image"', page) == preloaded


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("/", ["2.js"]),
        ("/cancelAll", ["1.css", "3.css", "1.js", "3.js"]),
        ("/cancelall/", ["1.css", "3.css", "1.js", "3.js"]),
        ("/frame", []),
        ("/any/unknown/page", []),
    ],
)
def test_the_document_loads_the_files_of_its_screen(visitor, bundle, path, files):
    page = visitor.get(path).content.decode()
    named = re.findall(r'"/static/app/(\d)\.0123456789abcdef\.(js|css)"', page)
    assert [f"{number}.{kind}" for number, kind in named] == files


def test_it_responds_while_the_database_is_down(visitor, bundle):
    with connection.execute_wrapper(raise_database_error):
        page = visitor.get("/dashboard")
    assert page.status_code == 200
    assert '<script id="portal-site" type="application/json">null</script>' in page.content.decode()


@pytest.mark.shows("security-21")
def test_the_document_is_not_cached(visitor, bundle):
    assert "no-store" in visitor.get("/")["Cache-Control"]


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pages_allow_only_get(visitor, bundle, method):
    assert getattr(visitor, method)("/dashboard").status_code == 405


def test_a_missing_bundle_gets_a_503_with_an_explanation(visitor, stats_file):
    response = visitor.get("/")
    assert response.status_code == 503
    assert "files that make up its pages are missing" in response.content.decode()


@pytest.mark.parametrize("stats", ["", "{}", '{"status": "error", "error": "Boom", "message": "Boom"}'])
def test_a_failed_bundle_gets_a_503_without_its_error(visitor, stats_file, stats):
    stats_file.write_text(stats)
    response = visitor.get("/")
    assert response.status_code == 503
    assert "Boom" not in response.content.decode()


def test_the_admin_path_without_a_slash_redirects(visitor, db):
    assert visitor.get("/admin")["Location"] == reverse("admin:index")


def test_favicon_ico_is_served(visitor):
    assert visitor.get("/favicon.ico", follow=True).status_code == 200


def test_the_icon_has_the_colors_of_the_brand(visitor, bundle, db):
    call_command("seed_site", verbosity=0)
    kids = Brand.objects.get(code="kids")
    icon = visitor.get("/icon.svg", headers={"host": kids.host_names[0]})
    assert icon["Content-Type"] == "image/svg+xml"
    drawing = icon.content.decode()
    assert len(drawing) < 1000
    for palette in kids.colours.values():
        assert palette["primary"] in drawing
        assert palette["onPrimary"] in drawing
    assert visitor.get("/icon.svg").content != icon.content
    assert b'href="/icon.svg"' in visitor.get("/", headers={"host": kids.host_names[0]}).content
