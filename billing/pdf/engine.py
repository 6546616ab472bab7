"""WeasyPrint, set up once per process.

Importing this module imports WeasyPrint (0.3 s, 26 MB), so `render` imports it on first use only. Style sheet, fonts
and configuration are parsed once and shared: parsing them for each PDF takes half as long again and leaks memory.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from PIL import ImageFile
from weasyprint import CSS, HTML
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher, URLFetcherResponse

from billing.pdf.assets import PROJECT_ROOT, SCHEME, locate_asset

STYLE_SHEET = PROJECT_ROOT / "templates" / "billing" / "pdf_page.css"
PDF_VARIANT = "pdf/ua-1"

# WeasyPrint lets Pillow load truncated images, in the whole process. Truncated uploads would then pass validation, and
# bundled artwork is never truncated.
ImageFile.LOAD_TRUNCATED_IMAGES = False

# Pango's font map behind the shared FontConfiguration is not thread-safe.
_PRINT_LOCK = Lock()


class BundledFetcher(URLFetcher):  # type: ignore[misc]  # WeasyPrint ships no types
    """Opens bundled files, and refuses every other URL without touching network or file system."""

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
        """Return the bundled file at `url`. Raises AssetRefused, which leaves the resource out of the PDF."""
        path, content_type = locate_asset(url)
        return URLFetcherResponse(url, path.read_bytes(), {"Content-Type": content_type})


@dataclass(frozen=True, slots=True)
class _PrintSetup:
    """The fetcher, fonts and style sheet shared by all PDFs of this process."""

    fetcher: BundledFetcher
    fonts: FontConfiguration
    style: CSS


@cache
def _load_print_setup() -> _PrintSetup:
    fetcher = BundledFetcher(allowed_protocols=(SCHEME,), allow_redirects=False)
    fonts = FontConfiguration()
    style = CSS(
        string=Path(STYLE_SHEET).read_text(encoding="utf-8"),
        base_url=f"{SCHEME}://static/",
        url_fetcher=fetcher,
        font_config=fonts,
    )
    return _PrintSetup(fetcher=fetcher, fonts=fonts, style=style)


def print_html(html: str) -> bytes:
    """Return `html` as tagged PDF/UA; the same text gives the same bytes.

    There is no file identifier: neither PDF 1.7 nor PDF/UA requires one, and WeasyPrint would build the file twice.
    """
    with _PRINT_LOCK:
        setup = _load_print_setup()
        page = HTML(string=html, base_url=f"{SCHEME}://static/", url_fetcher=setup.fetcher)
        pdf: bytes = page.write_pdf(
            stylesheets=[setup.style],
            font_config=setup.fonts,
            pdf_variant=PDF_VARIANT,
            custom_metadata=True,
        )
    return pdf
