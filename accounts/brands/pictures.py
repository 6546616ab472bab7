"""Pictures that operators choose: uploads, checked and stored by content hash, or files bundled with the portal."""

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

from accounts.brands import svg
from accounts.brands.mail_logo import draw_raster_for_mail, draw_svg_for_mail, mail_logo_path
from accounts.models.site import UPLOADS_PREFIX, validate_picture

if TYPE_CHECKING:
    UploadedFile = DjangoUploadedFile[bytes]
else:
    UploadedFile = DjangoUploadedFile

# Formats that every browser supports. An SVG may contain scripts: only a logo may be one, after the checks of `svg.py`.
SUFFIX_BY_FORMAT = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}
SVG_SUFFIX = "svg"
MAX_PICTURE_BYTES = 1024 * 1024
MAX_LOGO_BYTES = 256 * 1024  # every page loads the logo
UPLOADED_PATH = re.compile(rf"{UPLOADS_PREFIX}[0-9a-f]{{32}}\.(?:{'|'.join((*SUFFIX_BY_FORMAT.values(), SVG_SUFFIX))})")
_MEDIA_SUBTYPES = {"jpg": "jpeg", SVG_SUFFIX: "svg+xml"}
_SVG_VIEW_BOX = re.compile(r'<svg\b[^>]*?\bviewBox="[\d.-]+[ ,][\d.-]+[ ,]([\d.]+)[ ,]([\d.]+)"')


@dataclass(frozen=True)
class PictureShape:
    """The limits of a picture's size in pixels (width, height), whose ratio is that of `min_size`."""

    min_size: tuple[int, int]
    max_size: tuple[int, int]

    def check_size(self, width: int, height: int) -> None:
        """Raise ValidationError if the picture is too small, too large or has another ratio."""
        if width < self.min_size[0] or height < self.min_size[1]:
            raise ValidationError(
                f"The picture is {width} by {height} pixels; it needs at least {_format_pixels(self.min_size)}."
            )
        if width > self.max_size[0] or height > self.max_size[1]:
            raise ValidationError(
                f"The picture is {width} by {height} pixels; it may have at most {_format_pixels(self.max_size)}."
            )
        self.check_ratio(width, height)

    def check_ratio(self, width: float, height: float) -> None:
        """Raise ValidationError if the ratio is off by more than 5 %, because the picture would be cropped."""
        ratio = self.min_size[0] / self.min_size[1]
        if abs(width / height - ratio) > ratio / 20:
            raise ValidationError(
                f"The picture is {width:g} by {height:g}; it must be upright, 2 wide to 3 high, or it would be cut."
            )


class LogoShape(PictureShape):
    """The limits of a logo, which is shown 36 px high and up to six times as wide, at 2x or 3x resolution."""

    def check_ratio(self, width: float, height: float) -> None:
        """Raise ValidationError if the logo is taller than wide, or too wide to be legible."""
        if not 1 <= width / height <= 6:
            raise ValidationError(
                f"The logo is {width:g} by {height:g}; it must be as wide as high, up to six times as wide."
            )


POSTER_SHAPE = PictureShape(min_size=(400, 600), max_size=(2000, 3000))
LOGO_SHAPE = LogoShape(min_size=(72, 72), max_size=(3000, 1000))


@dataclass(frozen=True)
class PictureUpload:
    """A valid uploaded picture that is not stored yet."""

    content: bytes
    suffix: str

    @property
    def stored_path(self) -> str:
        """The path by content hash, so that a picture is stored once and may be cached forever."""
        return f"{UPLOADS_PREFIX}{hashlib.sha256(self.content).hexdigest()[:32]}.{self.suffix}"

    @property
    def data_url(self) -> str:
        """The picture as a data URL, for a preview before it is stored."""
        subtype = _MEDIA_SUBTYPES.get(self.suffix, self.suffix)
        return f"data:image/{subtype};base64,{base64.b64encode(self.content).decode()}"

    def store_file(self) -> None:
        """Store the picture unless it is stored already."""
        _store_once(self.stored_path, self.content)


@dataclass(frozen=True)
class LogoUpload(PictureUpload):
    """A valid uploaded logo, and how mails show it: `for_mail` is a PNG, or None if they show the brand's name."""

    for_mail: bytes | None

    def store_file(self) -> None:
        """Store the logo and what mails show of it, unless they are stored already."""
        if self.for_mail is not None:
            _store_once(mail_logo_path(self.stored_path), self.for_mail)
        super().store_file()


def _store_once(path: str, content: bytes) -> None:
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(content))


def check_logo_upload(file: UploadedFile) -> LogoUpload:
    """Return an uploaded logo, SVG or raster, if it is valid. Raises ValidationError."""
    content = _read_content(file, MAX_LOGO_BYTES)
    if not svg.is_svg(content):
        raster = check_picture_upload(file, LOGO_SHAPE)
        return LogoUpload(raster.content, raster.suffix, draw_raster_for_mail(raster.content))
    LOGO_SHAPE.check_ratio(*svg.measure_svg(content))
    try:
        return LogoUpload(content, SVG_SUFFIX, draw_svg_for_mail(content))
    except ValueError as error:
        raise ValidationError("This SVG cannot be drawn.") from error


def _read_content(file: UploadedFile, max_bytes: int) -> bytes:
    size = file.size or 0
    if size > max_bytes:
        raise ValidationError(f"The file has {filesizeformat(size)}; it may have at most {filesizeformat(max_bytes)}.")
    content: bytes = file.read()
    file.seek(0)
    return content


def check_picture_upload(file: UploadedFile, shape: PictureShape) -> PictureUpload:
    """Return an uploaded picture if its size, format and dimensions are valid. Raises ValidationError."""
    content = _read_content(file, MAX_PICTURE_BYTES)
    try:
        with Image.open(file, formats=list(SUFFIX_BY_FORMAT)) as picture:
            suffix = SUFFIX_BY_FORMAT[str(picture.format)]
            shape.check_size(*picture.size)
            picture.load()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise ValidationError("This is not a whole JPEG, PNG or WebP picture, whatever its name says.") from error
    return PictureUpload(content, suffix)


def check_picture_path(path: str, shape: PictureShape) -> None:
    """Raise ValidationError unless the path names an upload or a static file of this shape.

    Other hosts are refused, because the Content-Security-Policy allows pictures only from the portal.
    """
    validate_picture(path)
    if path.startswith("https://"):
        raise ValidationError("Subscribers' browsers load pictures from the portal alone: upload this one.")
    if path.startswith(UPLOADS_PREFIX):
        if not (UPLOADED_PATH.fullmatch(path) and default_storage.exists(path)):
            raise ValidationError("There is no such uploaded picture: upload it again.")
        return
    static_file = finders.find(path)
    if static_file is None:
        raise ValidationError("There is no such picture among the portal's files.")
    _check_bundled_file(Path(static_file), shape)


def _check_bundled_file(file: Path, shape: PictureShape) -> None:
    if file.suffix == ".svg":
        size = _SVG_VIEW_BOX.search(file.read_text())
        if size is not None:
            shape.check_ratio(float(size[1]), float(size[2]))
        return
    try:
        with Image.open(file, formats=list(SUFFIX_BY_FORMAT)) as picture:
            shape.check_size(*picture.size)
    except UnidentifiedImageError as error:
        raise ValidationError("This file is not a JPEG, PNG, WebP or SVG picture.") from error


def _format_pixels(size: tuple[int, int]) -> str:
    return f"{size[0]} by {size[1]}"
