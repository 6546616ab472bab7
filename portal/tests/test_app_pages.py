"""Every page of the app is one document."""

import json
import re

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.urls import reverse

from accounts.models import Brand


def no_database(*_args, **_kwargs):
    raise OperationalError("The database is away.")


@pytest.mark.parametrize("path", ["/", "/dashboard", "/pause-summary", "/any/unknown/page", "/adminish", "/apiary"])
def test_it_answers_every_page_with_the_one_document(visitor, bundle, path):
    response = visitor.get(path)
    assert response.status_code == 200
    page = response.content.decode()
    assert '<div id="root"></div>' in page
    assert '<script src="/static/app/main.0123456789abcdef0123.js" defer>' in page
    assert '<script id="portal-settings" type="application/json">{"document": "app"}</script>' in page


def test_it_sends_the_site_along_that_the_app_would_ask_for(visitor, bundle):
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
def test_it_fetches_the_landing_pages_picture_before_the_app_draws_it(visitor, bundle, code, path, preloaded):
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
def test_it_asks_for_the_screen_together_with_the_app(visitor, bundle, path, files):
    page = visitor.get(path).content.decode()
    named = re.findall(r'"/static/app/(\d)\.0123456789abcdef\.(js|css)"', page)
    assert [f"{number}.{kind}" for number, kind in named] == files


def test_it_answers_while_the_database_does_not(visitor, bundle):
    with connection.execute_wrapper(no_database):
        page = visitor.get("/dashboard")
    assert page.status_code == 200
    assert '<script id="portal-site" type="application/json">null</script>' in page.content.decode()


@pytest.mark.shows("security-21")
def test_it_keeps_the_document_out_of_caches(visitor, bundle):
    assert "no-store" in visitor.get("/")["Cache-Control"]


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_shows_pages_and_takes_nothing(visitor, bundle, method):
    assert getattr(visitor, method)("/dashboard").status_code == 405


def test_it_says_in_words_that_the_bundle_is_missing(visitor, stats_file):
    response = visitor.get("/")
    assert response.status_code == 503
    assert "files that make up its pages are missing" in response.content.decode()


@pytest.mark.parametrize("stats", ["", "{}", '{"status": "error", "error": "Boom", "message": "Boom"}'])
def test_it_says_the_same_of_a_bundle_that_failed(visitor, stats_file, stats):
    stats_file.write_text(stats)
    response = visitor.get("/")
    assert response.status_code == 503
    assert "Boom" not in response.content.decode()


def test_it_leads_to_the_admin_with_and_without_a_slash(visitor, db):
    assert visitor.get("/admin")["Location"] == reverse("admin:index")


def test_it_has_an_icon_for_browsers_that_only_ask_for_one(visitor):
    assert visitor.get("/favicon.ico", follow=True).status_code == 200


def test_it_has_an_icon_in_the_colours_of_each_brand(visitor, bundle, db):
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
