"""Brands as operators edit them: logos, colors and links are validated before subscribers see them."""

from __future__ import annotations

import base64
import io
import re
from email.utils import parseaddr
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from PIL import Image
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.mail.queue import queue_mail
from accounts.models import Account, Brand, StreamingService, User
from accounts.models.brand_colors import (
    CONTROL_CONTRAST,
    SURFACES,
    TEXT_CONTRAST,
    Background,
    contrast_failures,
    contrast_ratio,
    default_colors,
    nearest_readable_color,
)
from accounts.tests.sign_in.sign_in_client import SignInClient, send_due_mail
from conftest import ROOT
from core.models import LimitCounter

pytestmark = pytest.mark.django_db

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 60"><defs><linearGradient id="a"/></defs>'
    "<style>path{{fill:url(#a);stroke-dasharray:none}}</style><path d='M0 0h9v9z'/>{}</svg>"
)


@pytest.fixture
def kids(settings: Settings, tmp_path: Any) -> Brand:
    """Return the seeded Kids brand, with a folder for uploads."""
    settings.MEDIA_ROOT = tmp_path
    call_command("seed_site", verbosity=0)
    return Brand.objects.get(code="kids")


@pytest.fixture
def operator(client: Client) -> Client:
    """Return a client signed in as a superuser."""
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


def post_admin_form(operator: Client, instance: Any, **changes: Any) -> Any:
    """Post the unchanged form of a brand or service, with these changes."""
    page = reverse(f"admin:accounts_{instance._meta.model_name}_change", args=[instance.pk])
    form = operator.get(page).context["adminform"].form
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data = {name: value for name, value in values.items() if value not in (False, None)}
    answer = operator.post(page, {**data, **changes})
    instance.refresh_from_db()
    return answer


def svg_upload(content: str | bytes, name: str = "logo.svg") -> SimpleUploadedFile:
    data = content if isinstance(content, bytes) else content.encode()
    return SimpleUploadedFile(name, data, content_type="image/svg+xml")


def _reused_groups(kind: str, levels: int) -> str:
    """Return elements of which each draws the one before ten times."""
    draw = {"use": '<use href="#{0}"/>', "pattern": '<path fill="url(#{0})"/>'}[kind]
    name = "g" if kind == "use" else kind
    first = f'<{name} id="l0"><path d="M0 0h9v9z"/></{name}>'
    rest = (f'<{name} id="l{level}">{draw.format(f"l{level - 1}") * 10}</{name}>' for level in range(1, levels))
    return "".join((first, *rest, draw.format(f"l{levels - 1}")))


def png_upload(size: tuple[int, int]) -> SimpleUploadedFile:
    """Return an upload of a PNG of this size."""
    return raster_upload(size, "PNG")


def raster_upload(size: tuple[int, int], picture_format: str) -> SimpleUploadedFile:
    """Return an upload of a red picture of this size and format."""
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, picture_format)
    return SimpleUploadedFile("logo", file.getvalue())


def form_errors(answer: Any) -> dict[str, Any]:
    """Return the errors of the form by field."""
    return dict(answer.context["adminform"].form.errors)


@pytest.mark.parametrize("upload", [svg_upload(DRAWING.format("")), png_upload((240, 80))])
def test_an_uploaded_logo_is_shown_to_subscribers(operator: Client, kids: Brand, upload: SimpleUploadedFile) -> None:
    upload.seek(0)
    assert post_admin_form(operator, kids, logo_upload=upload).status_code == 302
    logo_url = operator.get("/api/site", headers={"host": "kids.localhost"}).json()["brand"]["logoUrl"]
    served = operator.get(logo_url)
    assert served.status_code == 200
    assert served["Content-Type"].startswith("image/")
    assert served["Content-Security-Policy"] == (
        "default-src 'none'; style-src 'unsafe-inline'; sandbox; "
        "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


def _sent_logo() -> Image.Image | None:
    """Sign Ava in at the Kids brand; return the picture in the mail of her code, or None if it has none."""
    SignInClient(APIClient(headers={"host": "kids.localhost"})).sign_in()
    pictures = [part for part in mail.outbox[-1].message().walk() if part.get_content_maintype() == "image"]
    return Image.open(io.BytesIO(base64.b64decode(str(pictures[0].get_payload())))) if pictures else None


@pytest.mark.parametrize(
    ("upload", "width"),
    [
        (svg_upload(DRAWING.format('<path d="M0 0h240v60H0z" fill="red"/>').replace("url(#a)", "red")), 432),
        (raster_upload((3000, 1000), "PNG"), 324),
        (raster_upload((240, 80), "WEBP"), 324),
        (raster_upload((240, 80), "JPEG"), 324),
    ],
    ids=["svg", "png", "webp", "jpeg"],
)
def test_mails_show_an_uploaded_logo_as_a_png(
    ava: Account, operator: Client, kids: Brand, upload: SimpleUploadedFile, width: int
) -> None:
    upload.seek(0)
    assert post_admin_form(operator, kids, logo_upload=upload).status_code == 302
    logo = _sent_logo()
    assert logo is not None
    assert (logo.format, logo.size) == ("PNG", (width, 108))
    red, *others = logo.convert("RGB").resize((1, 1)).tobytes()
    assert red > 250
    assert max(others) < 5


def test_mails_show_the_brands_name_in_place_of_a_logo_with_text(ava: Account, operator: Client, kids: Brand) -> None:
    lettered = svg_upload(DRAWING.format('<text x="0" y="20">Kids</text>'))
    assert post_admin_form(operator, kids, logo_upload=lettered).status_code == 302
    assert _sent_logo() is None
    assert ">Kids</td>" in mail.outbox[-1].message().as_string()


def test_the_logos_of_a_service_can_be_uploaded(operator: Client, kids: Brand) -> None:
    service = StreamingService.objects.get(code="kids")
    assert post_admin_form(operator, service, logo_dark_upload=svg_upload(DRAWING.format(""))).status_code == 302
    assert service.logo_dark_url.startswith("/pictures/")


@pytest.mark.shows("security-24", "security-56")
@pytest.mark.parametrize(
    "planted",
    [
        "<script>alert(1)</script>",
        '<path onload="alert(1)"/>',
        '<path OnClick="alert(1)"/>',
        '<a href="javascript:alert(1)"><path/></a>',
        '<use href="https://evil.example.com/x.svg#a"/>',
        '<use xmlns:x="http://www.w3.org/1999/xlink" x:href="data:image/svg+xml,x#a"/>',
        '<image href="/api/account"/>',
        "<foreignObject><p>hello</p></foreignObject>",
        '<set attributeName="href" to="javascript:alert(1)"/>',
        "<style>@import 'https://evil.example.com/x.css';</style>",
        "<style>path{fill:url(https://evil.example.com/x)}</style>",
        r"<style>path{fill:\75rl(https://evil.example.com/x)}</style>",
        "<style>path{fill:u<title/>rl(https://evil.example.com/x)}</style>",
        '<style>path{mask-image:image-set("https://evil.example.com/x" 1x)}</style>',
        "<path style=\"fill:url( '//evil.example.com/x')\"/>",
        "<path style=\"cursor:image('//evil.example.com/x')\"/>",
        '<html:script xmlns:html="http://www.w3.org/1999/xhtml">alert(1)</html:script>',
        '<?xml-stylesheet href="https://evil.example.com/x.css"?>',
        '<g xml:base="https://evil.example.com/"><use href="#a"/></g>',
        pytest.param(_reused_groups("use", 9), id="a bomb of uses"),
        pytest.param(_reused_groups("pattern", 9), id="a bomb of patterns"),
        pytest.param(_reused_groups("use", 9).replace('"#l', '"#%6c'), id="a bomb of encoded references"),
        pytest.param(_reused_groups("pattern", 9).replace("(#l", "(#%6c"), id="a bomb of encoded patterns"),
        pytest.param(_reused_groups("use", 9).replace('"#l', '"#l&#10;'), id="a bomb of broken references"),
        pytest.param(_reused_groups("use", 9).replace('"/>', ' "/>'), id="a bomb of references with spaces"),
        '<g id="b"><use href="#c"/></g><g id="c"><use href="#b"/><use href="#b"/></g>',
        '<pattern id="p"><path/></pattern><style>path{fill:url(#p)}</style>',
        pytest.param("<g>" * 60 + "</g>" * 60, id="deep groups"),
        '<g id="a"/>',
        '<filter id="f" width="500000%"><feFlood/></filter>',
        '<filter id="f" x="-90"><feFlood/></filter>',
        '<filter id="f" filterUnits="userSpaceOnUse" width="9e9"><feFlood/></filter>',
        '<filter id="f"><feGaussianBlur stdDeviation="100000"/></filter>',
        '<filter id="f" primitiveUnits="objectBoundingBox"><feGaussianBlur stdDeviation="9"/></filter>',
        pytest.param('<mask id="m"><path/></mask>' + '<path mask="url(#m)"/>' * 1000, id="a thousand masks"),
        pytest.param('<filter id="f">' + "<feOffset/>" * 200 + "</filter>", id="a filter of many steps"),
        '<filter id="f"><feOffset/></filter><style>path{filter:u<title/>rl(#f)}</style>',
        "<style>g{filter:blur(50px) drop-shadow(40px 40px 40px red)}</style>",
        '<g filter="blur(50px)"><path/></g>',
        '<path stroke-dasharray=".0003" d="M0 0 99 99"/>',
        "<style>path{stroke-dasharray/**/:.0003}</style>",
        '<marker id="m"><path/></marker><path marker-mid="url(#m)" d="M0 0l1 1-1 1"/>',
    ],
)
def test_an_svg_with_active_or_external_content_is_refused(operator: Client, kids: Brand, planted: str) -> None:
    before = kids.logo
    answer = post_admin_form(operator, kids, logo_upload=svg_upload(DRAWING.format(planted)))
    assert "which a logo must not" in form_errors(answer)["logo_upload"][0]
    assert kids.logo == before


@pytest.mark.shows("security-56")
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"/>', "a document type"),
        ("<svg><path/></svg>", "<svg>"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><path/></svg>', "no viewBox"),
        ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 90"/>', "as wide as high"),
        ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path>', "not a whole SVG"),
        ("hello", "not a whole JPEG, PNG or WebP"),
        (DRAWING.format("<title>" + "x" * 300_000 + "</title>"), "at most 256"),
        ('<?xml version="1.0" encoding="UTF-7"?>' + DRAWING.format(""), "not in UTF-8"),
        ('<?xml version="1.0" encoding="x-none"?>' + DRAWING.format(""), "not in UTF-8"),
        ('<?xml version="1.0" encoding="shift_jis"?>' + DRAWING.format(""), "not in UTF-8"),
        (DRAWING.format("<title>é</title>").encode("latin-1"), "not in UTF-8"),
        (DRAWING.format("").encode("utf-16"), "not a whole JPEG, PNG or WebP"),
        (DRAWING.format("\0"), "not a whole SVG"),
    ],
)
def test_an_invalid_logo_is_refused(operator: Client, kids: Brand, content: str | bytes, expected: str) -> None:
    assert (
        expected
        in post_admin_form(operator, kids, logo_upload=svg_upload(content))
        .context["adminform"]
        .form.errors["logo_upload"][0]
    )


def test_a_logo_of_many_parts_with_a_shadow_is_accepted(operator: Client, kids: Brand) -> None:
    shadow = (
        '<filter id="f" x="-20%" y="0" width="1.4" height="64" filterUnits="userSpaceOnUse">'
        '<feGaussianBlur in="SourceAlpha" stdDeviation="2"/><feOffset dy="4"/></filter>'
    )
    parts = '<g id="star"><path d="M0 0h9v9z"/></g>' + '<use href="#star"/>' * 200
    quoted = "<path fill=\"url( '#a' )\"/>"
    drawing = DRAWING.format(f'{shadow}<g filter="url(#f)" clip-path="url(#c)">{quoted}{parts}</g>')
    declared = f'\ufeff<?xml version="1.0" encoding="utf-8"?>{drawing}'
    assert post_admin_form(operator, kids, logo_upload=svg_upload(declared)).status_code == 302


@pytest.mark.shows("security-54")
@pytest.mark.parametrize(
    "name", ["Kids\nBcc: eve@example.com", "Kids\u202egnp", "Kids\u2066", "Ki\u200bds", "Kids\x1b"]
)
def test_a_name_with_hidden_characters_is_refused(operator: Client, kids: Brand, name: str) -> None:
    assert "hidden characters" in form_errors(post_admin_form(operator, kids, name=name))["name"][0]
    service = StreamingService.objects.get(code="kids")
    assert "hidden characters" in form_errors(post_admin_form(operator, service, summary=name))["summary"][0]
    assert (kids.name, Brand.objects.get(code="kids").name) == ("Kids", "Kids")


@pytest.mark.shows("security-54")
def test_a_brand_whose_stored_name_has_line_breaks_still_sends_mail(ava: Account, kids: Brand) -> None:
    Brand.objects.update(name="Kids\nBcc: eve@example.com\u202e")
    SignInClient().sign_in()
    assert parseaddr(mail.outbox[0].from_email)[0] == "Kids Bcc: eve@example.com"
    assert "\n" not in mail.outbox[0].subject


@pytest.mark.parametrize(
    ("size", "expected"), [((60, 30), "at least 72 by 72"), ((3500, 900), "at most"), ((900, 100), "six times")]
)
def test_a_logo_of_the_wrong_size_is_refused(
    operator: Client, kids: Brand, size: tuple[int, int], expected: str
) -> None:
    assert expected in form_errors(post_admin_form(operator, kids, logo_upload=png_upload(size)))["logo_upload"][0]


def test_a_logo_from_another_origin_is_refused(operator: Client, kids: Brand) -> None:
    answer = post_admin_form(operator, kids, logo="https://cdn.example.com/logo.svg")
    assert "from the portal alone" in form_errors(answer)["logo"][0]


def test_the_logos_of_the_portal_are_accepted(operator: Client, kids: Brand) -> None:
    for file in sorted((ROOT / "portal/static/portal/art/brands").glob("*[!k].svg")):
        upload = SimpleUploadedFile(file.name, file.read_bytes())
        assert post_admin_form(operator, kids, logo_upload=upload).status_code == 302, file.name


def test_a_color_with_too_little_contrast_gets_an_error_with_a_suggestion(operator: Client, kids: Brand) -> None:
    answer = post_admin_form(operator, kids, light_onPrimary="#5f9f97", dark_link="#44444c")
    errors = form_errors(answer)
    assert errors["light_onPrimary"][0].startswith("light: text on primary has 2.")
    assert "and needs 4.5. onPrimary #" in errors["light_onPrimary"][0]
    assert errors["dark_link"][0].startswith("dark: link on the page has 1.")
    assert kids.colours["light"]["onPrimary"] == "#ffffff"


@pytest.mark.parametrize("color", ["", "red", "#12345"])
def test_what_is_no_color_gets_an_error(operator: Client, kids: Brand, color: str) -> None:
    answer = post_admin_form(operator, kids, light_primary=color)
    assert answer.status_code == 200
    assert form_errors(answer)
    assert kids.colours["light"]["primary"].startswith("#")


@pytest.mark.parametrize("background", ["#000000", "#ffffff", "#777777", "#ff0000", "#0b6b5f", "#ffd400"])
@pytest.mark.parametrize("colour", ["#000000", "#ffffff", "#777777", "#1d4f91"])
def test_a_readable_color_is_found_for_every_background(colour: str, background: str) -> None:
    found = nearest_readable_color(colour, [Background("text", background, TEXT_CONTRAST)])
    assert found is not None
    assert contrast_ratio(found, background) >= TEXT_CONTRAST


def test_the_suggested_color_is_accepted(operator: Client, kids: Brand) -> None:
    errors = form_errors(post_admin_form(operator, kids, light_onPrimary="#5f9f97"))["light_onPrimary"]
    offered = {re.findall("onPrimary (#[0-9a-f]{6}) would do", line)[0] for line in errors}
    assert (len(errors), len(offered)) == (2, 1)
    assert post_admin_form(operator, kids, light_onPrimary=offered.pop()).status_code == 302


def test_a_background_without_any_readable_color_gets_an_error(operator: Client, kids: Brand) -> None:
    errors = form_errors(post_admin_form(operator, kids, light_primary="#777777", light_onPrimary="#ffffff"))
    assert errors["light_onPrimary"][0].endswith("Make primary darker or lighter.")


def test_every_color_pair_of_every_brand_has_enough_contrast(kids: Brand) -> None:
    table = [
        (brand.code, scheme, pair, contrast_ratio(palette[token], background or palette["primary"]), needed)
        for brand in Brand.objects.all()
        for scheme, palette in brand.colours.items()
        for pair, token, background, needed in (
            ("text on a button", "onPrimary", "", TEXT_CONTRAST),
            ("a link on the page", "link", SURFACES[scheme], TEXT_CONTRAST),
            ("a button on the page", "primary", SURFACES[scheme], CONTROL_CONTRAST),
            ("an accent on the page", "accent", SURFACES[scheme], CONTROL_CONTRAST),
        )
    ]
    assert len(table) == 3 * 2 * 4
    assert [row for row in table if row[3] < row[4]] == []
    assert contrast_failures(default_colors()) == []


def test_the_surfaces_are_those_of_the_app() -> None:
    tokens = (ROOT / "frontend/src/styles/tokens.css").read_text()
    assert all(f"--color-surface-sunken: {background};" in tokens for background in SURFACES.values())


@pytest.mark.shows("security-28")
@pytest.mark.parametrize(
    "url",
    [
        "https://evil.com/",
        "https://example.com.evil.com/",
        "https://evilexample.com/",
        "http://faith.example.com/",
        "https://user@faith.example.com/",
        "https://faith.example.com:8443/",
        "javascript:alert(1)",
        "https://faith.example.com\\@evil.com/",
        "https://evil.com\\.example.com",
        "https://evil.com%2f.example.com/",
        "https://evil.com\t.example.com/",
        "https://evil.com\u3002example.com/",
        "https://faith.example.com/\u202etxt.exe",
    ],
)
def test_a_link_to_another_domain_is_refused(operator: Client, kids: Brand, url: str) -> None:
    assert "terms_url" in form_errors(post_admin_form(operator, kids, terms_url=url))


@pytest.mark.shows("security-28")
def test_a_link_that_is_no_longer_allowed_is_left_out(client: Client, kids: Brand, settings: Settings) -> None:
    settings.LINK_DOMAINS = ["watch.kids.example.com"]
    response = client.get("/api/site", headers={"host": "kids.localhost"}).json()
    assert (response["brand"]["termsUrl"], response["brand"]["helpCentreUrl"]) == ("", "")
    assert [service["streamUrl"] for service in response["services"]] == [
        "",
        "",
        "https://watch.kids.example.com/",
    ]


def test_two_brands_cannot_share_a_host_name(operator: Client, kids: Brand) -> None:
    answer = post_admin_form(operator, kids, host_lines="kids.localhost\ngospel.localhost")
    assert form_errors(answer)["host_lines"] == ["Gospel TV has gospel.localhost already."]


def test_a_brand_that_becomes_the_default_takes_the_place_of_the_one_before(operator: Client, kids: Brand) -> None:
    assert post_admin_form(operator, kids, is_default="on").status_code == 302
    assert list(Brand.objects.filter(is_default=True)) == [kids]
    assert post_admin_form(operator, kids, name="For kids").status_code == 302
    assert list(Brand.objects.filter(is_default=True)) == [kids]


def test_the_unknown_brand_of_the_demo_has_no_links(client: Client, settings: Settings) -> None:
    settings.PORTAL_ENV = "demo"
    call_command("seed_site", verbosity=0)
    brand = client.get("/api/site", headers={"host": "sports.localhost:8000"}).json()["brand"]
    assert (brand["code"], brand["termsUrl"], brand["privacyUrl"], brand["helpCentreUrl"]) == (
        "sports",
        "",
        "",
        "",
    )
    assert Brand.objects.count() == 4


def test_mails_have_the_brand_of_the_last_sign_in(ava: Account, kids: Brand, settings: Settings) -> None:
    settings.BASE_URL = "https://portal.example.com"
    kids.host_names = ["unserved.example.net", "kids.example.com"]
    kids.save()
    settings.ALLOWED_HOSTS = ["portal.example.com", "kids.example.com"]
    for host in ("kids.example.com", "portal.example.com", "kids.example.com"):
        LimitCounter.objects.all().delete()
        SignInClient(APIClient(headers={"host": host})).sign_in()
        queue_mail(
            kind="receipt",
            to=ava.email,
            account=Account.objects.get(),
            context={"title": host, "lines": [], "action_url": "/dashboard?undo=1"},
        )
        send_due_mail()
    sent = [
        (
            message.subject,
            parseaddr(message.from_email)[0],
            re.findall(r": (\S+)/dashboard", str(message.body)),
        )
        for message in mail.outbox
        if not message.subject.endswith("sign-in code")
    ]
    assert sent == [
        ("kids.example.com", "Kids", ["https://kids.example.com"]),
        ("portal.example.com", "Faith & Family", ["https://portal.example.com"]),
        ("kids.example.com", "Kids", ["https://kids.example.com"]),
    ]


def test_subscribers_of_a_deleted_brand_get_the_default_one(ava: Account, kids: Brand) -> None:
    SignInClient(APIClient(headers={"host": "kids.localhost"})).sign_in()
    kids.delete()
    queue_mail(
        kind="receipt",
        to=ava.email,
        account=Account.objects.get(),
        context={"title": "Hello", "lines": []},
    )
    send_due_mail()
    assert parseaddr(mail.outbox[-1].from_email)[0] == "Faith & Family"


def test_a_command_prints_the_url_of_each_brand(
    kids: Brand, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.BASE_URL = "http://127.0.0.1:9000"
    call_command("brands")
    output = capsys.readouterr().out
    assert output.splitlines()[:2] == [
        "Faith & Family [faith-family] (the default: every other host name as well)",
        "  http://faith.localhost:9000/",
    ]
    assert "Kids [kids]\n  http://kids.localhost:9000/\n" in output


def test_the_form_shows_the_contrast_that_the_colors_have(operator: Client, kids: Brand) -> None:
    page = operator.get(reverse("admin:accounts_brand_change", args=[kids.pk]))
    for preview in page.context["previews"]:
        for pair in preview.pairs:
            assert pair.is_readable
            assert f"{pair.shown_ratio}</span> to 1" in page.content.decode()
    assert len([pair for preview in page.context["previews"] for pair in preview.pairs]) == 10
    assert b"brand_colors.js" in page.content


def test_a_logo_is_chosen_among_those_of_the_portal_and_the_uploads(operator: Client, kids: Brand) -> None:
    post_admin_form(operator, kids, logo_upload=png_upload((300, 100)))
    uploaded = Brand.objects.get(pk=kids.pk).logo
    assert post_admin_form(operator, kids, logo="portal/art/brands/faith-family.svg", logo_dark="").status_code == 302
    page = operator.get(reverse("admin:accounts_brand_change", args=[kids.pk])).content.decode()
    for name, path, is_checked in (
        ("logo", "portal/art/brands/faith-family.svg", True),
        ("logo", "portal/art/brands/kids.svg", False),
        ("logo", uploaded, False),
        ("logo_dark", "", True),
    ):
        [radio] = re.findall(rf'<input type="radio" name="{name}" value="{re.escape(path)}"[^>]*>', page)
        assert radio.endswith(" checked>") == is_checked, path
    assert f'<img src="/{uploaded}"' in page
