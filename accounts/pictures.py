"""Pictures that operators choose: an upload is checked, named by its content and kept; a bundled one is found."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile as DjangoUploadedFile
from django.template.defaultfilters import filesizeformat
from PIL import Image, UnidentifiedImageError

from accounts import svg
from accounts.models.site import UPLOADED, validate_picture

if TYPE_CHECKING:
    UploadedFile = DjangoUploadedFile[bytes]
else:
    UploadedFile = DjangoUploadedFile

# What browsers draw everywhere. SVG may hold scripts: only a logo may be one, and only a drawing (`accounts.svg`).
SUFFIXES = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}
SVG = "svg"
MOST_BYTES = 1024 * 1024
MOST_BYTES_OF_LOGO = 256 * 1024  # every page of the brand loads it
UPLOADED_PLACE = re.compile(rf"{UPLOADED}[0-9a-f]{{32}}\.(?:{'|'.join((*SUFFIXES.values(), SVG))})")
_TYPES = {"jpg": "jpeg", SVG: "svg+xml"}
_SVG_SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="[\d.-]+[ ,][\d.-]+[ ,]([\d.]+)[ ,]([\d.]+)"')


@dataclass(frozen=True)
class Shape:
    """What a picture must be to stand in its place: pixels, and how wide for its height."""

    least: tuple[int, int]
    most: tuple[int, int]

    def check(self, width: int, height: int) -> None:
        """Raise ValidationError for a picture that is too small, too large or of another shape."""
        if width < self.least[0] or height < self.least[1]:
            raise ValidationError(
                f"The picture is {width} by {height} pixels; it needs at least {_pixels(self.least)}."
            )
        if width > self.most[0] or height > self.most[1]:
            raise ValidationError(
                f"The picture is {width} by {height} pixels; it may have at most {_pixels(self.most)}."
            )
        self.check_ratio(width, height)

    def check_ratio(self, width: float, height: float) -> None:
        """Raise ValidationError for a picture that would be cut: more than a twentieth too wide or too tall."""
        wanted = self.least[0] / self.least[1]
        if abs(width / height - wanted) > wanted / 20:
            raise ValidationError(
                f"The picture is {width:g} by {height:g}; it must be upright, 2 wide to 3 high, or it would be cut."
            )


class LogoShape(Shape):
    """A logo: drawn 36 px high and at most six times as wide, on screens with twice or thrice the pixels."""

    def check_ratio(self, width: float, height: float) -> None:
        """Raise ValidationError for a logo that is higher than wide, or too wide to be read at its height."""
        if not 1 <= width / height <= 6:
            raise ValidationError(
                f"The logo is {width:g} by {height:g}; it must be as wide as high, up to six times as wide."
            )


POSTER = Shape(least=(400, 600), most=(2000, 3000))
LOGO = LogoShape(least=(72, 72), most=(3000, 1000))


@dataclass(frozen=True)
class Upload:
    """An uploaded picture that was checked and is not kept yet."""

    content: bytes
    suffix: str

    @property
    def place(self) -> str:
        """Where it is kept: by its content, so that a picture may be cached for ever and is stored once."""
        return f"{UPLOADED}{hashlib.sha256(self.content).hexdigest()[:32]}.{self.suffix}"

    @property
    def inline(self) -> str:
        """The picture as an address that holds it, to show it before it is kept."""
        kind = _TYPES.get(self.suffix, self.suffix)
        return f"data:image/{kind};base64,{base64.b64encode(self.content).decode()}"

    def keep(self) -> str:
        """Store it, unless it is stored already; return its place."""
        if not default_storage.exists(self.place):
            default_storage.save(self.place, ContentFile(self.content))
        return self.place


def checked_logo(file: UploadedFile) -> Upload:
    """Return an uploaded logo, SVG or pixels, once it is found right. Raises ValidationError."""
    content = _content_of(file, MOST_BYTES_OF_LOGO)
    if not svg.is_svg(content):
        return checked_upload(file, LOGO)
    LOGO.check_ratio(*svg.measured(content))
    return Upload(content, SVG)


def _content_of(file: UploadedFile, most: int) -> bytes:
    size = file.size or 0
    if size > most:
        raise ValidationError(
            f"The file has {filesizeformat(size)}; it may have at most {filesizeformat(most)}."
        )
    content: bytes = file.read()
    file.seek(0)
    return content


def checked_upload(file: UploadedFile, shape: Shape) -> Upload:
    """Return an uploaded picture once its size, its type and its pixels are found right. Raises ValidationError."""
    content = _content_of(file, MOST_BYTES)
    try:
        with Image.open(file, formats=list(SUFFIXES)) as picture:
            suffix = SUFFIXES[str(picture.format)]
            shape.check(*picture.size)
            picture.load()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise ValidationError(
            "This is not a whole JPEG, PNG or WebP picture, whatever its name says."
        ) from error
    return Upload(content, suffix)


def check_place(place: str, shape: Shape) -> None:
    """Raise ValidationError for a place where the portal has no picture of this shape.

    An address elsewhere is refused: the pages' Content-Security-Policy loads pictures from the portal alone.
    """
    validate_picture(place)
    if place.startswith("https://"):
        raise ValidationError("Subscribers' browsers load pictures from the portal alone: upload this one.")
    if place.startswith(UPLOADED):
        if not (UPLOADED_PLACE.fullmatch(place) and default_storage.exists(place)):
            raise ValidationError("There is no such uploaded picture: upload it again.")
        return
    found = finders.find(place)
    if found is None:
        raise ValidationError("There is no such picture among the portal's files.")
    _check_bundled(Path(found), shape)


def _check_bundled(file: Path, shape: Shape) -> None:
    if file.suffix == ".svg":
        size = _SVG_SIZE.search(file.read_text())
        if size is not None:
            shape.check_ratio(float(size[1]), float(size[2]))
        return
    try:
        with Image.open(file, formats=list(SUFFIXES)) as picture:
            shape.check(*picture.size)
    except UnidentifiedImageError as error:
        raise ValidationError("This file is not a JPEG, PNG, WebP or SVG picture.") from error


def _pixels(size: tuple[int, int]) -> str:
    return f"{size[0]} by {size[1]}"
