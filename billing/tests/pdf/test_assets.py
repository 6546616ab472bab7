"""An invoice can use bundled assets only."""

import pytest

from billing.pdf.assets import AssetRefused, locate_asset, logo_address


@pytest.mark.parametrize("logo", ["portal/art/brands/kids.svg", "/static/portal/art/brands/kids.svg"])
def test_a_bundled_logo_is_found_by_path_and_by_url(logo: str) -> None:
    address = logo_address(logo)

    assert address is not None
    path, content_type = locate_asset(address)
    assert path.name == "kids.svg"
    assert content_type == "image/svg+xml"


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/x.svg",
        "file:///etc/passwd",
        "data:image/svg+xml,<svg/>",
        "bundled://elsewhere/x.svg",
        "bundled://static/../settings.py",
        "bundled://static/portal/%2e%2e/%2e%2e/settings.py",
        "bundled://static/portal/art/brands/../../../../../etc/hostname.svg",
        "bundled://static//etc/passwd",
        "bundled://static/portal/art/brands/kids.svg%00.png",
        "bundled://static/portal/art/brands",
        "bundled://static/portal/art/brands/nobody.svg",
        "bundled://fonts/OFL.txt",
        "bundled://[::1",
        "",
    ],
)
def test_any_other_address_is_refused(address: str) -> None:
    with pytest.raises(AssetRefused):
        locate_asset(address)


@pytest.mark.parametrize("logo", [None, "", "https://example.com/logo.svg", "portal/art/brands/nobody.svg"])
def test_a_logo_that_is_not_bundled_has_no_address(logo: str | None) -> None:
    assert logo_address(logo) is None
