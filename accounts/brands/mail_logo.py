"""The brand's logo in mails: part of the mail itself, so that opening it asks no server for anything."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import dataclass
from email.mime.image import MIMEImage
from pathlib import Path, PurePosixPath

import resvg_py
from django.contrib.staticfiles import finders
from django.core.files.storage import default_storage
from PIL import Image

from accounts.models import Brand
from accounts.models.site import UPLOADS_PREFIX

CONTENT_ID = "logo"
# The project's own logos: each SVG has a PNG of the same name beside it.
OWN_LOGOS_PREFIX = "portal/art/brands/"
# Most mail programs show no SVG, and many no WebP. Three times the 36 pixels at which `mail/base.html` shows it.
MAIL_HEIGHT = 108
_TEXT = re.compile(rb"<(?:[\w.-]+:)?text\b")


@dataclass(frozen=True, slots=True)
class MailLogo:
    """A logo as a PNG."""

    content: bytes

    def as_attachment(self) -> MIMEImage:
        """Return the part of a mail that its HTML shows at `cid:logo`."""
        part = MIMEImage(self.content, "png")
        part.add_header("Content-ID", f"<{CONTENT_ID}>")
        part.add_header("Content-Disposition", "inline", filename=f"{CONTENT_ID}.png")
        return part

    def as_data_url(self) -> str:
        """Return the logo as an address of its own, for previews in a browser."""
        return f"data:image/png;base64,{base64.b64encode(self.content).decode()}"


def find_mail_logo(brand: Brand) -> MailLogo | None:
    """Return the brand's logo as mails show it; None if it has none that they can show."""
    path = mail_logo_path(brand.logo)
    content = _read_picture(path) if path.endswith(".png") else None
    return MailLogo(content) if content else None


def mail_logo_path(path: str) -> str:
    """Return where the PNG lies that mails show for a logo; the logo's own path if there is none."""
    if path.startswith(UPLOADS_PREFIX):
        return f"{PurePosixPath(path).with_suffix('')}-mail.png"
    is_own = path.startswith(OWN_LOGOS_PREFIX) and path.endswith(".svg")
    return f"{path.removesuffix('.svg')}.png" if is_own else path


def draw_svg_for_mail(content: bytes) -> bytes | None:
    """Return a checked SVG logo as a PNG; None if it has text, which needs fonts that this machine may not have.

    Raises ValueError if it cannot be drawn.
    """
    if _TEXT.search(content):
        return None
    return resvg_py.svg_to_bytes(svg_string=content.decode("utf-8-sig"), height=MAIL_HEIGHT, skip_system_fonts=True)


def draw_raster_for_mail(content: bytes) -> bytes:
    """Return a checked raster logo as a PNG of the size that mails need."""
    with Image.open(io.BytesIO(content)) as picture:
        width = round(picture.width * MAIL_HEIGHT / picture.height)
        drawn = io.BytesIO()
        picture.convert("RGBA").resize((width, MAIL_HEIGHT), Image.Resampling.LANCZOS).save(drawn, "PNG", optimize=True)
    return drawn.getvalue()


def _read_picture(path: str) -> bytes | None:
    """Return an uploaded picture or a static file; None if it is on another server or missing."""
    if path.startswith("https://"):
        return None
    if path.startswith(UPLOADS_PREFIX):
        return _read_upload(path)
    found = finders.find(path)
    return Path(found).read_bytes() if isinstance(found, str) else None


def _read_upload(path: str) -> bytes | None:
    # A mail without its logo is better than none.
    try:
        with default_storage.open(path) as file:
            return bytes(file.read())
    except OSError:
        return None
