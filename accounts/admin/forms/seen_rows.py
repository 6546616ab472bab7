"""Forms that are not saved over what another operator has saved since the page was opened."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest

from accounts.admin.lists.read_only import AnyModelAdmin

if TYPE_CHECKING:
    AnyModelForm = forms.ModelForm[Any]
else:
    AnyModelForm = forms.ModelForm

SEEN_VERSION = "seen_version"


class SeenRowForm(AnyModelForm):
    """A form of a row, which knows what the row held when the page was opened."""

    seen_version = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._version = _row_version(self.instance)
        self.initial[SEEN_VERSION] = self._version

    def clean(self) -> dict[str, Any]:
        """Refuse a page that is out of date. Raises ValidationError."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get(SEEN_VERSION) not in (None, "", self._version):
            raise ValidationError(
                "Somebody has changed this since you opened the page. Nothing was saved: open it again."
            )
        return cleaned


class SeenRowAdmin(AnyModelAdmin):
    """An admin whose form, a `SeenRowForm`, has the version of the row that it shows."""

    form: Any = SeenRowForm

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Add the version to the last group of fields, of a row that the operator may change."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or not self.has_change_permission(request, obj):
            return fieldsets
        *others, (name, options) = fieldsets
        return (*others, (name, {**options, "fields": (*options["fields"], SEEN_VERSION)}))


def _row_version(row: models.Model) -> str:
    """Return a digest of all that a row holds."""
    values = [f"{field.attname}={field.value_to_string(row)}" for field in row._meta.concrete_fields]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()
