"""Editors change the pause offer: pictures are validated, uploads stored, the offer previewed."""

from __future__ import annotations

import importlib
import io
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts.models import SiteSettings, User
from billing.models import PauseOfferContent
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import apply_catalog, make_subscription, open_account

pytestmark = pytest.mark.django_db

ART = "portal/art/titles/faith-family"
CONTENT = {
    "plan_id": "faith-family-plan",
    **{f"recommended_title_image{number}": f"{ART}-recommended-{number}.svg" for number in range(1, 5)},
    **{f"recommended_title_text{number}": f"Title {number}" for number in range(1, 5)},
    **{f"upcoming_title_image{number}": f"{ART}-upcoming-{number}.svg" for number in range(1, 4)},
    **{f"upcoming_image_text{number}": f"Caption {number}" for number in range(1, 4)},
}
ADD = "admin:billing_pauseoffercontent_add"
CHANGE = "admin:billing_pauseoffercontent_change"


@pytest.fixture
def editor(client: Client) -> Client:
    user = User.objects.create_user("connie", password="correct horse battery staple", is_staff=True)
    user.groups.add(Group.objects.get(name="content"))
    client.force_login(user)
    return client


@pytest.fixture
def content() -> PauseOfferContent:
    return PauseOfferContent.objects.create(**CONTENT)


def make_picture_upload(width: int = 400, height: int = 600, kind: str = "PNG", name: str = "poster.png") -> Any:
    """Return a picture as an upload."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "#335577").save(buffer, kind)
    return SimpleUploadedFile(name, buffer.getvalue())


def post_content_form(editor: Client, content: PauseOfferContent, **changes: Any) -> Any:
    """Post the form with changes."""
    return editor.post(reverse(CHANGE, args=[content.pk]), {**CONTENT, **changes})


def test_titles_keep_a_plan_that_was_taken_out_of_the_catalog(editor: Client, content: PauseOfferContent) -> None:
    PauseOfferContent.objects.filter(pk=content.pk).update(plan_id="gone")
    page = editor.get(reverse(CHANGE, args=[content.pk])).content.decode()
    assert '<option value="gone" selected>' in page
    assert post_content_form(editor, content, plan_id="gone", upcoming_image_text1="New").status_code == 302
    content.refresh_from_db()
    assert (content.plan_id, content.upcoming_image_text1) == ("gone", "New")


def test_an_editor_changes_titles_texts_and_captions(editor: Client, content: PauseOfferContent) -> None:
    changes = {
        "recommended_title_image1": f"{ART}-recommended-2.svg",
        "recommended_title_text1": "Another",
        "upcoming_image_text3": "Soon",
    }
    assert post_content_form(editor, content, **changes).status_code == 302
    content.refresh_from_db()
    assert {name: getattr(content, name) for name in changes} == changes


def test_an_uploaded_picture_reaches_the_subscriber(editor: Client, content: PauseOfferContent) -> None:
    assert (
        post_content_form(editor, content, recommended_title_image1_upload=make_picture_upload(kind="WEBP")).status_code
        == 302
    )
    apply_catalog()
    browser = Browser(open_account("alice", make_subscription("sub_1")))
    (offer,) = browser.get("/api/account/pause-offer").json()
    url = offer["recommendedTitleImage1"]
    response = Client().get(url)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "image/webp")
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert Image.open(io.BytesIO(b"".join(response))).size == (400, 600)


def test_other_stored_files_are_not_served_as_pictures(editor: Client, content: PauseOfferContent) -> None:
    default_storage.save("invoices/17.pdf", io.BytesIO(b"%PDF"))
    absent = "/pictures/0123456789abcdef0123456789abcdef.png"
    assert Client().get(absent).status_code == 404
    for path in ("/pictures/../invoices/17.pdf", "/invoices/17.pdf", "/pictures/17.pdf"):
        assert "%PDF" not in Client().get(path).content.decode()


def test_the_same_picture_is_stored_once(editor: Client, content: PauseOfferContent) -> None:
    post_content_form(editor, content, recommended_title_image1_upload=make_picture_upload(410, 615))
    content.refresh_from_db()
    stored_path = content.recommended_title_image1
    post_content_form(
        editor,
        content,
        recommended_title_image1=stored_path,
        upcoming_title_image1_upload=make_picture_upload(410, 615),
    )
    content.refresh_from_db()
    assert content.recommended_title_image1 == content.upcoming_title_image1
    assert default_storage.exists(content.upcoming_title_image1)


@pytest.mark.parametrize(
    ("upload", "error"),
    [
        (make_picture_upload(200, 300), "200 by 300 pixels; it needs at least 400 by 600"),
        (make_picture_upload(2200, 3300), "2200 by 3300 pixels; it may have at most 2000 by 3000"),
        (make_picture_upload(900, 600), "it must be upright, 2 wide to 3 high"),
        (make_picture_upload(kind="GIF", name="poster.png"), "not a whole JPEG, PNG or WebP picture"),
        (SimpleUploadedFile("poster.png", b"<svg onload=alert(1)>"), "not a whole JPEG, PNG or WebP picture"),
        (
            SimpleUploadedFile("poster.png", make_picture_upload().read()[:200]),
            "not a whole JPEG, PNG or WebP picture",
        ),
        (SimpleUploadedFile("poster.png", b"\0" * (1024 * 1024 + 1)), "it may have at most 1.0"),
    ],
    ids=["small", "large", "wide", "gif", "script", "cut", "heavy"],
)
def test_an_invalid_upload_shows_an_error(editor: Client, content: PauseOfferContent, upload: Any, error: str) -> None:
    # WeasyPrint lets Pillow load truncated images: validation must refuse them after its import, too.
    importlib.import_module("billing.pdf.engine")
    upload.seek(0)
    response = post_content_form(editor, content, recommended_title_image1_upload=upload)
    assert response.status_code == 200
    assert error in response.content.decode()
    content.refresh_from_db()
    assert content.recommended_title_image1 == CONTENT["recommended_title_image1"]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("", "Name a picture, or upload one."),
        ("portal/art/nothing.svg", "There is no such picture"),
        ("../settings.py", "Enter a path below the static files"),
        ("portal/../../settings.py", "may not lead out of the static files"),
        ("javascript:alert(1)", "Enter a path below the static files"),
        ("https://example.com/poster.jpg", "load pictures from the portal alone"),
        ("pictures/0123456789abcdef0123456789abcdef.png", "There is no such uploaded picture"),
        ("pictures/../invoices/17.pdf", "may not lead out of the static files"),
        ("portal/art/hero/kids.svg", "it must be upright, 2 wide to 3 high"),
        ("portal/admin/story.css", "not a JPEG, PNG, WebP or SVG picture"),
    ],
)
def test_an_invalid_picture_path_shows_an_error(
    editor: Client, content: PauseOfferContent, path: str, error: str
) -> None:
    response = post_content_form(editor, content, upcoming_title_image1=path)
    assert response.status_code == 200
    assert error in response.content.decode()


def test_a_preview_shows_the_form_and_stores_nothing(editor: Client, content: PauseOfferContent) -> None:
    changes = {
        "_preview": "Preview",
        "upcoming_image_text1": "Only <b>a try</b>",
        "upcoming_title_image1_upload": make_picture_upload(),
    }
    html = post_content_form(editor, content, **changes).content.decode()
    assert "nothing is stored yet" in html
    assert "Only &lt;b&gt;a try&lt;/b&gt;" in html
    assert 'src="data:image/png;base64,' in html
    assert "RETURN TO WATCHING" not in html  # no service has an address in this test
    content.refresh_from_db()
    assert content.upcoming_image_text1 == "Caption 1"


def test_a_preview_of_invalid_input_shows_the_error(editor: Client, content: PauseOfferContent) -> None:
    response = post_content_form(editor, content, _preview="Preview", upcoming_title_image1="portal/nothing.svg")
    assert "There is no such picture" in response.content.decode()


def test_new_content_can_be_previewed_before_it_is_added(editor: Client) -> None:
    html = editor.post(reverse(ADD), {**CONTENT, "plan_id": "Minno-Plan", "_preview": "Preview"}).content.decode()
    assert "Watch Some Our Favorites Before You Go" in html
    assert "Upcoming Favorites" not in html  # the kids service has none
    assert not PauseOfferContent.objects.exists()


def test_an_editor_can_change_only_the_offer_switches(editor: Client) -> None:
    SiteSettings.objects.create(pk=1, free_month_on=True, pause_offer_on=True)
    url = reverse("admin:accounts_sitesettings_change", args=[1])
    assert 'name="time_zone"' not in editor.get(url).content.decode()
    assert editor.post(url, {"time_zone": "UTC", "seller_name": "Mine"}).status_code == 302
    row = SiteSettings.objects.get()
    assert (row.free_month_on, row.pause_offer_on) == (False, False)
    assert (row.enable_cancel_button, row.time_zone, row.seller_name) == (True, "America/New_York", "")


def test_the_site_read_returns_the_pause_offer_switch(client: Client) -> None:
    assert client.get("/api/site").json()["pauseOfferOn"] is True
    SiteSettings.objects.update_or_create(pk=1, defaults={"pause_offer_on": False})
    assert client.get("/api/site").json()["pauseOfferOn"] is False
