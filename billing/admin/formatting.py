"""Readable cents, times and payloads of the provider, and links between admin pages."""

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
from billing.queries.payment_methods import CARD, kind_of, source_account, type_name
from billing.terms import BillingTerms

NONE = "none"
UNSET = "-"
_INSTANT_FIELD = re.compile(r"(_at|_end|_start|_till|_date|_from|_to|_since|^date)$")
_CENTS_FIELD = re.compile(r"(amount|total|sub_total|price|tax|credits?|payments|dues|_off)(_\w+)?$")
# Names that match one of the patterns by accident.
_PLAIN_FIELDS = frozenset({"price_type", "tax_id", "discount_type", "price_id"})
# September 2001: smaller numbers are not times of ours.
_EARLIEST_SECONDS = 10**9


def format_instant(instant: datetime | None) -> str:
    """Return a time as `2026-03-10 12:00 UTC`, a dash for None."""
    return UNSET if instant is None else f"{instant.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def format_price(cents: int, terms: BillingTerms) -> str:
    """Return a price with its period: `$6.99 a month`, `19.99 EUR per 3 months`."""
    word = "a" if terms.period == 1 else "per"
    return f"{format_cents(cents, terms.currency)} {word} {terms.period_phrase}"


def readable_payload(value: Any, name: str = "") -> Any:
    """Return a payload with formatted times and amounts in front of the provider's numbers."""
    if isinstance(value, Mapping):
        return {key: readable_payload(item, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [readable_payload(item, name) for item in value]
    if isinstance(value, bool) or not isinstance(value, int) or name in _PLAIN_FIELDS:
        return value
    if _INSTANT_FIELD.search(name) and value >= _EARLIEST_SECONDS:
        return f"{format_instant(datetime.fromtimestamp(value, tz=UTC))} ({value})"
    if _CENTS_FIELD.search(name):
        return f"{format_cents(value)} ({value})"
    return value


def describe_source(source: PaymentSource) -> str:
    """Return the kind of a payment method, with its masked number or its account."""
    card = source.payload.get("card") or {}
    identifier = card.get("masked_number") or card.get("last4") or source_account(source)
    wallet = "" if kind_of(source) == CARD else f"{type_name(source.text('type'))} "
    return f"{wallet}{card.get('brand') or ''} {identifier}".replace("  ", " ").strip()


def format_json(value: Any) -> SafeString:
    """Return data as indented JSON."""
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False, default=str))


def page_link(row: models.Model | None) -> SafeString | str:
    """Return a link to a row's page; plain text where the admin has no page for it."""
    if row is None:
        return NONE
    meta = row._meta
    try:
        address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])
    except NoReverseMatch:
        return str(row)
    return format_html('<a href="{}">{}</a>', address, str(row))


def related_list_links(row: models.Model) -> SafeString:
    """Return links to the lists of all rows that refer to this one."""
    links = []
    for relation in row._meta.related_objects:
        meta = relation.related_model._meta
        try:
            address = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        except NoReverseMatch:
            continue
        links.append((address, relation.field.name, row.pk, meta.verbose_name_plural))
    return format_html_join("", '<p><a href="{}?{}__id__exact={}">{}</a></p>', links)
