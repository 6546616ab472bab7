"""A form with pictures, each given by a path or uploaded."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.exceptions import ValidationError

from accounts.admin.forms.plain_text import refuse_hidden_characters
from accounts.admin.forms.seen_rows import SeenRowForm
from accounts.brands.pictures import (
    PictureShape,
    PictureUpload,
    UploadedFile,
    check_picture_path,
    check_picture_upload,
)


def upload_field_name(name: str) -> str:
    """Return the name of the file field for this picture."""
    return f"{name}_upload"


class PictureForm(SeenRowForm):
    """A model form with pictures, which are stored after the whole form is valid.

    A subclass declares a file field `upload_field_name(name)` for each of its `pictures`.
    """

    pictures: ClassVar[tuple[str, ...]]
    shape: ClassVar[PictureShape]
    pictures_required: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.uploads: dict[str, PictureUpload] = {}
        for field in self.fields.values():
            refuse_hidden_characters(field)

    def clean(self) -> dict[str, Any]:
        """Check every picture, and replace its path if one was uploaded."""
        cleaned = super().clean() or self.cleaned_data
        for name in self.pictures:
            try:
                cleaned[name] = self._clean_picture_path(name, cleaned)
            except ValidationError as error:
                self.add_error(upload_field_name(name) if cleaned.get(upload_field_name(name)) else name, error)
        return cleaned

    def check_upload(self, file: UploadedFile) -> PictureUpload:
        """Return the upload if it is valid. Raises ValidationError."""
        return check_picture_upload(file, self.shape)

    def store_uploads(self) -> None:
        """Store the uploaded pictures."""
        for upload in self.uploads.values():
            upload.store_file()

    def _clean_picture_path(self, name: str, cleaned: dict[str, Any]) -> str:
        file = cleaned.get(upload_field_name(name))
        if file:
            self.uploads[name] = self.check_upload(file)
            return self.uploads[name].stored_path
        path: str = cleaned.get(name) or ""
        if self.pictures_required and not path:
            raise ValidationError("Name a picture, or upload one.")
        # An unchanged path was checked when it was saved.
        if path and path != self.initial.get(name):
            check_picture_path(path, self.shape)
        return path
