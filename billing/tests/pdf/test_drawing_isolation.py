"""Rendering an invoice touches neither the network nor files other than the bundled assets."""

import io
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader

from billing.pdf.engine import print_html
from billing.pdf.invoice_data import BrandMark, DiscountLine, InvoiceLine, Party
from billing.pdf.render import render_html, render_invoice
from billing.tests.pdf.sample_invoices import AVA_INVOICE, drawn_text, invoice_for

SECRET = "the-contents-of-a-private-file"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A listening socket whose `accept` raises at once when there is no connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server


def listener_url(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.shows("security-37")
@pytest.mark.parametrize(
    "markup",
    [
        '<img src="{0}/x.svg">',
        '<link rel="stylesheet" href="{0}/x.css">',
        '<link rel="attachment" href="{0}/x.txt">',
        '<object data="{0}/x.svg" type="image/svg+xml"></object>',
        '<embed src="{0}/x.svg">',
        '<p style="background: url({0}/x.png)">x</p>',
        "<style>@import url({0}/x.css); @font-face {{ font-family: x; src: url({0}/x.woff2) }}</style>",
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="{0}/x.png" width="9" height="9"/></svg>',
    ],
)
def test_no_markup_makes_a_network_request(listener: socket.socket, markup: str) -> None:
    print_html(f"<html lang='en'><title>t</title>{markup.format(listener_url(listener))}")

    with pytest.raises(BlockingIOError):
        listener.accept()


def test_no_invoice_field_makes_a_network_request(listener: socket.socket) -> None:
    image = f'<img src="{listener_url(listener)}/x.svg">'
    document = replace(
        AVA_INVOICE,
        number=image,
        brand=BrandMark(name=image, logo=f"{listener_url(listener)}/x.svg", colour=f"url({listener_url(listener)}/x)"),
        seller=Party(name=image, email=image, address=(image,), tax_id=image),
        subscriber=Party(name=image, email=image, address=(image,), tax_id=image),
        lines=(InvoiceLine(image, 699, 699),),
        discounts=(DiscountLine(image, 1),),
        notes=(image,),
    )

    render_invoice(document)

    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.shows("security-37")
@pytest.mark.parametrize(
    "markup",
    [
        '<img src="{0}">',
        '<object data="{0}"></object>',
        '<link rel="attachment" href="{0}">',
        '<a rel="attachment" href="{0}">x</a>',
        '<link rel="stylesheet" href="{0}">',
    ],
)
def test_no_markup_includes_a_local_file(tmp_path: Path, markup: str) -> None:
    secret = tmp_path / "secret.svg"
    secret.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><text y="9">{SECRET}</text></svg>')
    pdf = print_html(f"<html lang='en'><title>t</title>{markup.format(secret.as_uri())}")
    reader = PdfReader(io.BytesIO(pdf))

    assert reader.attachments == {}
    assert SECRET not in reader.pages[0].extract_text()


@pytest.mark.parametrize(
    "logo", ["file:///etc/passwd", "/etc/passwd", "../../../../etc/passwd", "data:image/svg+xml,<svg/>"]
)
def test_a_logo_that_is_not_bundled_is_replaced_by_the_name(logo: str) -> None:
    html = render_html(replace(AVA_INVOICE, brand=BrandMark(name="Somebody", logo=logo)))

    assert "<img" not in html
    assert "Somebody" in html


@pytest.mark.shows("security-24")
@pytest.mark.parametrize(
    "name",
    [
        "<img src=http://127.0.0.1/x>",
        "<script>alert(1)</script>",
        "{{ seller.tax_id }}",
        "</title><b>bold</b>",
        '"><img src=x onerror=alert(1)>',
    ],
)
def test_a_name_with_markup_is_printed_literally(name: str) -> None:
    assert name.replace(" ", "") in drawn_text(invoice_for(name)).replace(" ", "")


@pytest.mark.parametrize("colour", ["red; background: url(http://127.0.0.1/x)", '#fff" onload="x', "#12345g", ""])
def test_an_invalid_color_falls_back_to_the_default(colour: str) -> None:
    html = render_html(replace(AVA_INVOICE, brand=BrandMark(name="Somebody", colour=colour)))

    assert 'style="background: #2c3440"' in html
