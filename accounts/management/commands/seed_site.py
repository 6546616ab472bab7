"""`manage.py seed_site`: create settings, brands and services, and the demo's operators."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.models import Brand, SiteSettings, StreamingService, User
from accounts.models.brand_colors import BrandColors

DEMO_SUPERUSER = "admin"
# One operator per group, with the group's name as user name.
DEMO_GROUPS = ("support", "content", "finance")
DEMO_SETTINGS = {
    "free_month_on": True,
    "seller_name": "Example Streaming LLC",
    "seller_address": "100 Example Avenue\nNew York, NY 10001\nUnited States",
}

SEED_COLORS: dict[str, BrandColors] = {
    "faith-family": {
        "light": {"primary": "#23418f", "onPrimary": "#ffffff", "accent": "#b34a14", "link": "#23418f"},
        "dark": {"primary": "#a9c1ff", "onPrimary": "#0f1f4d", "accent": "#ffb38a", "link": "#a9c1ff"},
    },
    "gospel-TV": {
        "light": {"primary": "#6a1f6d", "onPrimary": "#ffffff", "accent": "#8f5a00", "link": "#6a1f6d"},
        "dark": {"primary": "#e6b0ea", "onPrimary": "#3a0f3d", "accent": "#f5c76b", "link": "#e6b0ea"},
    },
    "kids": {
        "light": {"primary": "#0b6b5f", "onPrimary": "#ffffff", "accent": "#b0352c", "link": "#0b6b5f"},
        "dark": {"primary": "#7fdccb", "onPrimary": "#06332d", "accent": "#ffa69e", "link": "#7fdccb"},
    },
}

SEED_SUMMARIES = {
    "faith-family": "Films and series for the whole family",
    "gospel-TV": "Concerts, choirs, and sermons, live and on demand",
    "kids": "Cartoons and songs for children",
}

# Code, name, host label, and the page of the service that 'return to watching' opens.
SEED_BRANDS = (
    ("faith-family", "Faith & Family", "faith", "browse"),
    ("gospel-TV", "Gospel TV", "gospel", "browse"),
    ("kids", "Kids", "kids", "welcome"),
)


class Command(BaseCommand):
    """Creates what is missing and leaves existing rows unchanged."""

    help = "Seed the settings, the three brands and services and, on the demo, an operator of each kind."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Create what is missing."""
        demo = settings.PORTAL_ENV == "demo"
        SiteSettings.objects.get_or_create(pk=1, defaults=DEMO_SETTINGS if demo else {})
        for position, (code, name, label, entrance) in enumerate(SEED_BRANDS):
            _seed_brand(code, name, label, default=position == 0 and not _has_default_brand())
            _seed_service(code, name, label, entrance, position)
        if demo:
            _seed_unknown_brand()
            _seed_operators()
        self.stdout.write("The site's settings, brands and services are there.")


def _has_default_brand() -> bool:
    return Brand.objects.filter(is_default=True).exists()


def _seed_brand(code: str, name: str, label: str, *, default: bool) -> None:
    site = f"https://{label}.example.com"
    Brand.objects.get_or_create(
        code=code,
        defaults={
            "name": name,
            "host_names": [f"{label}.localhost", *(["127.0.0.1", "localhost"] if default else [])],
            "is_default": default,
            "logo": f"portal/art/brands/{code}.svg",
            "logo_dark": f"portal/art/brands/{code}-dark.svg",
            "colours": SEED_COLORS[code],
            "terms_url": f"{site}/terms-of-service",
            "privacy_url": f"{site}/privacy-policy",
            "help_centre_url": f"https://help.{label}.example.com/requests/new",
        },
    )


def _seed_unknown_brand() -> None:
    """Create a brand with an unknown code, whose links are never shown (docs/rules.md, rule 14)."""
    Brand.objects.get_or_create(
        code="sports",
        defaults={
            "name": "Sports",
            "host_names": ["sports.localhost"],
            "terms_url": "https://sports.example.com/terms-of-service",
            "privacy_url": "https://sports.example.com/privacy-policy",
            "help_centre_url": "https://help.sports.example.com/requests/new",
            "show_sub_logos": False,
        },
    )


def _seed_service(code: str, name: str, label: str, entrance: str, position: int) -> None:
    watch = f"https://watch.{label}.example.com"
    StreamingService.objects.get_or_create(
        code=code,
        defaults={
            "name": name,
            "logo": f"portal/art/brands/{code}.svg",
            "logo_dark": f"portal/art/brands/{code}-dark.svg",
            "summary": SEED_SUMMARIES[code],
            "stream_url": f"{watch}/",
            "browse_url": f"{watch}/{entrance}",
            "position": position,
        },
    )


def _seed_operators() -> None:
    """Create the demo's operators, each with the user name as password, unless the name is taken.

    In production, a system check refuses them.
    """
    if not User.objects.filter(username=DEMO_SUPERUSER).exists():
        User.objects.create_superuser(DEMO_SUPERUSER, password=DEMO_SUPERUSER)
    for group in Group.objects.filter(name__in=DEMO_GROUPS):
        if not User.objects.filter(username=group.name).exists():
            member = User.objects.create_user(group.name, password=group.name, is_staff=True)
            member.groups.add(group)
