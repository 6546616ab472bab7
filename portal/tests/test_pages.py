"""Every page of the app is one document."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Brand


@pytest.mark.parametrize(
    "path", ["/", "/dashboard", "/pause-summary", "/any/unknown/page", "/adminish", "/apiary"]
)
def test_it_answers_every_page_with_the_one_document(visitor, bundle, path):
    response = visitor.get(path)
    assert response.status_code == 200
    page = response.content.decode()
    assert '<div id="root"></div>' in page
    assert '<script src="/static/app/main.0123456789abcdef0123.js" defer>' in page
    assert '<script id="portal-settings" type="application/json">{"document": "app"}</script>' in page


def test_it_keeps_the_document_out_of_caches(visitor, bundle):
    assert "no-store" in visitor.get("/")["Cache-Control"]


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_shows_pages_and_takes_nothing(visitor, bundle, method):
    assert getattr(visitor, method)("/dashboard").status_code == 405


def test_it_says_in_words_that_the_bundle_is_missing(visitor, stats_file):
    response = visitor.get("/")
    assert response.status_code == 503
    assert "The app has not been built yet" in response.content.decode()


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
