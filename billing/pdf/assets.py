"""The only files a PDF may use: artwork and fonts bundled with the project.

The renderer's own fetcher would open `http://` and `file://` URLs. Names and logos come from outside, so they must not
be able to make this process open anything (OWASP ASVS 13.2.4).
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

PROJECT_ROOT = Path(__file__).resolve().parents[2]
STATIC_ROOT = PROJECT_ROOT / "portal" / "static"
FONT_ROOT = Path(__file__).resolve().parent / "fonts"

SCHEME = "bundled"
STATIC_PREFIX = "/static/"

_ROOTS = {"static": STATIC_ROOT, "fonts": FONT_ROOT}
_CONTENT_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2"}


class AssetRefused(ValueError):
    """The address names no bundled file; nothing was opened."""


def logo_address(logo: str | None) -> str | None:
    """Return the `bundled:` address of a logo given as static path or URL, None when it is not bundled."""
    if not logo:
        return None
    address = f"{SCHEME}://static/{logo.removeprefix(STATIC_PREFIX).lstrip('/')}"
    try:
        locate_asset(address)
    except AssetRefused:
        return None
    return address


def locate_asset(address: str) -> tuple[Path, str]:
    """Return the file and content type of a `bundled://<root>/<path>` address. Raises AssetRefused."""
    parts = _split_address(address)
    root = _ROOTS.get(parts[1]) if parts[0] == SCHEME else None
    if root is None:
        raise AssetRefused(f"not a bundled address: {address!r}")
    path = (root / parts[2].lstrip("/")).resolve()
    content_type = _CONTENT_TYPES.get(path.suffix)
    if content_type is None or not path.is_relative_to(root) or not path.is_file():
        raise AssetRefused(f"nothing bundled at {address!r}")
    return path, content_type


def _split_address(address: str) -> tuple[str, str, str]:
    """Return the scheme, root name and decoded path of an address."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise AssetRefused(f"not an address: {address!r}") from error
    path = unquote(parts.path)
    if "\0" in path:
        raise AssetRefused(f"not a path: {address!r}")
    return parts.scheme, parts.netloc, path
