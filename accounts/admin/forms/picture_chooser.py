"""A field that is chosen among the portal's own pictures, each shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.contrib.staticfiles import finders
from django.core.files.storage import default_storage
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts.brands.pictures import UPLOADED_PATH
from accounts.models.site import UPLOADS_PREFIX, picture_url

# Mails use the PNG beside each of the portal's own logos, which is not a choice of its own.
BUNDLED_SUFFIX = ".svg"
# So many of the uploads are offered at most, the newest first. A stored one is always among the choices.
MAX_UPLOADS = 24


class PictureChooser(forms.RadioSelect):
    """Radio buttons with a picture each; with none as well, unless a picture is required."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Return the choices as HTML, with the project's own template."""
        return render_to_string("admin/accounts/picture_chooser.html", self.get_context(name, value, attrs))

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the option with the URL of its picture."""
        option = super().create_option(name, value, *args, **kwargs)
        return {**option, "picture": picture_url(str(value)) if value else ""}


def picture_choices(folder: str, *, stored: str, is_required: bool) -> list[tuple[str, str]]:
    """Return the paths of the pictures of a static folder and of uploads, with words for each."""
    paths = dict.fromkeys([*sorted(_bundled_paths(folder)), *([stored] if stored else []), *_uploaded_paths()])
    none = [] if is_required else [("", "None")]
    return [*none, *((path, _describe_picture(path)) for path in paths)]


def _bundled_paths(folder: str) -> Iterator[str]:
    for finder in finders.get_finders():
        for path, _storage in finder.list([]):
            if path.startswith(folder) and path.endswith(BUNDLED_SUFFIX):
                yield path


def _uploaded_paths() -> list[str]:
    if not default_storage.exists(UPLOADS_PREFIX):
        return []
    _folders, names = default_storage.listdir(UPLOADS_PREFIX)
    paths = [path for path in (f"{UPLOADS_PREFIX}{name}" for name in names) if UPLOADED_PATH.fullmatch(path)]
    return sorted(paths, key=default_storage.get_modified_time, reverse=True)[:MAX_UPLOADS]


def _describe_picture(path: str) -> str:
    if not path.startswith(UPLOADS_PREFIX):
        return PurePosixPath(path).stem.replace("-", " ")
    return f"Upload of {default_storage.get_modified_time(path):%Y-%m-%d}" if default_storage.exists(path) else path
