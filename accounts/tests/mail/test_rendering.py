"""How mails are rendered: two parts, the colors of the brand, no active content."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from pytest_django import Settings

from accounts.brands.mail_logo import OWN_LOGOS_PREFIX
from accounts.mail.rendering import compose_message
from accounts.models import Account, Brand, OutgoingMail

pytestmark = pytest.mark.django_db

RECEIPT: dict[str, object] = {
    "title": "Faith & Family is paused",
    "lines": ["You keep access until June 3.", "You will not be billed."],
    "facts": [["Pauses on", "June 3, 2026"], ["Resumes on", "July 3, 2026"]],
    "action_url": "https://portal.example.com/dashboard",
    "action_label": "See your subscriptions",
    "undo_text": "You can cancel the pause any time.",
    "undo_links": [["Undo pause", "https://portal.example.com/dashboard?undo=1"]],
}


def compose_mail(kind: str = "receipt", **changes: Any) -> EmailMultiAlternatives:
    """Compose a mail from the receipt, with changes."""
    return compose_message(OutgoingMail(kind=kind, to="ava@example.com"), {**RECEIPT, **changes})


def html_part(message: EmailMultiAlternatives) -> str:
    """Return the HTML part."""
    return str(message.alternatives[0][0])


def test_both_parts_of_a_receipt_have_its_full_content() -> None:
    message = compose_mail()
    texts = [
        "You will not be billed.",
        "See your subscriptions",
        "cancel the pause any time",
        "https://portal.example.com/dashboard?undo=1",
    ]
    assert all(words in str(message.body) and words in html_part(message) for words in texts)


def test_a_date_does_not_wrap() -> None:
    message = compose_mail()
    assert "Resumes on: July 3, 2026" in str(message.body)
    assert "July&nbsp;3,&nbsp;2026" in html_part(message)


def test_it_has_the_logo_inside_and_loads_nothing() -> None:
    Brand.objects.create(code="kids", name="Kids", is_default=True, logo="portal/art/brands/kids.svg")
    message = compose_mail()
    assert re.findall("<img[^>]*>", html_part(message)) == [
        '<img src="cid:logo" alt="Kids" height="36" style="display:block; height:36px; width:auto; border:0;">'
    ]
    whole = message.message()
    parts = [part.get_content_type() for part in whole.walk()]
    assert parts == ["multipart/related", "multipart/alternative", "text/plain", "text/html", "image/png"]
    logo = list(whole.walk())[-1]
    assert logo["Content-ID"] == "<logo>"
    assert str(logo.get_payload()).startswith("iVBORw0KGgo")


@pytest.mark.parametrize("logo", ["https://cdn.example.com/logo.png", "pictures/gone.png", "pictures/logo.svg", ""])
def test_a_logo_that_mails_cannot_show_is_the_brands_name(logo: str) -> None:
    Brand.objects.create(code="kids", name="Kids", is_default=True, logo=logo)
    message = compose_mail()
    assert "<img" not in html_part(message)
    assert ">Kids</td>" in html_part(message)
    assert message.attachments == []


def test_it_greets_by_the_first_name_if_it_is_known() -> None:
    account = Account(email="ava@example.com", first_name="Ava")
    message = compose_message(OutgoingMail(kind="receipt", to=account.email, account=account), RECEIPT)
    assert str(message.body).startswith("Hello, Ava\n\nFaith & Family is paused")
    assert "Hello, Ava" in html_part(message)
    assert "Hello" not in str(compose_mail().body)


def test_it_has_no_images_and_no_scripts() -> None:
    html = html_part(compose_mail())
    assert "<img" not in html
    assert "<script" not in html
    assert "prefers-color-scheme: dark" in html


def test_only_the_html_part_is_escaped() -> None:
    message = compose_mail(title='<img src=x onerror="alert(1)"> & more')
    assert '<img src=x onerror="alert(1)"> & more' in str(message.body)
    assert "<img" not in html_part(message)
    assert "&lt;img" in html_part(message)


@pytest.mark.shows("security-12")
def test_a_line_break_in_a_title_does_not_reach_the_headers() -> None:
    assert compose_mail(title="Paused\r\nBcc: eve@example.com").subject == "Paused Bcc: eve@example.com"


def test_it_has_the_colors_and_links_of_the_brand() -> None:
    brand = Brand.objects.create(
        code="kids", name="Kids", is_default=True, help_centre_url="https://help.example.com/new"
    )
    message = compose_mail()
    assert brand.colours["light"]["primary"] in html_part(message)
    assert "Contact Customer Service" in html_part(message)
    assert "Help: https://help.example.com/new" in str(message.body)


def test_a_disabled_contact_link_is_left_out() -> None:
    Brand.objects.create(
        code="kids",
        name="Kids",
        is_default=True,
        help_centre_url="https://help.example.com/new",
        contact_link_enabled=False,
    )
    message = compose_mail()
    assert "help.example.com" not in html_part(message) + str(message.body)


def test_text_colors_do_not_depend_on_the_style_sheet() -> None:
    html = re.sub(r"<style>.*?</style>", "", html_part(compose_mail()), flags=re.DOTALL)
    links = re.findall("<a [^>]*>", html)
    assert len(links) == 3
    assert [link for link in links if not re.search(r'[ ";]color:#[0-9a-f]{6}', link)] == []
    sheet = re.search('<table[^>]*class="sheet"[^>]*>', html)
    assert sheet is not None
    assert "background:#ffffff; color:#1b1c1f" in sheet[0]


def test_an_empty_link_is_left_out() -> None:
    message = compose_mail()
    assert "Privacy" not in html_part(message)
    assert "Terms" not in str(message.body)


def test_missing_optional_parts_leave_no_gaps() -> None:
    message = compose_message(
        OutgoingMail(kind="receipt", to="ava@example.com"),
        {"title": "Done", "lines": ["It is done."], "facts": []},
    )
    assert 'class="button"' not in html_part(message)
    assert "<th" not in html_part(message)
    assert "None" not in str(message.body)
    assert "\n\n\n" not in str(message.body)


def test_it_has_a_language_and_a_title_for_screen_readers() -> None:
    html = html_part(compose_mail())
    assert '<html lang="en"' in html
    assert 'aria-label="Faith &amp; Family is paused"' in html
    assert '<th scope="row"' in html


def test_its_headers_mark_it_as_automatic_and_name_the_domain(settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "Portal <no-reply@portal.example.com>"
    headers = compose_mail().extra_headers
    assert headers["Auto-Submitted"] == "auto-generated"
    assert headers["Message-ID"].endswith("@portal.example.com>")


@pytest.mark.parametrize(("minutes", "words"), [(10, "10 minutes"), (1, "1 minute")])
def test_a_code_mail_says_how_long_the_code_works(minutes: int, words: str) -> None:
    message = compose_mail("login_code", code="012345", minutes=minutes)
    assert "012345" in str(message.body)
    assert f"for the next {words}." in str(message.body)
    assert message.subject == "012345 is your sign-in code"


def test_each_of_the_projects_own_logos_has_a_picture_for_mails() -> None:
    folder = Path(settings.BASE_DIR) / "portal" / "static" / OWN_LOGOS_PREFIX
    logos = sorted(folder.glob("*.svg"))
    assert logos
    assert [logo.name for logo in logos if not logo.with_suffix(".png").exists()] == []
