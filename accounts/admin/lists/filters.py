"""Filters of the admin's lists, in words, whose choices cost no query over the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest


def condition_filter(
    parameter: str, title: str, conditions: Mapping[str, tuple[str, Q]]
) -> type[admin.SimpleListFilter]:
    """Return a filter with a choice for each condition, given by its value in the URL: its words and the condition."""

    class ConditionFilter(admin.SimpleListFilter):
        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return [(value, words) for value, (words, _) in conditions.items()]

        def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
            chosen = conditions.get(self.value() or "")
            return rows.filter(chosen[1]) if chosen else rows

    ConditionFilter.title, ConditionFilter.parameter_name = title, parameter
    return ConditionFilter
