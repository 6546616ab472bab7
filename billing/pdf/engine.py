"""The WeasyPrint side of drawing, set up once per process.

Importing this module imports WeasyPrint (0.3 s, 26 MB): `render` does so on first use only. Style sheet, fonts and
configuration are parsed once and shared, because parsing them per document costs half as much again and leaks.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from PIL import ImageFile
from weasyprint import CSS, HTML
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher, URLFetcherResponse

from billing.pdf.assets import PROJECT_ROOT, SCHEME, locate

STYLE_SHEET = PROJECT_ROOT / "templates" / "billing" / "invoice.css"
PDF_VARIANT = "pdf/ua-1"

# WeasyPrint has Pillow take half a picture for a whole one, in the whole process: an upload that was cut short would
# pass its check. What is printed here is bundled, and whole.
ImageFile.LOAD_TRUNCATED_IMAGES = False

# Pango's font map behind the shared FontConfiguration is not made for two threads at once.
_ONE_AT_A_TIME = Lock()


class BundledFetcher(URLFetcher):  # type: ignore[misc]  # WeasyPrint ships no types
    """Opens bundled files and refuses every other address without touching network or file system."""

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
        """Return the bundled file at `url`; raises `AssetRefused`, which leaves the resource out of the document."""
        path, content_type = locate(url)
        return URLFetcherResponse(url, path.read_bytes(), {"Content-Type": content_type})


@dataclass(frozen=True, slots=True)
class _Press:
    """What every document of this process is printed with."""

    fetcher: BundledFetcher
    fonts: FontConfiguration
    style: CSS


@cache
def _press() -> _Press:
    fetcher = BundledFetcher(allowed_protocols=(SCHEME,), allow_redirects=False)
    fonts = FontConfiguration()
    style = CSS(
        string=Path(STYLE_SHEET).read_text(encoding="utf-8"),
        base_url=f"{SCHEME}://static/",
        url_fetcher=fetcher,
        font_config=fonts,
    )
    return _Press(fetcher=fetcher, fonts=fonts, style=style)


def print_html(html: str) -> bytes:
    """Return `html` as tagged PDF/UA; the same text gives the same bytes.

    It has no file identifier, which neither PDF 1.7 nor PDF/UA asks for: for its sake all is put together twice.
    """
    with _ONE_AT_A_TIME:
        press = _press()
        page = HTML(string=html, base_url=f"{SCHEME}://static/", url_fetcher=press.fetcher)
        pdf: bytes = page.write_pdf(
            stylesheets=[press.style],
            font_config=press.fonts,
            pdf_variant=PDF_VARIANT,
            custom_metadata=True,
        )
    return pdf
