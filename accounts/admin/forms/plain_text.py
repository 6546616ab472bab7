"""Texts that operators type: no line breaks in a line, and no hidden characters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Field

from accounts.admin.lists.read_only import AnyModelAdmin
from core.text import validate_line, validate_lines


def refuse_hidden_characters(field: object) -> None:
    """Let a text field refuse them, and line breaks unless it has several lines. Other fields stay as they are."""
    if isinstance(field, forms.CharField) and not isinstance(field, forms.JSONField):
        has_lines = isinstance(field.widget, forms.Textarea)
        field.validators.append(validate_lines if has_lines else validate_line)


class PlainTextAdmin(AnyModelAdmin):
    """An admin whose text fields refuse hidden characters: a line of them may be a mail's subject or sender."""

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: Any, **kwargs: Any) -> Any:
        """Return the form field, with the check of its text."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        refuse_hidden_characters(field)
        return field
