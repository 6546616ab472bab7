"""A form whose pictures are named or uploaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from accounts.pictures import Shape, Upload, UploadedFile, check_place, checked_upload

if TYPE_CHECKING:
    AnyModelForm = forms.ModelForm[Any]
else:
    AnyModelForm = forms.ModelForm


def upload_of(name: str) -> str:
    """Return the name of the field that takes an upload in place of this picture."""
    return f"{name}_upload"


class PictureForm(AnyModelForm):
    """Something with pictures; nothing is stored before all of it is right.

    Whoever derives from it declares a file field `upload_of(name)` for each of the `pictures`.
    """

    pictures: ClassVar[tuple[str, ...]]
    shape: ClassVar[Shape]
    all_needed: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.uploads: dict[str, Upload] = {}

    def clean(self) -> dict[str, Any]:
        """Check every picture, and take an upload in place of what stood there."""
        cleaned = super().clean() or self.cleaned_data
        for name in self.pictures:
            try:
                cleaned[name] = self._checked(name, cleaned)
            except ValidationError as error:
                self.add_error(upload_of(name) if cleaned.get(upload_of(name)) else name, error)
        return cleaned

    def check_upload(self, file: UploadedFile) -> Upload:
        """Return the upload once it is found right. Raises ValidationError."""
        return checked_upload(file, self.shape)

    def keep_uploads(self) -> None:
        """Store what was uploaded."""
        for upload in self.uploads.values():
            upload.keep()

    def _checked(self, name: str, cleaned: dict[str, Any]) -> str:
        file = cleaned.get(upload_of(name))
        if file:
            self.uploads[name] = self.check_upload(file)
            return self.uploads[name].place
        place: str = cleaned.get(name) or ""
        if self.all_needed and not place:
            raise ValidationError("Name a picture, or upload one.")
        # What stands there already was found right when it was put there.
        if place and place != self.initial.get(name):
            check_place(place, self.shape)
        return place
