"""The provider's cents, epoch seconds and payloads, made readable for a person; links from one thing to another."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import models
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from billing.models import PaymentSource
from billing.money import format_cents

NONE = "none"
UNSET = "-"
_INSTANT = re.compile(r"(_at|_end|_start|_till|_date|_from|_to|_since|^date)$")
_CENTS = re.compile(r"(amount|total|sub_total|price|tax|credits?|payments|dues|_off)(_\w+)?$")
# Names that look like one of the two and are neither.
_PLAIN = frozenset({"price_type", "tax_id", "discount_type", "price_id"})
# Before 2001 a number of seconds is too small to be an instant of ours.
_EARLIEST = 10**9


def when(instant: datetime | None) -> str:
    """Return an instant as `2026-03-10 12:00 UTC`, a dash when there is none."""
    return UNSET if instant is None else f"{instant.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def told(value: Any, name: str = "") -> Any:
    """Return a payload with its instants and cents told in words beside the provider's own numbers."""
    if isinstance(value, Mapping):
        return {key: told(one, str(key)) for key, one in value.items()}
    if isinstance(value, list):
        return [told(one, name) for one in value]
    if isinstance(value, bool) or not isinstance(value, int) or name in _PLAIN:
        return value
    if _INSTANT.search(name) and value >= _EARLIEST:
        return f"{when(datetime.fromtimestamp(value, tz=UTC))} ({value})"
    if _CENTS.search(name):
        return f"{format_cents(value)} ({value})"
    return value


def masked(source: PaymentSource) -> str:
    """Tell what a payment method is, and as much of its number or address as we hold."""
    card, paypal = source.payload.get("card") or {}, source.payload.get("paypal") or {}
    told_apart = card.get("masked_number") or card.get("last4") or paypal.get("email") or ""
    return f"{card.get('brand') or source.text('type')} {told_apart}".strip()


def pretty(value: Any) -> SafeString:
    """Return data as indented JSON."""
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False, default=str))


def page_link(row: models.Model | None) -> SafeString | str:
    """Return a link to a row's page, named as the row is; its bare name where the admin has no page for it."""
    if row is None:
        return NONE
    meta = row._meta
    try:
        address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])
    except NoReverseMatch:
        return str(row)
    return format_html('<a href="{}">{}</a>', address, str(row))


def lists_about(row: models.Model) -> SafeString:
    """Return links to the lists of everything that refers to a row."""
    found = []
    for relation in row._meta.related_objects:
        meta = relation.related_model._meta
        try:
            address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        except NoReverseMatch:
            continue
        found.append((address, relation.field.name, row.pk, meta.verbose_name_plural))
    return format_html_join("", '<p><a href="{}?{}__id__exact={}">{}</a></p>', found)
