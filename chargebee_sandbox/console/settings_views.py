"""The console's page of the site's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_POST, require_safe

from chargebee_sandbox import site_settings
from chargebee_sandbox.console import layout
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.site_settings import SiteSettings

_FIELDS = {field.name: field for field in SiteSettings._meta.fields}
_YES_OR_NO = (("false", "No"), ("true", "Yes"))


@dataclass(frozen=True, slots=True)
class SettingField:
    """A setting as the form shows it; without choices it is text."""

    name: str
    label: str
    help_text: str
    value: str
    choices: tuple[tuple[str, str], ...]
    error: str


@require_safe
@csrf_protect
def settings_page(request: HttpRequest) -> HttpResponse:
    """Show the settings in a form."""
    return _render_settings(request, {})


@require_POST
@csrf_protect
def change_settings(request: HttpRequest) -> HttpResponse:
    """Store the settings of the form."""
    values = {name: str(request.POST[name]) for name in site_settings.SETTING_NAMES if name in request.POST}
    try:
        with hold_write_lock():
            site_settings.change_settings(values)
    except ValidationError as error:
        return _render_settings(request, values, error.message_dict, status=400)
    return HttpResponseRedirect(reverse("console:settings"))


@require_POST
@csrf_protect
def reset_settings(request: HttpRequest) -> HttpResponse:
    """Return to the settings of the environment."""
    with hold_write_lock():
        site_settings.reset_settings()
    return HttpResponseRedirect(reverse("console:settings"))


def _render_settings(
    request: HttpRequest, values: Mapping[str, str], errors: Mapping[str, list[str]] | None = None, *, status: int = 200
) -> HttpResponse:
    site = site_settings.load_settings()
    shown = {name: values.get(name, _as_text(getattr(site, name))) for name in site_settings.SETTING_NAMES}
    context = {
        "fields": [_setting_field(name, value, (errors or {}).get(name, [])) for name, value in shown.items()],
        "has_errors": bool(errors),
        "is_changed": SiteSettings.objects.exists(),
    }
    return layout.render_page(request, "settings.html", context, tab="settings", status=status)


def _setting_field(name: str, value: str, errors: list[str]) -> SettingField:
    field = _FIELDS[name]
    choices = _YES_OR_NO if isinstance(field, models.BooleanField) else tuple(field.flatchoices)
    texts = [(str(code), str(words)) for code, words in choices]
    return SettingField(name, str(field.verbose_name), str(field.help_text), value, tuple(texts), " ".join(errors))


def _as_text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case _:
            return str(value)
