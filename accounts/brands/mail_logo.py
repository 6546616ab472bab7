"""The brand's logo in mails: part of the mail itself, so that opening it asks no server for anything."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from email.mime.image import MIMEImage
from pathlib import Path

from django.contrib.staticfiles import finders
from django.core.files.storage import default_storage

from accounts.models import Brand
from accounts.models.site import UPLOADS_PREFIX

CONTENT_ID = "logo"
# The project's own logos: each SVG has a PNG of the same name beside it.
OWN_LOGOS_PREFIX = "portal/art/brands/"
# What mail programs show. Most of them show no SVG, and many no WebP.
_SUBTYPES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif"}


@dataclass(frozen=True, slots=True)
class MailLogo:
    """A logo's bytes and the subtype of their type: `png`."""

    content: bytes
    subtype: str

    def as_attachment(self) -> MIMEImage:
        """Return the part of a mail that its HTML shows at `cid:logo`."""
        part = MIMEImage(self.content, self.subtype)
        part.add_header("Content-ID", f"<{CONTENT_ID}>")
        part.add_header("Content-Disposition", "inline", filename=f"{CONTENT_ID}.{self.subtype}")
        return part

    def as_data_url(self) -> str:
        """Return the logo as an address of its own, for previews in a browser."""
        return f"data:image/{self.subtype};base64,{base64.b64encode(self.content).decode()}"


def find_mail_logo(brand: Brand) -> MailLogo | None:
    """Return the brand's logo in a format of mails; None if it has none, or lies on another server."""
    path = _mail_path(brand.logo)
    subtype = _SUBTYPES.get(Path(path).suffix.lower())
    content = _read_picture(path) if subtype else None
    return MailLogo(content, subtype) if subtype and content else None


def _mail_path(path: str) -> str:
    is_own = path.startswith(OWN_LOGOS_PREFIX) and path.endswith(".svg")
    return f"{path.removesuffix('.svg')}.png" if is_own else path


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
